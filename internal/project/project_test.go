package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"tattle/internal/must"
)

type grammar struct {
	Audit struct {
		Target    string
		Sensitive []string `sep:"none"`
		Margin    float64
		Folds     int
		Quiet     bool
		Colour    bool `negatable:"" default:"true"`
	} `cmd:""`
	Data struct {
		Get struct{ Out string } `cmd:""`
	} `cmd:""`
}

func newParser(t *testing.T) *kong.Kong {
	t.Helper()
	return must.Get(kong.New(new(grammar), kong.Name("tattle")))(t)
}

func read(t *testing.T, document string) (Flags, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), File)
	must.Do(t, os.WriteFile(path, []byte(document), 0o600))
	return Read(path, newParser(t).Model)
}

// The command line wins over the file, flag by flag, and the rest of the file is added.
func TestFor(t *testing.T) {
	f := must.Get(read(t, "[audit]\ntarget = 'y'\nsensitive = ['a, b', 'c']\nmargin = 0.5\nfolds = 3\nquiet = true\ncolour = false\n[data.get]\nout = 'x'\n"))(t)
	for line, want := range map[string]string{
		"audit":                            "--no-colour --folds=3 --margin=0.5 --quiet --sensitive=a, b --sensitive=c --target=y",
		"audit --target z --sensitive s":   "--no-colour --folds=3 --margin=0.5 --quiet",
		"audit --colour --quiet --folds=4": "--margin=0.5 --sensitive=a, b --sensitive=c --target=y",
		"data get":                         "--out=x",
		"data get --out y":                 "",
	} {
		k := newParser(t)
		trace, err := kong.Trace(k, strings.Fields(line))
		if err != nil || trace.Error != nil {
			t.Fatal(err, trace.Error)
		}
		got := f.For(trace)
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
		must.Get(k.Parse(slices.Concat(strings.Fields(line), got)))(t, line)
	}
}

func TestReadErrors(t *testing.T) {
	for document, want := range map[string]string{
		"[audits]\n":                     `tattle.toml: unknown command "audits": the tables are audit, data`,
		"target = 'y'\n":                 `unknown command "target"`,
		"[audit]\ntargets = 'y'\n":       `audit has no flag "targets": tattle audit --help=all lists them`,
		"[audit]\nhelp = true\n":         `audit has no flag "help"`,
		"audit = 3\n":                    "audit: must be a table [audit]",
		"[data]\nget = 1\n":              "data get: must be a table [data.get]",
		"[audit]\ntarget = true\n":       "audit: target: must be a value, not true",
		"[audit]\ntarget = 2026-01-01\n": "audit: target: must be text, a number, true, false or a list",
		"[audit\n":                       "tattle.toml: toml: line",
	} {
		must.Fail(t, must.Err(read(t, document)), want)
	}
}
