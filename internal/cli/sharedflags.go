package cli

import (
	"strings"

	"github.com/alecthomas/kong"
)

// sharedFlags are those of commands whose shards several processes can compute.
type sharedFlags struct {
	Prepare bool `help:"Compute nothing: prepare the run in --out, for tattle worker."`
}

func (f *sharedFlags) shares() *sharedFlags { return f }

// sharedOf returns the flags of a command whose shards several processes can compute; else nil.
func sharedOf(k *kong.Context) *sharedFlags {
	if s, ok := k.Selected().Target.Addr().Interface().(interface{ shares() *sharedFlags }); ok {
		return s.shares()
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
