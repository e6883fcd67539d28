package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"unicode"

	"github.com/alecthomas/kong"

	"tattle/internal/data/dataset"
	"tattle/internal/file"
	"tattle/internal/progress"
	"tattle/internal/protect/measure"
	"tattle/internal/run"
	"tattle/internal/run/folders"
	"tattle/internal/verify"
)

// A statusError is an error with the exit status it ends the program with and,
// where one helps, a hint how to fix it.
type statusError struct {
	status int
	err    error
	hint   string
}

func (e *statusError) Error() string { return e.err.Error() }
func (e *statusError) Unwrap() error { return e.err }

// usage marks an error as wrong usage, which the caller must fix.
func usage(err error, hint string) error { return &statusError{statusUsage, err, hint} }

// hinted adds a hint to an error of the world outside.
func hinted(err error, hint string) error { return &statusError{statusUnfinished, err, hint} }

// finding is an error that says of a report that it does not hold.
func finding(err error, hint string) error { return &statusError{statusFinding, err, hint} }

// optionFlags are the flags behind options of the packages below. Other options have the flag of
// their name: that of ReferenceTarget is --reference-target.
var optionFlags = map[string]string{
	"Family": "--noise", "Sigma": "--noise", // of measure: the errors name the strength, delta and clip
	"Limits": "--identify", "Worst": "--worst-case", "MaxDrop": "--max-accuracy-drop", "Tasks": "--task", // of design
	"Dir": "--out", // of reproduce
}

// worded returns an error of the packages below as one of the command line: it names the flag behind
// an option that cannot be used, which is wrong usage, or behind an input that cannot be read. Other
// errors it returns as they are.
func worded(err error) error {
	named := func(option string) error {
		flag, ok := optionFlags[option]
		switch {
		case option == "":
			return unprefixed(err)
		case !ok:
			flag = flagOf(option)
		}
		return fmt.Errorf("%s: %w", flag, unprefixed(err))
	}
	var (
		already  *statusError
		mismatch *verify.MismatchError
		wrong    *measure.OptionError
		unread   *measure.InputError
		other    *folders.OtherError
	)
	switch {
	case errors.As(err, &already):
		return err
	case errors.As(err, &mismatch):
		return finding(err, mismatch.Hint)
	case errors.As(err, &wrong):
		return usage(named(wrong.Option), wrong.Hint)
	case errors.As(err, &unread):
		return hinted(named(unread.Option), unread.Hint)
	case errors.As(err, &other):
		return usage(other, "choose another folder with --out")
	}
	return err
}

// unprefixed is an error without the name of its package.
func unprefixed(err error) error {
	if said, ok := strings.CutPrefix(err.Error(), "audit: "); ok {
		return errors.New(said)
	}
	return err
}

// flagOf returns the flag of the option of that name.
func flagOf(option string) string {
	flag := "-"
	for _, c := range option {
		if unicode.IsUpper(c) {
			flag += "-"
		}
		flag += string(unicode.ToLower(c))
	}
	return flag
}

// fail prints an error as one line, its hint as another, and returns the status.
func fail(stderr io.Writer, err error) int {
	var out *fs.PathError
	if errors.As(err, &out) && out.Path == os.Stdout.Name() && errors.Is(err, syscall.EPIPE) {
		return statusUnread // like any program whose output nobody reads on
	}
	var s *statusError
	if !errors.As(err, &s) {
		s = &statusError{status: statusUnfinished}
	}
	if errors.Is(err, fs.ErrNotExist) {
		s = &statusError{status: statusUnfinished, hint: s.hint} // in all commands
	}
	if _, missing := errors.AsType[*dataset.MissingError](err); missing && s.hint == "" {
		s.hint = "--skip-missing leaves them out, and counts them"
	}
	if t := progress.Terminal(stderr); t != nil && errors.Is(err, context.Canceled) {
		io.WriteString(t, "\r\x1b[2K") // the terminal has echoed ^C
	}
	fmt.Fprintf(stderr, "tattle: error: %s\n", strings.ReplaceAll(message(err), "\n", " "))
	if s.hint != "" {
		fmt.Fprintf(stderr, "tattle: hint: %s\n", s.hint)
	}
	return s.status
}

// message is what an error says; of a cancelled context, that somebody
// interrupted, and what is kept.
func message(err error) string {
	if kept, ok := errors.AsType[*run.InterruptedError](err); ok {
		return kept.Error()
	}
	said := err.Error()
	if p, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(p, fs.ErrNotExist) && p.Op != "mkdir" {
		said = strings.Replace(said, p.Error(), file.Name(p.Path)+": no such file or folder", 1)
	}
	if errors.Is(err, context.Canceled) {
		said = strings.ReplaceAll(said, context.Canceled.Error(), "interrupted")
	}
	return said
}

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
	{regexp.MustCompile(`^(unknown flag -\S+), did you mean "-h"\?$`), "$1"}, // it is near to every short name
	{regexp.MustCompile(`^(.*): expected \S+ value but got ("[^"]*") \(.*?\); perhaps try \S+$`), "$1 $2: a value is missing, or must be joined by ="},
	{regexp.MustCompile(`^(.*): bool value .* but got ("[^"]*")$`), "$1 $2: must be true or false, or left out"},
	{regexp.MustCompile(`^(.*): expected a float but got ("[^"]*").*$`), "$1 $2: must be a number"},
	{regexp.MustCompile(`^(.*): expected a valid \d+ bit int but got ("[^"]*").*$`), "$1 $2: must be a whole number"},
	{regexp.MustCompile(`^(.*): expected a valid \d+ bit uint but got ("[^"]*").*$`), "$1 $2: must be a whole number, 0 or more"},
	{regexp.MustCompile(`^(?:\w+ )*expected one of (.*)$`), "a command is missing: one of $1"},
	{regexp.MustCompile(`^(?:\w+ )*expected "(<.*>)"$`), "$1 is missing"},
	{regexp.MustCompile(`^\[?<(.*?)>\]? must be one of (?:"",)?(.*) but got ("[^"]*")$`), "$1 $3: must be one of $2"},
	{regexp.MustCompile(`^(.*?) must be one of (?:"",)?(.*) but got ("[^"]*")$`), "$1 $3: must be one of $2"},
}

// inWords returns an error of the parser in the program's words, with a hint that names the command.
func inWords(err error, args []string) error {
	if errors.Is(err, syscall.EPIPE) { // help that nobody reads on
		return err
	}
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
