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
	"sync"
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
	defer func() {
		for _, r := range idle.runners {
			r.end()
		}
	}()
	return tests()
}

// manyLines is the argument by which the tattle of the tests runs many command lines.
const manyLines = "many-lines"

// A commandLine is run in a folder and an environment.
type commandLine struct {
	Dir       string
	Env, Args []string
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
		os.Clearenv()
		for _, v := range line.Env {
			name, value, _ := strings.Cut(v, "=")
			os.Setenv(name, value)
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

// A runner is a process that runs command lines of scripts.
type runner struct {
	settings []string // the variables of tests that it began with
	cmd      *exec.Cmd
	lines    io.WriteCloser
	outcomes *json.Decoder
	stderr   bytes.Buffer
}

// idle are the runners that no script uses now. The next script that needs the same settings takes one:
// a process that has its memory already is faster than a new one.
var idle struct {
	sync.Mutex
	runners []*runner
}

func (r *runner) end() {
	r.lines.Close()
	r.cmd.Wait()
}

// An environment is that in which a script began, and its runner, if it has one.
type environment struct {
	vars   []string
	runner *runner
}

type environmentKey struct{}

// withRunner is the Setup of scripts.
func withRunner(e *testscript.Env) error {
	trees, err := filepath.Abs("testdata/trees")
	if err != nil {
		return err
	}
	e.Setenv("TREES", trees)
	env := &environment{vars: slices.Clone(e.Vars)}
	e.Values[environmentKey{}] = env
	e.Defer(env.release)
	return nil
}

// use gives the script a runner with these settings.
func (e *environment) use(ts *testscript.TestScript, settings []string) *runner {
	if e.runner != nil && slices.Equal(e.runner.settings, settings) {
		return e.runner
	}
	e.release()
	idle.Lock()
	at := slices.IndexFunc(idle.runners, func(r *runner) bool { return slices.Equal(r.settings, settings) })
	if at >= 0 {
		e.runner = idle.runners[at]
		idle.runners = slices.Delete(idle.runners, at, at+1)
	}
	idle.Unlock()
	if e.runner != nil {
		return e.runner
	}
	r := &runner{settings: settings, cmd: process(ts, manyLines)}
	r.cmd.Stderr = &r.stderr
	var err error
	r.lines, err = r.cmd.StdinPipe()
	ts.Check(err)
	outcomes, err := r.cmd.StdoutPipe()
	ts.Check(err)
	r.outcomes = json.NewDecoder(outcomes)
	ts.Check(r.cmd.Start())
	e.runner = r
	return r
}

// release leaves the runner to other scripts.
func (e *environment) release() {
	if e.runner != nil {
		idle.Lock()
		idle.runners = append(idle.runners, e.runner)
		idle.Unlock()
		e.runner = nil
	}
}

// process returns the command that starts a tattle in the folder and environment of a script.
func process(ts *testscript.TestScript, args ...string) *exec.Cmd {
	path, err := exec.LookPath("tattle")
	ts.Check(err)
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = ts.MkAbs("."), slices.Concat(ts.Value(environmentKey{}).(*environment).vars, settings(ts))
	return cmd
}

// settings are the variables of tests that a script has set.
func settings(ts *testscript.TestScript) (set []string) {
	for _, v := range []string{tokenVariable, versionVariable, stallVariable, stuckVariable, failVariable, fewVariable, linesVariable, fitVariable, listVariable} {
		if value := ts.Getenv(v); value != "" {
			set = append(set, v+"="+value)
		}
	}
	return set
}

// execute runs a command line as a script's; what it prints is left in stdout and stderr.
func execute(ts *testscript.TestScript, args []string) outcome {
	env := ts.Value(environmentKey{}).(*environment)
	r := env.use(ts, settings(ts))
	ts.Check(json.NewEncoder(r.lines).Encode(commandLine{ts.MkAbs("."), process(ts).Env, args}))
	var o outcome
	if err := r.outcomes.Decode(&o); err != nil {
		r.end()
		env.runner = nil
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
