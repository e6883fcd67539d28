package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/file"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/measure"
	"tattle/internal/protect/release"
)

// absolute makes a path good from any folder; the generated data have none.
func absolute(path string) string { return measure.Absolute(path) }

// partFlags say which part of the data is read, and how many of its examples. Tags at the places where they are used set the parts.
type partFlags struct {
	Part string `help:"Part of the data: ${about_part}." enum:"${parts}" default:"${part}" placeholder:"PART" more:""`
	limitFlag
}

// limitFlag says how many examples of the data are read.
type limitFlag struct {
	Limit dataset.Limit `help:"Read at most N examples of each part, drawn by the seed. An .npy file of indices lists those of the ${listed} part; N,FILE does both (default: ${limit})." placeholder:"N|FILE|N,FILE" input:"file" more:""`
}

// limit is the flag's value with a path that is good from any folder.
func (f limitFlag) limit() dataset.Limit {
	if f.Limit.Indices != "" {
		f.Limit.Indices = absolute(f.Limit.Indices)
	}
	return f.Limit
}

// inputFlags say how the labels of the data are found.
type inputFlags struct {
	Labels    string   `help:"CSV with the labels; QMNIST's folder (default: found)." placeholder:"FILE" input:"file"`
	Target    string   `help:"Column of the labels that the model answers (default: the only column)." placeholder:"COLUMN"`
	Sensitive []string `sep:"none" help:"Sensitive attributes: columns or rules, as 'age: <30; >=30' (default: the data's)." placeholder:"RULE"`
	groupFlag
	skipFlag
}

// groupFlag names the column that identifies the person of each row.
type groupFlag struct {
	Group string `help:"Column that identifies the person of each row." placeholder:"COLUMN"`
}

// skipFlag forgives lists and pictures that do not match.
type skipFlag struct {
	SkipMissing bool `help:"Leave out rows of the list without a picture and pictures without a row, and count them." more:""`
}

// of returns the examples of the data at the path that the flags name. Paths among the flags
// become good from any folder.
func (f inputFlags) of(path string, read partFlags, seed uint64) measure.Inputs {
	in := measure.Inputs{Path: path, Part: read.Part, Labels: f.Labels, Target: f.Target, Sensitive: f.Sensitive, Group: f.Group, Limit: read.limit(), SkipMissing: f.SkipMissing, Seed: seed}
	if f.Labels != "" {
		in.Labels = absolute(f.Labels)
	}
	return in
}

// openInputs opens data as the inputs of a model. The notes say how model and data were read.
func openInputs(ctx context.Context, e *env, in measure.Inputs, m *measure.Model) (*dataset.Set, []string, error) {
	set, notes, err := in.Open(ctx, m, e.bars.Begin("reading the data"))
	return set, append(m.Notes(), notes...), err
}

// opener returns what opens data as the inputs of a model.
func (e *env) opener(ctx context.Context, m *measure.Model) opener {
	return func(in measure.Inputs) (*dataset.Set, error) {
		set, _, err := openInputs(ctx, e, in, m)
		return set, err
	}
}

// glyphsName is the generated data, in place of a folder.
const glyphsName = "glyphs"

// openAlone opens data of digits or the like by themselves, whatever the model.
func openAlone(in measure.Inputs) (*dataset.Set, error) {
	o := dataset.Options{Kind: dataset.KindMNIST, Part: dataset.Split(in.Part), Limit: in.Limit, Seed: in.Seed}
	if in.Path == glyphsName {
		o.Kind = dataset.KindGlyphs
	}
	set, _, err := dataset.OpenInputs(context.Background(), in.Path, o)
	return set, measure.WrongData(context.Background(), "Data", err)
}

// readFlags say what a model's file leaves open, and what its inputs are.
type readFlags struct {
	InputShape  string `help:"Shape of one input, without the batch, if the file leaves it open." placeholder:"3x224x224" more:""`
	ModelOutput string `help:"Which output of the model, if it has several." placeholder:"NAME" more:""`
	Preprocess  string `help:"TOML file, preset, or settings (default: MODEL.preprocess.toml)." placeholder:"SPEC|FILE" input:"file"`
}

// memoryFlag bounds what a run takes.
type memoryFlag struct {
	Memory byteSize `help:"Memory for data that grow with the number of examples and vectors, such as 4GiB or 500M (default: 4GiB)." placeholder:"SIZE" more:""`
}

// A byteSize is a number of bytes as a flag gives it: 4GiB, 500M, 1e9.
type byteSize int64

// leastMemory is less than any run takes.
const leastMemory = 1 << 20

