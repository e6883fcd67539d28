package cli

import (
	"context"
	"fmt"

	"tattle/guard/pack"
	"tattle/infer"
	"tattle/internal/file"
	"tattle/internal/report"
	"tattle/measure"
	"tattle/nn"
)

type guardCheckCmd struct {
	Release    string `arg:"" help:"Folder that tattle guard pack wrote."`
	Data       string `required:"" help:"Examples, as tattle bound --data reads them." placeholder:"PATH" input:"data"`
	Endpoint   string `help:"Model of the Open Inference Protocol v2 that answers with features without noise (default: this program, as tattle guard serve)." placeholder:"URL"`
	Token      string `env:"TATTLE_TOKEN" help:"Bearer token for --endpoint." placeholder:"TOKEN"`
	Preprocess string `help:"How pictures become inputs: as tattle bound --preprocess." placeholder:"NAME|FILE"`
	Limit      string `help:"Read this many examples only, drawn with seed 1 (default: 256)." default:"256" placeholder:"N"`
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
	set, err := e.opener(ctx, m)(inputFlags{Limit: c.Limit}.of(c.Data, "test", 1))
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
