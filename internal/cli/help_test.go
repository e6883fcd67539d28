package cli

import (
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// mostHelp is the largest number of lines of the help of a command.
const mostHelp = 60

// dialect are words that readers of the help did not understand.
var dialect = regexp.MustCompile(`(?i)for the unbiased\b|for everybody|let pass|\b(told|sees|dithered)\b|typical coarse|thousandths`)

// The help of every command fits on two screens, and its full help describes every flag.
func TestHelp(t *testing.T) {
	if lines := strings.Count(helpOf(t, nil), "\n"); lines > mostHelp {
		t.Errorf("tattle without a command prints %d lines", lines)
	}
	for _, n := range wholeGrammar().Leaves(true) {
		words := strings.Fields(n.Path())
		short, all := helpOf(t, append(words, "--help")), helpOf(t, append(words, helpAll))
		if found := dialect.FindString(all); found != "" {
			t.Errorf("%s: the help has the word %q", n.Path(), found)
		}
		if lines := strings.Count(short, "\n"); lines > mostHelp {
			t.Errorf("%s --help has %d lines", n.Path(), lines)
		}
		hidden := 0
		for _, f := range n.Flags {
			if !f.Hidden && !describes(all, f) {
				t.Errorf("%s %s does not describe --%s", n.Path(), helpAll, f.Name)
			}
			if !f.Hidden && !describes(short, f) {
				hidden++
			}
		}
		if further := strings.Contains(short, helpAll); further != (hidden > 0) {
			t.Errorf("%s --help leaves out %d flags, and says so: %v", n.Path(), hidden, further)
		}
	}
}

func helpOf(t *testing.T, args []string) string {
	t.Helper()
	out, said := done(t, args...)
	if said != "" {
		t.Fatalf("%q: %s", args, said)
	}
	return out
}

func describes(help string, f *kong.Flag) bool {
	return strings.Contains(help, "--"+f.Name) || strings.Contains(help, "--[no-]"+f.Name)
}
