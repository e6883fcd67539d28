package cli

import (
	"strings"

	"github.com/alecthomas/kong"
)

// sharedRun are the flags of commands whose run can be resumed, and whose shards several processes
// can compute.
type sharedRun struct {
	Resume bool `help:"Continue the interrupted run in --out."`
	output
	Prepare bool `help:"Compute nothing: prepare the run in --out, for tattle worker." group:"Runs over several machines"`
	Extends bool `kong:"-"` // with Resume, a finished run is gone on with
}

func (f *sharedRun) shared() *sharedRun { return f }

// sharedOf returns these flags of a command, nil if it has none.
func sharedOf(k *kong.Context) *sharedRun {
	if s, ok := k.Selected().Target.Addr().Interface().(interface{ shared() *sharedRun }); ok {
		return s.shared()
	}
	return nil
}

// asideFlags say where a run is kept, who computes it and how much of it is printed, not what it
// is; true for those with a value.
var asideFlags = map[string]bool{"out": true, "resume": false, "details": false, "prepare": false}

// withoutAside leaves out of a command line what it says about where the run is kept
// and who computes it.
func withoutAside(args []string) []string {
	var kept []string
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(kept, args[i:]...)
		}
		name, _, given := strings.Cut(strings.TrimPrefix(args[i], "--"), "=")
		value, left := asideFlags[name]
		switch {
		case !strings.HasPrefix(args[i], "--") || !left:
			kept = append(kept, args[i])
		case value && !given:
			i++
		}
	}
	return kept
}

// withFlags adds flags to a command line.
func withFlags(args []string, flags ...string) []string {
	for i, a := range args {
		if a == "--" {
			return append(append(append([]string{}, args[:i]...), flags...), args[i:]...)
		}
	}
	return append(append([]string{}, args...), flags...)
}
