package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tattle/internal/must"
	"tattle/internal/report"
)

// TestMain runs the tests with a tattle on the path, which is this program under another name.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) != "tattle" {
		if signal.Ignored(os.Interrupt) { // as a shell starts what runs in the background: scripts interrupt their tattle
			signal.Notify(make(chan os.Signal, 1), os.Interrupt)
		}
		os.Exit(withTattle(m.Run))
	}
	disguise()
	if len(os.Args) == 2 && os.Args[1] == manyLines {
		os.Exit(answer(os.Stdin, os.Stdout))
	}
	os.Exit(Main())
}

func withTattle(tests func() int) int {
	bin, err := os.MkdirTemp("", "tattle-bin")
	if err == nil {
		defer os.RemoveAll(bin)
		var self string
		self, err = os.Executable()
		err = errors.Join(err, os.Symlink(self, filepath.Join(bin, "tattle")))
	}
	if err != nil {
		panic(err)
	}
	os.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return tests()
}

// manyLines is the argument by which the tattle of the tests runs many command lines.
const manyLines = "many-lines"

// A commandLine is run in a folder.
type commandLine struct {
	Dir  string
	Args []string
}

// An outcome is the exit status of a command line, and what it printed.
type outcome struct {
	Status         int
	Stdout, Stderr []byte
}

// answer runs the command lines that it reads, one after another: to start a process for each takes
// longer than most of them.
func answer(in io.Reader, out io.Writer) int {
	for lines, outcomes := json.NewDecoder(in), json.NewEncoder(out); ; {
		var line commandLine
		if lines.Decode(&line) != nil {
			return statusDone
		}
		if err := os.Chdir(line.Dir); err != nil {
			panic(err)
		}
		var stdout, stderr bytes.Buffer
		status := Execute(context.Background(), line.Args, &stdout, &stderr)
		if err := outcomes.Encode(outcome{status, stdout.Bytes(), stderr.Bytes()}); err != nil {
			panic(err)
		}
	}
}

// A runner is the process that runs the command lines of a script. A new one takes its place when
// the script changes the environment.
type runner struct {
	vars     []string // the environment that the script began with
	cmd      *exec.Cmd
	lines    io.WriteCloser
	outcomes *json.Decoder
	stderr   bytes.Buffer
}

type runnerKey struct{}

// withRunner is the Setup of scripts.
func withRunner(e *testscript.Env) error {
	trees, err := filepath.Abs("testdata/trees")
	if err != nil {
		return err
	}
	e.Setenv("TREES", trees)
	r := &runner{vars: slices.Clone(e.Vars)}
	e.Values[runnerKey{}] = r
	e.Defer(r.end)
	return nil
}

func (r *runner) begin(ts *testscript.TestScript) {
	r.cmd = process(ts, manyLines)
	r.cmd.Stderr = &r.stderr
	var err error
	r.lines, err = r.cmd.StdinPipe()
	ts.Check(err)
	outcomes, err := r.cmd.StdoutPipe()
	ts.Check(err)
	r.outcomes = json.NewDecoder(outcomes)
	ts.Check(r.cmd.Start())
}

func (r *runner) end() {
	if r.cmd != nil {
		r.lines.Close()
		r.cmd.Wait()
		r.cmd = nil
	}
}

// process returns the command that starts a tattle in the folder and environment of a script.
func process(ts *testscript.TestScript, args ...string) *exec.Cmd {
	path, err := exec.LookPath("tattle")
	ts.Check(err)
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = ts.MkAbs("."), slices.Clone(ts.Value(runnerKey{}).(*runner).vars)
	for _, v := range []string{tokenVariable, versionVariable, stallVariable, stuckVariable, failVariable, fewVariable, linesVariable, fitVariable} {
		if value := ts.Getenv(v); value != "" {
			cmd.Env = append(cmd.Env, v+"="+value)
		}
	}
	return cmd
}

// execute runs a command line as a script's; what it prints is left in stdout and stderr.
func execute(ts *testscript.TestScript, args []string) outcome {
	r := ts.Value(runnerKey{}).(*runner)
	if r.cmd == nil || !slices.Equal(r.cmd.Env, process(ts).Env) {
		r.end()
		r.begin(ts)
	}
	ts.Check(json.NewEncoder(r.lines).Encode(commandLine{ts.MkAbs("."), args}))
	var o outcome
	if err := r.outcomes.Decode(&o); err != nil {
		r.end()
		ts.Fatalf("tattle %s: its process ended: %s", strings.Join(args, " "), r.stderr.String())
	}
	ts.Stdout().Write(o.Stdout)
	ts.Stderr().Write(o.Stderr)
	return o
}

// tattleVerb is tattle ARG...: the command line must end with status 0, after ! with another one.
func tattleVerb(ts *testscript.TestScript, neg bool, args []string) {
	if o := execute(ts, args); (o.Status == statusDone) == neg {
		ts.Fatalf("status %d", o.Status)
	}
}

// tattle runs a command line in this process.
func tattle(ctx context.Context, args ...string) (status int, stdout, stderr string) {
	var out, said bytes.Buffer
	status = Execute(ctx, args, &out, &said)
	return status, out.String(), said.String()
}

// done runs a command line, which must succeed, and returns what it prints.
func done(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	status, stdout, stderr := tattle(t.Context(), args...)
	if status != statusDone {
		t.Fatalf("%q: status %d: %s", args, status, stderr)
	}
	return stdout, stderr
}

// reported is done for a command with that folder, and returns its report.
func reported(t *testing.T, out string, args ...string) *report.Report {
	t.Helper()
	done(t, append(slices.Clone(args), "--out", out)...)
	return must.Get(readReport(out))(t)
}

func readReport(dir string) (*report.Report, error) {
	b, err := os.ReadFile(filepath.Join(dir, reportJSON))
	if err != nil {
		return nil, err
	}
	return report.Parse(b)
}
