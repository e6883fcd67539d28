// Package cli is the command line of tattle: one file per command, which turns
// flags into a request to the packages below and the answer into a report.
package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/alecthomas/kong"

	"tattle/internal/file"
	"tattle/internal/progress"
	"tattle/internal/run"
)

// Exit statuses; see `tattle --help`.
const (
	statusDone       = 0
	statusFinding    = 1
	statusUsage      = 2
	statusUnfinished = 3
	statusUnread     = 141 // as if SIGPIPE had ended the program
)

// Main runs the command line of the process and returns its exit status. The
// first interrupt or SIGTERM stops the work and keeps what is done; a second one
// ends the process at once.
func Main() int {
	ctx, stop := context.WithCancel(context.Background()) // not signal.NotifyContext: its cause names the signal
	defer stop()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	signal.Ignore(syscall.SIGPIPE) // a reader who has left does not keep a run from its end
	go func() {
		<-signals
		signal.Stop(signals)
		stop()
	}()
	return Execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
}

// env is what every command works with.
type env struct {
	stdout  io.Writer
	stderr  io.Writer
	args    []string  // what was asked for, without where it is kept or who computes it: what a report records
	given   []string  // all of the command line
	keeps   bool      // the command can be resumed
	prepare bool      // compute nothing: others do
	files   *file.Dir // changes the files of the run whose folder is open
	pool    run.Pool  // does its work
	bars    progress.Phases
	ctx     context.Context
	stop    context.CancelCauseFunc // ends ctx
}

type commands struct {
	Version kong.VersionFlag `help:"Print the version."`

	Demo      demoCmd      `cmd:"" help:"Try the tool on generated digits, without data: about half a minute."`
	Train     trainCmd     `cmd:"" help:"Train a classifier and write it as ONNX."`
	Model     modelCmd     `cmd:"" help:"Write a built-in net as ONNX, with random parameters or those of an .npz file."`
	Inspect   inspectCmd   `cmd:"" help:"Describe an ONNX file, and list the nodes whose output can be released."`
	Distill   distillCmd   `cmd:"" help:"Train a student on a classifier's outputs, and measure its curiosity."`
	Prune     pruneCmd     `cmd:"" help:"Set the smallest weights of a classifier to zero, and measure its curiosity."`
	Bound     boundCmd     `cmd:"" help:"Measure what features with noise reveal about the inputs."`
	Design    designCmd    `cmd:"" help:"Find the release that keeps a promise at the lowest cost in accuracy."`
	Audit     auditCmd     `cmd:"" help:"Check whether a classifier's outputs reveal a sensitive attribute."`
	Verify    verifyCmd    `cmd:"" help:"Recompute the report of a run, and list what could not be checked."`
	Guard     guardCmd     `cmd:"" help:"Deploy a release: pack it with its certificate, and serve it with the noise that was certified."`
	Serve     serveCmd     `cmd:"" help:"Serve models by the Open Inference Protocol, for audits."`
	Reproduce reproduceCmd `cmd:"" help:"Compute a figure or table of the papers, and print the published numbers beside it."`
	Data      dataCmd      `cmd:"" help:"Download a public data set, describe one, or draw faces."`
	Worker    workerCmd    `cmd:"" help:"Help to compute a run in a shared folder."`
	Runs      runsCmd      `cmd:"" help:"List runs with their state and failed shards."`

	Config     configCmd     `cmd:"" help:"Print the flags that tattle.toml adds to commands."`
	Completion completionCmd `cmd:"" help:"Print a completion script for a shell."`
	Man        manCmd        `cmd:"" help:"Print the manual page."`
	BuildInfo  versionCmd    `cmd:"" name:"version" help:"Print the version and how the program was built."`
}

const description = `Measures what a machine-learned model gives away about its inputs.

Exit status: 0 done, 1 a finding (verify: a value does not hold; design: no release meets the target; audit: a rule of --fail-on is broken), 2 wrong usage, 3 could not finish (audit: or inconclusive).`

// exit is how kong's own exits (--help) come back out of its parser.
type exit int

