package cli

import (
	"cmp"
	"errors"
	"fmt"

	"tattle/internal/protect/measure"
	"tattle/internal/protect/release"
)

// sourceFlags say what is measured: a model on data, or vectors with or without one.
type sourceFlags struct {
	Model   string `help:"The model, an ONNX file." placeholder:"FILE" input:"model"`
	Data    string `help:"MNIST, CIFAR-10 or pictures (folder, zip), .npz file, CSV table, or glyphs (generated)." placeholder:"PATH" input:"data"`
	Vectors string `help:"Vectors (.npz, .npy, CSV) in the place of --data, with a model or without one." placeholder:"FILE" input:"file"`
	Split   string `help:"Part of the data: test or train." enum:"test,train" default:"test" more:""`
	readFlags
	useFlags
}

// useFlags say what vectors are used for.
type useFlags struct {
	Columns []string `help:"Columns of --vectors, such as \"e_*\"; in .npz, one array (default: by their names)." placeholder:"COLUMN" more:""`
	Utility string   `help:"What vectors are used for: recall@10 (default for vectors), target@10 or verification@0.1%." placeholder:"TASK"`
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
