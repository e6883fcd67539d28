package cli

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// negative matches a value that begins as a flag does.
var negative = regexp.MustCompile(`^-\.?[0-9]`)

// joined writes flags with a negative value as one argument, so that the flag says which values are allowed.
func joined(args []string) (all []string) {
	for i, a := range args {
		if i > 0 && negative.MatchString(a) && strings.HasPrefix(args[i-1], "--") && !strings.Contains(args[i-1], "=") && !slices.Contains(args[:i], "--") {
			all[len(all)-1] += "=" + a
			continue
		}
		all = append(all, a)
	}
	return all
}

// wordings replace what the parser says of a command line by what is wrong, and what is allowed.
var wordings = []struct {
	says *regexp.Regexp
	now  string
}{
	{regexp.MustCompile(`^--help: .* but got ("[^"]*")$`), `--help $1: must be --help, or --help=all for every flag`},
	{regexp.MustCompile(`^(.*): (?:expected .*\(<EOL>\)|missing value, expecting .*)$`), "$1: a value is missing"},
	{regexp.MustCompile(`^(unknown flag -\w), did you mean .*$`), "$1"}, // the nearest is always -h
	{regexp.MustCompile(`^(.*): expected \S+ value but got ("[^"]*") \(.*?\); perhaps try \S+$`), "$1 $2: a value is missing, or must be joined by ="},
	{regexp.MustCompile(`^(.*): bool value .* but got ("[^"]*")$`), "$1 $2: must be true or false, or left out"},
	{regexp.MustCompile(`^(.*): expected a float but got ("[^"]*").*$`), "$1 $2: must be a number"},
	{regexp.MustCompile(`^(.*): expected a valid \d+ bit int but got ("[^"]*").*$`), "$1 $2: must be a whole number"},
	{regexp.MustCompile(`^(.*): expected a valid \d+ bit uint but got ("[^"]*").*$`), "$1 $2: must be a whole number, 0 or more"},
	{regexp.MustCompile(`^(?:\w+ )*expected one of (.*)$`), "a command is missing: one of $1"},
	{regexp.MustCompile(`^(?:\w+ )*expected "(<.*>)"$`), "$1 is missing"},
	{regexp.MustCompile(`^\[?<(.*?)>\]? must be one of (?:"",)?(.*) but got ("[^"]*")$`), "$1 $3: must be one of $2"},
	{regexp.MustCompile(`^(.*?) must be one of (.*) but got ("[^"]*")$`), "$1 $3: must be one of $2"},
}

// inWords returns an error of the parser in the program's words, with a hint that names the command.
func inWords(err error, args []string) error {
	text := err.Error()
	hint := "tattle --help lists the commands"
	var command *kong.Node
	if wrong, ok := errors.AsType[*kong.ParseError](err); ok {
		for _, p := range wrong.Context.Path {
			if p.Command != nil {
				command = p.Command
			}
		}
	}
	switch unexpected, is := strings.CutPrefix(text, "unexpected argument "); {
	case command != nil && len(command.Children) == 0:
		if hint = command.FullPath() + " --help lists its flags"; is && len(command.Positional) == 0 {
			hint = command.FullPath() + " has no arguments, only flags: " + hint
		}
	case is:
		name, nearest, _ := strings.Cut(unexpected, ", ")
		if text = "unknown command \"" + name + "\""; nearest != "" {
			text += ", " + nearest
		}
		if command != nil {
			hint = command.FullPath() + " --help lists its commands"
		}
	}
	for gone, now := range goneNames {
		if len(args) > 0 && strings.HasPrefix(args[0]+": "+err.Error(), gone) || strings.HasPrefix(text, gone) {
			hint = now
		}
	}
	for _, w := range wordings {
		if w.says.MatchString(text) {
			text = strings.ReplaceAll(w.says.ReplaceAllString(text, w.now), `","`, `", "`)
			break
		}
	}
	return usage(errors.New(text), hint)
}
