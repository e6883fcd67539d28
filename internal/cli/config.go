package cli

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"tattle/internal/file"
	"tattle/internal/manual"
	"tattle/internal/project"
)

// withProject adds the flags of tattle.toml that a command line does not give. It prints them,
// since they change what the command does.
func withProject(args []string, stderr io.Writer) ([]string, error) {
	asked, _ := helpAsked(args)
	if !exists(project.File) || slices.Contains(asked, "--help") {
		return args, nil
	}
	parser, flags, err := projectFlags()
	if err != nil {
		return nil, err
	}
	trace, err := kong.Trace(parser, args)
	if err != nil || trace.Error != nil {
		return args, nil // the parser says what is wrong
	}
	added := flags.For(trace)
	if len(added) > 0 {
		fmt.Fprintf(stderr, "tattle: %s adds %s\n", project.File, file.CommandLine(added))
	}
	return withFlags(args, added...), nil
}

// projectFlags reads tattle.toml.
func projectFlags() (*kong.Kong, project.Flags, error) {
	parser := parserOf(true, io.Discard, io.Discard)
	flags, err := project.Read(project.File, parser.Model)
	if err != nil {
		return nil, nil, usage(err, "docs/audit-ci.md explains "+project.File)
	}
	return parser, flags, nil
}

type configCmd struct{}

func (configCmd) Help() string {
	return `A file tattle.toml in the working directory holds flags that a repository always uses, in a table for each command:

  [audit]
  target = "income"
  sensitive = ["sex", "race"]
  baseline = "audit-baseline.toml"

Flags of the command line take precedence. Each command prints the flags that the file adds.

Example: tattle config`
}

func (configCmd) Run(e *env) error {
	if !exists(project.File) {
		return e.print("There is no %s in this folder.\n", project.File)
	}
	parser, flags, err := projectFlags()
	if err != nil {
		return err
	}
	for _, n := range parser.Model.Leaves(true) {
		command := strings.TrimPrefix(n.FullPath(), "tattle ")
		if args := flags[command]; len(args) > 0 {
			if err := e.print("tattle %s %s\n", command, file.CommandLine(args)); err != nil {
				return err
			}
		}
	}
	return nil
}

type completionCmd struct {
	Shell string `arg:"" help:"bash, zsh or fish." enum:"bash,zsh,fish"`
}

func (completionCmd) Help() string {
	return `Example: source <(tattle completion bash)

  tattle completion zsh > "${fpath[1]}/_tattle"
  tattle completion fish > ~/.config/fish/completions/tattle.fish`
}

func (c *completionCmd) Run(e *env) error {
	return e.print("%s", manual.Completion(wholeGrammar(), c.Shell))
}

type manCmd struct{}

func (manCmd) Help() string { return "Example: tattle man > tattle.1 && man ./tattle.1" }

func (manCmd) Run(e *env) error {
	return e.print("%s", manual.Page(wholeGrammar(), versionLine()))
}

// wholeGrammar describes all commands.
func wholeGrammar() *kong.Application {
	return parserOf(true, io.Discard, io.Discard).Model
}

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
