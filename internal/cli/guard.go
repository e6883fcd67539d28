package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/file"
	"tattle/internal/guard/ledger"
	"tattle/internal/guard/pack"
	guardserver "tattle/internal/guard/server"
	"tattle/internal/infer"
	"tattle/internal/listen"
	"tattle/internal/protect/measure"
	"tattle/internal/report"
	"tattle/internal/verify"
)

type guardCmd struct {
	Pack   guardPackCmd   `cmd:"" help:"Write the release of a run, with its certificate, as a folder that can be deployed."`
	Verify guardVerifyCmd `cmd:"" help:"Check that the files of a packed release agree, and with --run that they follow from the run."`
	Check  guardCheckCmd  `cmd:"" help:"Measure on examples how far the features of a runtime lie from those that the certificate allows for."`
	Serve  guardServeCmd  `cmd:"" help:"Serve a packed release: inputs in, features with the certified noise out, within a budget for each subject."`
}

// movedFlags name inputs of a run that have moved.
type movedFlags struct {
	Model string `help:"Path of the run's model, if it has moved." placeholder:"FILE"`
	Data  string `help:"Path of the run's data, if they have moved." placeholder:"PATH"`
	memoryFlag
}

// budgetFlags limit what a subject releases.
type budgetFlags struct {
	Releases int           `help:"Budget of each subject: releases of different inputs, at most --queries of the run (default: --queries of the run)." placeholder:"N" range:"[1,)"`
	Period   time.Duration `help:"Give each subject a new budget in each period, such as 24h (default: 0, one budget that is never renewed)." placeholder:"DURATION" range:"[0,)"`
}

type guardPackCmd struct {
	Run_ string `arg:"" name:"run" help:"Folder of a run of tattle bound or design with --noise lattice."`
	Out  string `help:"Folder to write (default: release)." default:"release" placeholder:"DIR" writes:"folder"`
	budgetFlags
	movedFlags
}

func (guardPackCmd) Help() string {
	return `Example: tattle guard pack tattle-bound --out release

Verifies the run first, as tattle verify does, and refuses a run that does not hold. The noise of the run must be on a lattice (--noise lattice): only then are the figures for the integers that a guard releases.

The folder has front.onnx (inputs and noise to integers), head.onnx, guard.toml (lattice, noise, budget, digests), CERTIFICATE.json and .html, and short programs that add the noise in Python and Go.`
}

func (c *guardPackCmd) Run(ctx context.Context, e *env) error {
	if c.Period%time.Second != 0 {
		return usage(fmt.Errorf("--period %v: must be a whole number of seconds", c.Period), "write it as 24h, or leave it out for a budget without an end")
	}
	if err := (output{Out: c.Out}).spare(false); err != nil {
		return err
	}
	p, err := c.verified(ctx, e, c.Run_, ledger.Budget{Releases: c.Releases, Period: c.Period})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.Out, 0o777); err != nil {
		return hinted(fmt.Errorf("--out: %w", err), "choose a folder that can be written with --out")
	}
	if err := p.Write(c.Out); err != nil {
		return hinted(err, "choose a folder that can be written with --out")
	}
	l := p.Lattice()
	return e.print("packed: %s\nlattice Δ = %v, σ = %.4g, clip %v, %d features; budget of a subject: %s; drift allowance δ = %.4g\n\nopen %s\ntattle guard serve %s\n",
		file.Name(c.Out), l.Delta, l.Sigma, l.Clip, l.Dim, p.Certificate.BudgetInWords(), p.Certificate.Drift, file.Quote(filepath.Join(c.Out, pack.CertificatePageFile)), file.Quote(c.Out))
}

// verified verifies a run and returns its pack. A budget of 0 releases is the run's queries.
func (f movedFlags) verified(ctx context.Context, e *env, dir string, budget ledger.Budget) (*pack.Pack, error) {
	dir, err := finishedRun(dir, "give the folder of a finished run of tattle bound or design with --noise lattice")
	if err != nil {
		return nil, err
	}
	o := verify.Options{Model: f.Model, Data: f.Data, Memory: f.bytes(), Progress: e.bars.Set, Warn: e.warn}
	p, found, err := pack.OfRun(ctx, dir, o, budget)
	if err == nil && len(found) > 0 {
		err = differences(e, found)
	}
	return p, err
}

type guardVerifyCmd struct {
	Release string `arg:"" help:"Folder that tattle guard pack wrote."`
	Run_    string `name:"run" help:"Folder of the run: also verify it, and compare the release and every sentence of the certificate with it." placeholder:"DIR"`
	movedFlags
}

func (guardVerifyCmd) Help() string {
	return `Example: tattle guard verify release --run tattle-bound

Computes all digests, reads the models, writes all files again from the certificate and the models, and compares the bytes. With --run, it recomputes every certificate of the run, as tattle verify does, makes the pack again from the run, and compares the bytes. Without --run, an edit that changes all files together is not found.

Exit status: 0 if all agrees, 1 if something does not.`
}