// debugFlag, anywhere on a command line, prints the trace of a bug.
const debugFlag = "--debug"

// reportBug is the hint beside a bug.
const reportBug = "report it to the project's issues, with the command line and what it prints with " + debugFlag

// Execute runs one command line. It returns the exit status and never panics
// for anything a user can type or feed it.
func Execute(ctx context.Context, args []string, stdout, stderr io.Writer) (status int) {
	stdout, stderr = &file.Screen{W: stdout}, &file.Screen{W: stderr}
	trace := slices.Contains(args, debugFlag)
	args = slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == debugFlag })
	defer func() {
		switch e := recover().(type) {
		case nil:
		case exit:
			status = int(e)
		default:
			status = fail(stderr, hinted(fmt.Errorf("a bug in tattle: %v", e), reportBug))
			if trace {
				stderr.Write(debug.Stack())
			}
		}
	}()
	args, err := withProject(args, stderr)
	if err != nil {
		return fail(stderr, err)
	}
	k, err := parse(args, stdout, stderr)
	if err != nil {
		return fail(stderr, err)
	}
	if err := checkDestinations(k); err != nil {
		return fail(stderr, err)
	}
	e := newEnv(ctx, k, args, stdout, stderr)
	if err := runParsed(k, e); err != nil {
		return fail(stderr, err)
	}
	return statusDone
}

// runParsed runs the command that was parsed.
func runParsed(k *kong.Context, e *env) error {
	defer e.stop(nil)
	defer e.bars.Close()
	k.BindTo(e.ctx, (*context.Context)(nil))
	return worded(k.Run(e))
}

// parse reads a command line.
func parse(args []string, stdout, stderr io.Writer) (*kong.Context, error) {
	args, all := helpAsked(joined(args))
	k, err := parserOf(all, stdout, stderr).Parse(args)
	if err != nil {
		return nil, inWords(err, args)
	}
	return k, checkValues(k)
}

// goneNames are errors about commands and flags that are gone, with what takes their place.
var goneNames = map[string]string{
	`data: expected "<name>"`:           "tattle data info lists the sets",
	`data: <name> must be one of "utk`:  "only faces in UTKFace's format are drawn: tattle data make utkface",
	"design: unknown flag --projection": "design chooses projections itself: choose with --methods",
	"design: unknown flag --draws":      "the number of draws behind a promise is set with --list-draws",
	"prune: unknown flag --global":      "the smallest weights of each layer are pruned, as in paper B: leave the flag out",
	"serve: unexpected argument":        "--model FILE names a model; tattle runs --index DIR writes a page that lists the reports in a folder",
	"[<experiment>] must be one of":     "tattle reproduce --list names them; make detection runs the study of audits",
	"unknown flag --split":              "the part of the data is given with --part",
	"audit: unknown flag --examples":    "how many examples are read is given with --limit",
	"train: unknown flag --examples":    "how many examples are read is given with --limit",
	"train: unknown flag --attack":      "the kind of training is given with --curious, such as --curious regularized",
	"train: unknown flag --noise":       "the strength of the noise is given with --sigma-scale, as in tattle bound",
	"train: unknown flag --outputs":     "what is released is given with --outputs-kind, raw or soft, as in tattle audit",
	"model: unknown flag --out":         "the file is named with -o",
	"guard: unknown flag -o":            "the folder is named with --out",
}

// versionLine names the version and the processor.
func versionLine() string {
	p := run.Current()
	return fmt.Sprintf("tattle %s (%s, %s)", p.Version, runtime.Version(), p.Kernels)
}

// parserOf returns the parser of all commands; all is that of helpPrinter.
func parserOf(all bool, stdout, stderr io.Writer) *kong.Kong {
	parser, err := kong.New(new(commands),
		kong.Name("tattle"),
		kong.Description(description),
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { panic(exit(code)) }),
		kong.Help(helpPrinter(all)),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.Vars{"version": versionLine()},
	)
	if err != nil {
		panic(err) // the grammar above is wrong: a bug, found by TestHelp
	}
	return parser
}
