package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"tattle/internal/data/dataset"
	"tattle/internal/progress"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/measure"
	"tattle/internal/run"
)

// versionVariable names the version that the tattle of a test takes itself for,
// stallVariable how many shards it computes before it stalls in the next one,
// failVariable a shard that fails.
const (
	versionVariable = "TATTLE_TEST_VERSION"
	stallVariable   = "TATTLE_TEST_STALL"
	failVariable    = "TATTLE_TEST_FAIL"
	stuckVariable   = "TATTLE_TEST_STUCK"   // set: what stalls does not end with the run either
	expiresVariable = "TATTLE_TEST_EXPIRES" // after what time the claims of workers on lost machines count for nothing
	fewVariable     = "TATTLE_TEST_FEW"     // set: the demo has few examples, restarts and draws, no twins, and the linear attack alone
)

// linesVariable is the interval of the lines that say off a terminal how far work has come.
// Without it there are none: whether a test's work lasts long enough depends on the machine.
const linesVariable = "TATTLE_TEST_LINES"

// fitVariable, if set, has models compared with the guess of the commonest class: most nets of
// these tests were never trained.
const fitVariable = "TATTLE_TEST_FIT"

// listVariable, if set, has as many draws from lists, and exposure measured of as many people, as without tests: they take
// longer than the rest of a run.
const listVariable = "TATTLE_TEST_LIST"

func init() {
	if os.Getenv(listVariable) == "" {
		exposedPeople, listDraws = 4, 500
	}
	if os.Getenv(fitVariable) == "" {
		leastFit = math.MaxInt
	}
	plantedGlyphs = 900
	dataset.GlyphsTrain, dataset.GlyphsTest, demoSize.training = 2000, 1000, 2000
	progress.LineInterval, _ = time.ParseDuration(os.Getenv(linesVariable))
}

// disguise applies these.
func disguise() {
	if os.Getenv(fewVariable) != "" {
		demoSize.epochs, demoSize.examples, demoSize.search = 1, 1, bound.SearchOptions{Restarts: 2, Repeats: 2}
		demoSize.further = measure.Further{Barankin: 8, Far: 1}
		demoSize.attacks, demoSize.candidates, demoSize.listDraws = []string{"linear"}, "300", 200
	}
	if n, err := strconv.Atoi(os.Getenv(stallVariable)); err == nil {
		paced = func(p run.Pool) run.Pool { return &stalling{Pool: p, after: int64(n)} }
	}
	if d, err := time.ParseDuration(os.Getenv(expiresVariable)); err == nil {
		run.ClaimExpires = d
	}
	if v := os.Getenv(versionVariable); v != "" {
		was := run.Current()
		program = func() run.Program { return run.Program{Version: v, Kernels: was.Kernels} }
	}
	if i, err := strconv.Atoi(os.Getenv(failVariable)); err == nil {
		paced = func(p run.Pool) run.Pool { return failing{p, i} }
	}
}

// A failing pool fails in one of the shards.
type failing struct {
	run.Pool
	shard int
}

// Run implements run.Pool.
func (f failing) Run(ctx context.Context, w run.Work) (*run.Folder, error) {
	do := w.Do
	w.Do = func(ctx context.Context, i int, to io.Writer) error {
		if i == f.shard {
			return errors.New("out of luck")
		}
		return do(ctx, i, to)
	}
	return f.Pool.Run(ctx, w)
}

// A stalling pool computes so many shards; then it says that it stalls, and waits for
// the end or for a file "go" in the folder where it runs.
type stalling struct {
	run.Pool
	after int64
	begun atomic.Int64
}

// Run implements run.Pool.
func (s *stalling) Run(ctx context.Context, w run.Work) (*run.Folder, error) {
	do := w.Do
	w.Do = func(ctx context.Context, i int, to io.Writer) error {
		if s.begun.Add(1) > s.after {
			fmt.Fprintln(os.Stderr, "stalled")
			for ctx.Err() == nil && !exists("go") {
				time.Sleep(5 * time.Millisecond)
			}
			if os.Getenv(stuckVariable) != "" {
				fmt.Fprintln(os.Stderr, "cancelled")
				time.Sleep(patience)
			}
		}
		return do(ctx, i, to)
	}
	return s.Pool.Run(ctx, w)
}

// patience is how long a script waits for what must come.
const patience = 2 * time.Minute

// processes are those that begin started, by the script's folder and their names.
var processes sync.Map

func begunAs(ts *testscript.TestScript, name string) *exec.Cmd {
	p, ok := processes.Load(ts.MkAbs(name))
	if !ok {
		ts.Fatalf("no process %s was begun", name)
	}
	return p.(*exec.Cmd)
}