func (c *guardVerifyCmd) Run(ctx context.Context, e *env) error {
	p, err := openPack(c.Release)
	if err != nil {
		return err
	}
	if c.Run_ == "" {
		if c.Model+c.Data != "" {
			return usage(errors.New("--model and --data require --run"), "")
		}
		return packVerified(e, c.Release, "", "the figures of the certificate (name the run with --run)")
	}
	again, err := c.verified(ctx, e, c.Run_, p.Certificate.Budget)
	if err != nil {
		return err
	}
	if err := again.Same(c.Release); err != nil {
		return finding(err, "name the run that was packed with --run")
	}
	return packVerified(e, c.Release, ", and "+file.Name(c.Run_)+" gives them; tattle verify lists what of the run cannot be checked")
}

// packVerified prints that the files of a pack agree, and what was not checked: left, and all else that
// the folder holds.
func packVerified(e *env, dir, more string, left ...string) error {
	others, err := pack.Others(dir)
	if err != nil {
		return err
	}
	for _, name := range others {
		left = append(left, file.Name(name)+", which is no file of the release")
	}
	said := "verified: all files of " + file.Name(dir) + " agree" + more + "\n"
	if len(left) > 0 {
		said += "not checked:\n  " + strings.Join(left, "\n  ") + "\n"
	}
	return e.print("%s", said)
}

// openPack opens a pack and checks it.
func openPack(dir string) (*pack.Pack, error) {
	if _, err := os.Stat(filepath.Join(dir, pack.SettingsFile)); err != nil {
		return nil, usage(err, "give a folder that tattle guard pack wrote")
	}
	p, err := pack.Open(dir)
	var wrong *pack.MismatchError
	if errors.As(err, &wrong) {
		return nil, finding(err, "pack the run again with tattle guard pack")
	}
	return p, err
}

type guardServeCmd struct {
	Release       string `arg:"" help:"Folder that tattle guard pack wrote."`
	Ledger        string `help:"Folder that counts and keeps the releases of each subject; do not delete it (default: the release's folder with -ledger; a link has its own)." placeholder:"DIR"`
	Upstream      string `help:"Send the noisy features to this model, and answer with its outputs (default: answer with the features)." placeholder:"URL"`
	Repeats       bool   `help:"Answer stored inputs without budget; then any client can find out which inputs a subject had before."`
	UpstreamToken string `env:"TATTLE_UPSTREAM_TOKEN" help:"Bearer token for --upstream." placeholder:"TOKEN"`
	listenFlags
}

func (guardServeCmd) Help() string {
	return `Example: tattle guard serve release

Example: tattle guard serve release --listen 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem --upstream http://127.0.0.1:8000/v2/models/head

Speaks the Open Inference Protocol v2 (REST) as the model "guard". A request names its subject in the header X-Tattle-Subject or the parameter "subject". Each input of a request uses one release of the subject's budget; the debit is on disk before the answer leaves. The same input of a subject always gets the same release, and counts again. Without budget the answer to every request has status 429.

Without --upstream the outputs are "features" (FP32) and "release" (INT64, the integers). /v2/health/ready reports the state, and /metrics (Prometheus) counts requests, with noise. Ctrl-C ends it. Whoever deletes the ledger gives every subject a new budget.`
}

func (c *guardServeCmd) Run(ctx context.Context, e *env) error {
	if err := c.listenFlags.check(); err != nil {
		return err
	}
	if c.Upstream == "" && c.UpstreamToken != "" {
		return usage(errors.New("--upstream-token requires --upstream"), "")
	}
	p, err := openPack(c.Release)
	if err != nil {
		return err
	}
	o := guardserver.Options{Front: p.Front, Inputs: p.Certificate.Inputs, Lattice: p.Lattice()}
	if o.Mechanism, err = p.Mechanism(); err != nil {
		return err
	}
	if c.Upstream != "" {
		if o.Upstream, err = infer.New(c.Upstream, infer.Options{Token: c.UpstreamToken, Shape: p.Head.InputShape}); err != nil {
			return usage(fmt.Errorf("--upstream: %w", err), "write it as http://127.0.0.1:8000/v2/models/NAME")
		}
	}
	if c.Ledger == "" {
		dir, err := filepath.Abs(c.Release) // the same for release and, within it, for .
		if err != nil {
			return err
		}
		c.Ledger = dir + "-ledger"
	}
	if o.Ledger, err = ledger.Open(c.Ledger, ledger.Options{Budget: p.Certificate.Budget, FreeRepeats: c.Repeats}); err != nil {
		err = fmt.Errorf("--ledger %s: %w", file.Name(c.Ledger), err)
		if errors.Is(err, ledger.ErrInUse) {
			return hinted(err, "one process at a time can use a ledger")
		}
		return err
	}
	defer o.Ledger.Close()
	var s *guardserver.Server
	defer func() {
		if s != nil {
			s.Close()
		}
	}()
	return c.serve(ctx, e, func(at listen.Site) (h http.Handler, said string, err error) {
		o.Token = at.Token
		if s, err = guardserver.New(o); err != nil {
			return nil, "", err
		}
		said = fmt.Sprintf("%s\nbudget of a subject: %s; ledger: %s\n", at.URL("/v2/models/"+guardserver.DefaultName), p.Certificate.BudgetInWords(), file.Name(c.Ledger))
		return s.Handler(), said, nil
	})
}

