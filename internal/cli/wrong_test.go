package cli

import (
	"context"
	"strings"
	"testing"
)

// What is wrong with a command line, what is allowed, and one exit status for files that are not there.
func TestWrongUse(t *testing.T) {
	t.Parallel()
	absent := t.TempDir() + "/absent"
	for line, want := range map[string]struct {
		status     int
		says, hint string
	}{
		"auidt":                              {2, `unknown command "auidt", did you mean "audit"?`, "tattle --help lists the commands"},
		"guard pakc x":                       {2, `unknown command "pakc", did you mean "pack"?`, "tattle guard --help lists its commands"},
		"guard":                              {2, `a command is missing: one of "pack", "verify", "check", "serve"`, ""},
		"audit --ouputs s.csv":               {2, `unknown flag --ouputs, did you mean "--outputs"?`, "tattle audit --help lists its flags"},
		"audit s.csv":                        {2, "unexpected argument s.csv", "tattle audit has no arguments, only flags"},
		"audit --outputs":                    {2, "--outputs: a value is missing", ""},
		"audit --sensitive":                  {2, "--sensitive: a value is missing", ""},
		"audit -o out":                       {2, "unknown flag -o\n", ""},
		"config --x":                         {2, "unknown flag --x\n", ""},
		"serve x.onnx":                       {2, "unexpected argument x.onnx", "--model FILE"},
		"audit --out -x":                     {2, `--out "-x": a value is missing, or must be joined by =`, ""},
		"audit --help=al":                    {2, `--help "al": must be --help, or --help=all for every flag`, ""},
		"audit --json=foo":                   {2, `--json "foo": must be true or false, or left out`, ""},
		"audit --seed -1":                    {2, `--seed "-1": must be a whole number, 0 or more`, ""},
		"audit --max-fit 1.5":                {2, `--max-fit "1.5": must be a whole number`, ""},
		"bound --sigma -1":                   {2, "--sigma -1: must be positive", ""},
		"bound --sigma abc":                  {2, `--sigma "abc": must be a number`, ""},
		"verify":                             {2, "<run> is missing", "tattle verify --help"},
		"data get":                           {2, "<name> is missing", "tattle data info lists the sets"},
		"train minst":                        {2, `task "minst": must be one of "mnist", "cifar10", `, ""},
		"reproduce figure99":                 {2, `experiment "figure99": must be one of "figure1", `, "--list"},
		"inspect absent":                     {3, absent + ": no such file or folder", ""},
		"runs absent":                        {3, absent + ": no such file or folder", ""},
		"worker absent":                      {3, absent + "/run.json: no such file or folder", ""},
		"verify absent":                      {3, absent + "/report.json: no such file or folder", "finished run"},
		"guard serve absent":                 {3, absent + "/guard.toml: no such file or folder", "guard pack"},
		"serve --model absent=a":             {3, "--model: " + absent + ": no such file or folder", ""},
		"audit --outputs absent":             {3, "--outputs: " + absent + ": no such file or folder: give a CSV", ""},
		"bound --vectors absent":             {3, "--vectors: " + absent + ": no such file or folder: give an .npz", ""},
		"distill absent":                     {3, absent + ": no such file or folder: give the folder of a run of tattle train", ""},
		"prune absent":                       {3, absent + ": no such file or folder: give the folder of a run of tattle train", ""},
		"runs wrong_test.go":                 {2, "wrong_test.go: is a file, not a folder", ""},
		"data get mnist --out wrong_test.go": {3, "cannot make the folder: mkdir wrong_test.go", "choose a folder that can be written with --out"},
		"worker testdata":                    {3, "testdata/run.json: no such file or folder", "name the folder that was given as --out"},
		"train mnist --data gone":            {3, "--data: gone: no such file or folder: give a folder of idx files", ""},
	} {
		var out, said strings.Builder
		args := strings.Fields(strings.ReplaceAll(line, "absent", absent))
		status := Execute(context.Background(), args, &out, &said)
		if status != want.status || !strings.HasPrefix(said.String(), "tattle: error: "+want.says) || !strings.Contains(said.String(), want.hint) || out.Len() > 0 {
			t.Errorf("%s: status %d, %q", line, status, said.String())
		}
	}
}

// A bug prints one line and a hint; its trace is printed if it is asked for.
func TestBug(t *testing.T) {
	var none context.Context // no command works with it
	for _, c := range []struct {
		args  []string
		trace bool
	}{{[]string{"inspect", "x"}, false}, {[]string{"inspect", debugFlag, "x"}, true}} {
		var said strings.Builder
		status := Execute(none, c.args, &strings.Builder{}, &said)
		if trace := strings.Contains(said.String(), "goroutine"); status != statusUnfinished || !strings.HasPrefix(said.String(), "tattle: error: a bug in tattle: ") || !strings.Contains(said.String(), "hint: "+reportBug) || trace != c.trace {
			t.Errorf("%v: status %d, %q", c.args, status, said.String())
		}
	}
}