// UnmarshalText reads a number with k, M, G, T (thousands) or Ki, Mi, Gi, Ti, with or
// without a B behind it.
func (b *byteSize) UnmarshalText(text []byte) error {
	digits := strings.TrimSpace(string(text))
	digits = strings.TrimSuffix(strings.TrimSuffix(digits, "B"), "b")
	base := 1000.
	if s, ok := strings.CutSuffix(digits, "i"); ok {
		digits, base = s, 1024
	}
	unit := 1.
	if n := len(digits); n > 0 {
		if i := strings.IndexByte("KMGT", digits[n-1]&^0x20); i >= 0 {
			digits = digits[:n-1]
			for range i + 1 {
				unit *= base
			}
		}
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	switch {
	case err != nil || base == 1024 && unit == 1:
		return fmt.Errorf("%q is not a number of bytes: write it as 4GiB or 500M", text)
	case v == 0:
		*b = 0
	case !(v*unit >= leastMemory && v*unit < 1<<62):
		return fmt.Errorf("%s is not between 1 MiB and what there is", text)
	default:
		*b = byteSize(v * unit)
	}
	return nil
}

// bytes is the budget, the default where none is given.
func (f memoryFlag) bytes() int64 {
	if f.Memory == 0 {
		return bound.DefaultMemory
	}
	return int64(f.Memory)
}

// collect lets garbage be collected where memory would exceed nine tenths of the budget, or GOMEMLIMIT, until undo is called. A
// budget below twice what there is now would slow the run down, and does not count.
func (f memoryFlag) collect() (undo func()) {
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	before := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(before, max(f.bytes()/10*9, int64(2*now.HeapAlloc))))
	return func() { debug.SetMemoryLimit(before) }
}

// open reads the model at the path.
func (f readFlags) open(path string) (*measure.Model, error) {
	return measure.OpenModel(path, measure.ModelOptions(f))
}

// differentiable returns an error if a part of the model has a node without a Jacobian.
func differentiable(m *measure.Model, part *nn.Graph) error {
	if err := bound.Differentiable(part); err != nil {
		return fmt.Errorf("--model %s: %w", file.Name(m.Path), err)
	}
	return nil
}

// sourceFlags say what is measured: a model on data, or vectors with or without one.
type sourceFlags struct {
	Model     string `help:"The model, an ONNX file." placeholder:"FILE" input:"model"`
	Data      string `help:"MNIST, CIFAR-10 or pictures (folder, zip), .npz file, CSV table, or glyphs (generated)." placeholder:"PATH" input:"data"`
	Vectors   string `help:"Vectors (.npz, .npy, CSV) in the place of --data, with a model or without one." placeholder:"FILE" input:"file"`
	partFlags `kong:"set='parts=test,train',set='part=test',set='about_part=test or train (default: test)',set='listed=measured',set='limit=all; bound of large models: fewer'"`
	readFlags
	useFlags
}

// useFlags say what vectors are used for.
type useFlags struct {
	Columns []string `help:"Columns of --vectors, such as \"e_*\"; in .npz, one array (default: by their names)." placeholder:"COLUMN" more:""`
	Utility string   `help:"Use of vectors: recall@10 (default for vectors), target@10, probe or verification@0.1%." placeholder:"TASK"`
	Metric  string   `help:"How near vectors are: cosine or euclidean (default: cosine)." enum:"cosine,euclidean" default:"cosine" more:""`
	NoiseAt string   `help:"Where noise is added: query, database or both (default: query)." enum:"query,database,both" default:"query" more:""`
	Views   string   `help:"Other views of the same examples, which are looked up: a file, or mirror for pictures." placeholder:"FILE|mirror" more:""`
}

// open checks the flags that say what is measured, and reads the model. The path is that of the examples.
func (f sourceFlags) open() (m *measure.Model, path string, use *release.Use, err error) {
	if err := cmp.Or(
		refused(f.Data != "" && f.Vectors != "", "", "--data and --vectors are mutually exclusive"),
		refused(f.Data == "" && f.Vectors == "", "give a model and --data, or --vectors alone", "nothing says what is measured"),
		requires(f.Data != "" && f.Model == "", "--data", "--model"),
		requires(f.Vectors == "" && len(f.Columns) > 0, "--columns", "--vectors"),
		refused(f.Vectors != "" && f.Preprocess != "", "", "--preprocess is about pictures: vectors are taken as they are"),
	); err != nil {
		return nil, "", nil, err
	}
	if use, err = f.use(f.Model == ""); err != nil {
		return nil, "", nil, err
	}
	path = cmp.Or(f.Data, f.Vectors)
	if f.Model == "" {
		return measure.NoModel(0), path, use, nil
	}
	m, err = f.readFlags.open(f.Model)
	return m, path, use, err
}

// use returns what vectors are used for; nil for the scores of a classifier.
func (f useFlags) use(vectors bool) (*release.Use, error) {
	if f.Utility == "" && vectors {
		f.Utility = release.DefaultUse
	}
	if f.Utility == "" {
		given := ""
		switch {
		case f.Metric != release.MetricCosine:
			given = "--metric"
		case f.NoiseAt != release.NoiseQuery:
			given = "--noise-at"
		case f.Views != "":
			given = "--views"
		}
		return nil, requires(given != "", given, "--utility")
	}
	u := &release.Use{Task: f.Utility, Metric: f.Metric, Noise: f.NoiseAt, Views: f.Views}
	if u.Views != "" && u.Views != release.ViewsMirror {
		u.Views = absolute(u.Views)
	}
	if err := u.Check(); err != nil {
		return nil, usage(fmt.Errorf("--utility %w", err), "")
	}
	if u.ByTarget() && u.Views != "" {
		return nil, usage(errors.New("--views are the same examples: a target is not looked up among them"), "leave --views out, or use recall or verification")
	}
	return u, nil
}