type guardCheckCmd struct {
	Release    string `arg:"" help:"Folder that tattle guard pack wrote."`
	Data       string `required:"" help:"Examples, as tattle bound --data reads them." placeholder:"PATH" input:"data"`
	Endpoint   string `help:"Model of the Open Inference Protocol v2 that answers with features without noise (default: this program, as tattle guard serve)." placeholder:"URL"`
	Token      string `env:"TATTLE_TOKEN" help:"Bearer token for --endpoint." placeholder:"TOKEN"`
	Preprocess string `help:"How pictures become inputs: as tattle bound --preprocess." placeholder:"NAME|FILE"`
	partFlags  `kong:"set='parts=test,train',set='part=test',set='about_part=test or train (default: test)',set='listed=measured',set='limit=256'"`
}

func (guardCheckCmd) Help() string {
	return `Example: tattle guard check release --data mnist --endpoint http://127.0.0.1:8000/v2/models/features

Compares the features of another runtime, before clip, rounding and noise, with those of float64 arithmetic. The certificate allows each feature an error of δ. The check is for these examples only: it cannot prove that other inputs stay within δ. Do not leave an endpoint without noise where others can reach it.

Exit status: 0 if no feature differs by more than δ, 1 if one does.`
}

func (c *guardCheckCmd) Run(ctx context.Context, e *env) error {
	p, err := openPack(c.Release)
	if err != nil {
		return err
	}
	options := measure.ModelOptions{Preprocess: c.Preprocess}
	m, err := measure.ModelOf(p.Front, options)
	if err != nil {
		return err
	}
	c.Limit = cmp.Or(c.Limit, dataset.Limit{Most: checkedExamples})
	set, err := e.opener(ctx, m)(inputFlags{}.of(c.Data, c.partFlags, 1))
	if err != nil {
		return err
	}
	drift, err := c.drift(ctx, p, set)
	if err != nil {
		return err
	}
	allowance := p.Certificate.Drift
	if !(drift <= allowance) {
		return finding(fmt.Errorf("drift: a feature differs by %.3g, and the certificate allows δ = %.3g", drift, allowance),
			"use another runtime or precision, or measure the release again with tattle bound --runtime-error X")
	}
	return e.print("within the allowance: features of %s differ by at most %.3g, and the certificate allows δ = %.3g\n", report.Many(set.Len(), "example"), drift, allowance)
}

// checkedExamples is how many examples are read by default.
const checkedExamples = 256

// driftBatch is the number of examples of one request.
const driftBatch = 16

// drift returns the largest difference between a feature of the runtime and that of float64
// arithmetic; NaN if one is not a number.
func (c *guardCheckCmd) drift(ctx context.Context, p *pack.Pack, data nn.Source) (float64, error) {
	front, err := infer.NewModel(pack.FrontFile, p.Front)
	if err != nil {
		return 0, err
	}
	in, n := nn.Size(p.Front.InputShape), p.Lattice().Dim
	answer := front.Forward
	if c.Endpoint != "" {
		client, err := infer.New(c.Endpoint, infer.Options{Token: c.Token, Shape: p.Front.InputShape})
		if err != nil {
			return 0, usage(fmt.Errorf("--endpoint: %w", err), "write it as http://127.0.0.1:8000/v2/models/NAME")
		}
		answer = func(ctx context.Context, x []float32) ([]float32, error) {
			y, _, err := client.Infer(ctx, x, len(x)/in)
			return y, err
		}
	}
	largest := 0.
	for first := 0; first < data.Len(); first += driftBatch {
		indices := make([]int, min(driftBatch, data.Len()-first))
		for i := range indices {
			indices[i] = first + i
		}
		x := make([]float32, len(indices)*in)
		data.Examples(x, indices)
		y, err := answer(ctx, x)
		if err != nil {
			return 0, hinted(err, "")
		}
		if len(y) != len(indices)*n {
			return 0, usage(fmt.Errorf("%s answers with %d numbers for %s, and %s has %d features", file.Line(c.Endpoint), len(y), report.Many(len(indices), "input"), pack.FrontFile, n), "serve the features of front.onnx without noise")
		}
		off, err := front.Error(ctx, x, y)
		if err != nil {
			return 0, err
		}
		largest = max(largest, off) // NaN stays
	}
	return largest, ctx.Err()
}