// begin NAME ARG... starts tattle, which writes to NAME.out and NAME.err.
func begin(ts *testscript.TestScript, _ bool, args []string) {
	cmd := process(ts, args[1:]...)
	stdout, err := os.Create(ts.MkAbs(args[0] + ".out"))
	ts.Check(err)
	defer stdout.Close()
	stderr, err := os.Create(ts.MkAbs(args[0] + ".err"))
	ts.Check(err)
	defer stderr.Close()
	cmd.Stdout, cmd.Stderr = stdout, stderr
	ts.Check(cmd.Start())
	processes.Store(ts.MkAbs(args[0]), cmd)
	ts.Defer(func() {
		if _, running := processes.LoadAndDelete(ts.MkAbs(args[0])); running {
			cmd.Process.Kill()
			cmd.Wait()
		}
	})
}

// sig NAME SIGNAL sends it; KILL also waits for the end.
func sig(ts *testscript.TestScript, _ bool, args []string) {
	p := begunAs(ts, args[0])
	number, ok := map[string]syscall.Signal{"KILL": syscall.SIGKILL, "STOP": syscall.SIGSTOP, "CONT": syscall.SIGCONT, "INT": syscall.SIGINT, "TERM": syscall.SIGTERM}[args[1]]
	if !ok {
		ts.Fatalf("no signal %s", args[1])
	}
	ts.Check(p.Process.Signal(number))
	if number == syscall.SIGKILL {
		p.Wait()
		processes.Delete(ts.MkAbs(args[0]))
	}
}

// ended NAME STATUS waits for a process to end with that status. What it said is left in
// stdout and stderr.
func ended(ts *testscript.TestScript, _ bool, args []string) {
	p := begunAs(ts, args[0])
	late := time.AfterFunc(patience, func() { p.Process.Kill() })
	err := p.Wait()
	processes.Delete(ts.MkAbs(args[0]))
	said := ts.ReadFile(args[0] + ".err")
	if !late.Stop() {
		ts.Fatalf("%s did not end in %v; it said: %s", args[0], patience, said)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		ts.Check(err)
	}
	ts.Stdout().Write([]byte(ts.ReadFile(args[0] + ".out")))
	ts.Stderr().Write([]byte(said))
	if is := strconv.Itoa(p.ProcessState.ExitCode()); is != args[1] {
		ts.Fatalf("%s: status %s, want %s; it said: %s", args[0], is, args[1], said)
	}
}

// await GLOB [N] waits until so many files match, one unless said.
func await(ts *testscript.TestScript, _ bool, args []string) {
	n := 1
	if len(args) > 1 {
		var err error
		n, err = strconv.Atoi(args[1])
		ts.Check(err)
	}
	eventually(ts, args[0], func() bool {
		m, err := filepath.Glob(ts.MkAbs(args[0]))
		ts.Check(err)
		return len(m) >= n
	})
}

// until FILE PATTERN [VARIABLE] waits until a line of a file matches, and puts what the
// first parentheses matched into a variable.
func until(ts *testscript.TestScript, _ bool, args []string) {
	re := regexp.MustCompile("(?m)" + args[1])
	eventually(ts, args[0]+": "+args[1], func() bool {
		b, _ := os.ReadFile(ts.MkAbs(args[0]))
		m := re.FindSubmatch(b)
		if m != nil && len(args) > 2 {
			ts.Setenv(args[2], string(m[1]))
		}
		return m != nil
	})
}

// likewise REPORT REPORT compares two reports in all but how long things took, the command line, the
// digest of the page that shows both (rendered), and the checks of what workers computed.
func likewise(ts *testscript.TestScript, _ bool, args []string) {
	var reports [2]map[string]any
	for i := range reports {
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[i])), &reports[i]))
		for _, key := range []string{"timing", "rendered", "checks", "command"} { // the pages show the timing and the command
			delete(reports[i], key)
		}
	}
	for key, value := range reports[0] {
		if !reflect.DeepEqual(value, reports[1][key]) {
			ts.Fatalf("%s: %v in %s, %v in %s", key, value, args[0], reports[1][key], args[1])
		}
	}
	if len(reports[0]) != len(reports[1]) {
		ts.Fatalf("%s and %s say different things", args[0], args[1])
	}
}

func eventually(ts *testscript.TestScript, what string, there func() bool) {
	for end := time.Now().Add(patience); !there(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			ts.Fatalf("%s: not in %v", what, patience)
		}
	}
}
