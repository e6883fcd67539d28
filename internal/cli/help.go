package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"tattle/internal/report"
)

// helpAll asks for help with every flag.
const helpAll = "--help=all"

// moreTag marks the fields of flags that only helpAll describes.
const moreTag = "more"

// moreGroups are groups of flags that only helpAll describes.
var moreGroups = []string{
	"Near witnesses", "Further bounds and attacks", "Search for a release",
	"Endpoint (--endpoint)", "File of outputs (--outputs)", "Statistics", "Runs over several machines",
}

// A detailed command says more about itself in its full help.
type detailed interface{ MoreHelp() string }

// helpAsked replaces the other ways to ask for help by --help, and reports whether all of it
// is asked for: none is "tattle", "tattle help COMMAND" and "tattle COMMAND --help=all".
func helpAsked(args []string) (asked []string, all bool) {
	if len(args) == 0 {
		return []string{"--help"}, false
	}
	asked = slices.Clone(args)
	if asked[0] == "help" {
		asked = append(asked[1:], "--help")
	}
	for i, a := range asked {
		switch a {
		case "--":
			return asked, all
		case helpAll:
			asked[i], all = "--help", true
		}
	}
	return asked, all
}

// helpPrinter prints the help of a command: the flags that are used most, or all of them.
func helpPrinter(all bool) kong.HelpPrinter {
	return func(o kong.HelpOptions, k *kong.Context) error {
		command := k.Selected()
		if command == nil {
			return kong.DefaultHelpPrinter(o, k)
		}
		for _, f := range k.Model.Flags {
			f.Hidden = f.Hidden || f.Name == "version" // it is of no command
		}
		if all {
			if d, ok := command.Target.Addr().Interface().(detailed); ok {
				command.Detail += "\n\n" + d.MoreHelp()
			}
			return kong.DefaultHelpPrinter(o, k)
		}
		hidden := hideMore(command)
		if err := kong.DefaultHelpPrinter(o, k); err != nil || hidden == 0 {
			return err
		}
		_, err := fmt.Fprintf(k.Stdout, "\n%s: %s %s\n", report.Many(hidden, "more flag"), command.FullPath(), helpAll)
		return err
	}
}

// hideMore hides the flags that only helpAll describes, and returns how many there are.
func hideMore(command *kong.Node) (hidden int) {
	for _, f := range command.Flags {
		grouped := f.Group != nil && slices.ContainsFunc(moreGroups, func(title string) bool { return strings.EqualFold(title, f.Group.Title) })
		if !f.Hidden && (grouped || f.Tag.Has(moreTag)) {
			f.Hidden = true
			hidden++
		}
	}
	return hidden
}
