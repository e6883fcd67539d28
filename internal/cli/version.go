package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

type versionCmd struct{}

func (versionCmd) Help() string {
	return "The first line is that of tattle --version. What the build did not record is left out.\n\nExample: tattle version"
}

func (versionCmd) Run(e *env) error {
	var b strings.Builder
	fmt.Fprintln(&b, versionLine())
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-10s %s\n", name, value)
		}
	}
	row("platform", runtime.GOOS+"/"+runtime.GOARCH)
	if info, ok := debug.ReadBuildInfo(); ok {
		set := map[string]string{}
		for _, s := range info.Settings {
			set[s.Key] = s.Value
		}
		row("revision", set["vcs.revision"])
		row("committed", set["vcs.time"])
		row("modified", set["vcs.modified"])
		row("cgo", set["CGO_ENABLED"])
		row("tags", set["-tags"])
	}
	return e.print("%s", b.String())
}
