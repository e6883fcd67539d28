package cli

import (
	"context"
	"fmt"
	"math"
	"path/filepath"

	"tattle/bound"
	"tattle/measure"
	"tattle/nn"
	"tattle/report"
	"tattle/stat"
)

// A figure is one of paper A's experiments: one net, one data set, and runs by size of
// the perturbations.
type figure struct {
	title    string
	net      string // of builtIns: what it is about; trained unless --model is given, where recipes has it
	data     string // what --data is to be
	examples string // by default
	scale    float64
	runs     []figureRun
	upsample bool // pictures are made 91×91, and enlarged inside the model
	pictures bool // of the first reconstructions, as files

	clean, dithered float64 // accuracies that A prints
}

// A figureRun is Algorithm 1 with so many repeats of LSQR.
type figureRun struct {
	sizes   []float64
	repeats int
}

var (
	runsMNIST    = []figureRun{{[]float64{1. / 200, 1. / 1000}, bound.DefaultRepeats}}
	runsCIFAR    = []figureRun{{[]float64{1. / 500}, 6}, {[]float64{1. / 1000}, 4}}
	runsImageNet = []figureRun{{[]float64{1. / 500, 1. / 1000}, bound.DefaultRepeats}}
)

const (
	dataMNIST    = "the folder of MNIST's idx files"
	dataCIFAR    = "the folder of CIFAR-10's binary batches"
	dataImageNet = "a folder or zip of ImageNet's validation pictures"
)

// figuresOfA are those of section 3, and the ladder beside them. The scales of the noise
// are not printed; with A's nets they lead to the accuracies that are.
var figuresOfA = map[string]figure{
	"figure1": {title: "Figure 1: the bounds over MNIST's test set",
		net: "mnist", data: dataMNIST, examples: "all", scale: 1, runs: runsMNIST, clean: .979, dithered: .951},
	"figure2": {title: "Figure 2: the best unbiased reconstructions of MNIST's digits",
		net: "mnist", data: dataMNIST, examples: "3", scale: 1, runs: runsMNIST, pictures: true, clean: .979, dithered: .951},
	"figure3": {title: "Figure 3: the bounds over CIFAR-10's test set",
		net: "cifar10", data: dataCIFAR, examples: "2500", scale: 5, runs: runsCIFAR, clean: .70, dithered: .50},
	"figure4": {title: "Figure 4: the best unbiased reconstructions of CIFAR-10's pictures",
		net: "cifar10", data: dataCIFAR, examples: "3", scale: 5, runs: runsCIFAR, pictures: true, clean: .70, dithered: .50},
	"figure5": {title: "Figure 5: the bounds over ImageNet's validation set, ResNet-18",
		net: "resnet18", data: dataImageNet, examples: "128", scale: 2, runs: runsImageNet, upsample: true, clean: .57, dithered: .54},
	"figure6": {title: "Figure 6: the bounds over ImageNet's validation set, Swin-T",
		net: "swin-t", data: dataImageNet, examples: "128", scale: 3, runs: runsImageNet, upsample: true, clean: .64, dithered: .54},
	ladderName: {net: "mnist", data: dataMNIST, examples: "100", scale: 1, runs: runsMNIST},
}

const ladderName = "ladder"

// smallPictures is how A's inputs of ResNet-18 and Swin-T are made.
const smallPictures = "imagenet-91"

// peaks are those that A's histograms can be read to have.
func (f figure) peaks() []peakOf {
	if f.net == "mnist" {
		return publishedPeaks
	}
	return nil
}

// trained says whether the net is trained where none is given.
func (f figure) trained() bool { return recipes[f.net].net != "" }

// check refuses flags that do not go together.
func (c *reproduceCmd) checkFigure(f figure) error {
	switch {
	case c.Data == "":
		hint := ""
		if f.trained() {
			hint = "tattle data get " + f.net + " fetches it"
		}
		return usage(fmt.Errorf("reproduce %s needs --data, %s", c.Experiment, f.data), hint)
	case c.Model == "" && !f.trained():
		return usage(fmt.Errorf("reproduce %s needs --model, a trained %s as ONNX", c.Experiment, f.net),
			"docs/models.md exports torchvision's, or: tattle model "+f.net+" --weights FILE.npz")
	case c.Model == "" && c.readFlags != readFlags{}:
		return usage(fmt.Errorf("--input-shape, --model-output and --preprocess are about a model, and reproduce %s trains its own", c.Experiment), "name one with --model")
	case c.Published < 0:
		return usage(fmt.Errorf("--published: %d is negative", c.Published), "")
	case c.Restarts < 0 || c.Restarts > math.MaxInt16:
		return usage(fmt.Errorf("--restarts: %d is not between 1 and %d", c.Restarts, math.MaxInt16), "")
	}
	return nil
}

// start opens what the figure is about: of a given model, its inputs.
func (c *reproduceCmd) start(ctx context.Context, e *env, f figure) (*measurement, error) {
	m := &measurement{
		Request: measure.Request{Release: measure.Release{Family: "gaussian", Scale: f.scale}, Seed: c.Seed, Memory: c.bytes()},
		source:  source{dataPath: absolute(c.Data), split: "test"},
		title:   f.title, resume: c.Resume, bar: c.Experiment,
	}
	m.Spec.Node = c.Features
	examples := c.Examples
	if examples == "" {
		examples = f.examples
	}
	in := inputs{inputFlags{Labels: c.Labels, Target: c.Target}.settled(), c.Data, "test", c.Seed}
	if f.upsample { // these alone are read, as A does
		in.Limit, examples = examples, "all"
		in.inputFlags = in.settled()
	}
	if err := c.open(ctx, e, m, f, in); err != nil {
		return nil, err
	}
	var err error
	if m.Indices, err = chooseExamples(examples, m.Data.Len(), c.Seed); err != nil {
		return nil, err
	}
	m.Experiment = bound.Experiment{Coordinates: bound.DCT(m.Data.Shape),
		Settings: bound.Settings{Band: measure.LowBand(m.Data.Shape), Search: bound.SearchOptions{Seed: c.Seed, Restarts: c.Restarts}},
	}
	m.Experiment.Sizes, m.Experiment.Search.Repeats = f.runs[0].sizes, f.runs[0].repeats
	return m, nil
}

// open reads the data, and the model before them where one is given: it says what they
// are to be.
func (c *reproduceCmd) open(ctx context.Context, e *env, m *measurement, f figure, in inputs) (err error) {
	if c.Model == "" {
		m.Data, err = openData(c.Data, in.split, c.Seed)
		return err
	}
	read := c.readFlags
	if f.upsample && read.Preprocess == "" {
		read.Preprocess = smallPictures
	}
	if m.read, err = read.open(c.Model); err != nil {
		return err
	}
	m.Graph, m.modelHash, m.modelPath = m.read.graph, m.read.hash, absolute(c.Model)
	m.inputs = in.inputFlags
	if f.upsample && m.Spec.Node == "" {
		m.Spec.Node = beforePool(m.Graph)
	}
	m.Data, err = openInputs(ctx, e, in, m.read)
	return err
}

// beforePool names the node whose output is averaged over the pixels before the last
// affine layer: A's features of ResNet-18 and Swin-T. It is empty where there is none.
func beforePool(g *nn.Graph) string {
	name, err := g.FeatureNode()
	for n := g.Node(name); err == nil && n != nil && len(n.Inputs) == 1; n = g.Node(n.Inputs[0]) {
		switch op := n.Op.(type) {
		case *nn.Flatten, *nn.Reshape, *nn.Identity, *nn.Dropout:
			continue
		case *nn.Reduce:
			if op.Function != "Mean" {
				return ""
			}
		case *nn.GlobalAveragePool, *nn.AveragePool:
		default:
			return ""
		}
		if from := g.Node(n.Inputs[0]); from != nil {
			return from.Name
		}
		return ""
	}
	return ""
}

// furtherRuns are what the first run of a figure leaves: other sizes, with other repeats.
func furtherRuns(m *measurement, f figure) (all []*measurement) {
	for _, of := range f.runs[1:] {
		p := m.within(bound.SizeName(of.sizes[0]))
		p.Experiment.Sizes, p.Experiment.Search.Repeats = of.sizes, of.repeats
		all = append(all, p)
	}
	return all
}

// further makes the reports of the further runs.
func (c *reproduceCmd) further(ctx context.Context, e *env, f figure, runs []*bounded) (all []*bound.Result, err error) {
	for _, b := range runs {
		done, err := b.conclude(ctx, e)
		if err != nil {
			return nil, err
		}
		if f.pictures {
			if err := done.report.SavePictures(b.dir); err != nil {
				return nil, err
			}
		}
		if err := done.report.Save(b.dir); err != nil {
			return nil, err
		}
		all = append(all, done.result)
	}
	return all, nil
}

// openFurther says where the reports of the further runs are.
func openFurther(e *env, f figure, dir string) error {
	for _, run := range f.runs[1:] {
		path := filepath.Join(dir, bound.SizeName(run.sizes[0]), reportHTML)
		if _, err := fmt.Fprintf(e.stdout, "open %s (s = %s)\n", quote(path), report.Fraction(run.sizes[0])); err != nil {
			return err
		}
	}
	return nil
}

// furtherAgain reads the runs that further left.
func furtherAgain(dir string, f figure, ours *bound.Result) ([]*bound.Result, error) {
	all := []*bound.Result{ours}
	for _, run := range f.runs[1:] {
		sub := filepath.Join(dir, bound.SizeName(run.sizes[0]))
		r, err := readReport(sub)
		if err != nil {
			return all, err
		}
		x := ours.Experiment
		x.Sizes, x.Search.Repeats = run.sizes, run.repeats
		if r.Experiment != nil {
			x.Search.Search, x.Spectrum = r.Experiment.Search.Search, r.Experiment.Spectrum
		}
		res, err := bound.Load(filepath.Join(sub, arraysFile), x)
		if err != nil {
			return all, finding(err, "")
		}
		all = append(all, res)
	}
	return all, nil
}

// compareFigure sets accuracies and histograms beside the paper's: it prints the
// accuracies alone.
func compareFigure(r *report.Report, f figure, all []*bound.Result) {
	compareAccuracy(r, f)
	for _, res := range all {
		x := res.Experiment
		low := x.Coordinates.Band(x.Band)
		for _, s := range res.Sizes {
			size := fmt.Sprintf(", s = %s, i = %d", report.Fraction(s.Size), x.Search.Repeats)
			compareDrawn(r, "all modes"+size, s.Std)
			compareDrawn(r, fmt.Sprintf("%d×%d modes%s", x.Band, x.Band, size), bound.Band{Keep: low}.Of(s.Std, x.Coordinates.Len()))
		}
	}
}

// drawnOnly is what is to be said of a comparison with these figures.
const drawnOnly = "the weights and the pictures are not the paper's; of its histograms it prints no numbers"

// compareDrawn says where a histogram that the paper draws is highest with us, and its
// median.
func compareDrawn(r *report.Report, what string, x []float64) {
	none := report.Number(math.NaN())
	add := func(quantity string, ours float64) {
		r.Published = append(r.Published, report.Comparison{Quantity: quantity + what, Published: none, Ours: report.Number(ours), AsPublished: none, Note: drawnOnly})
	}
	add("peak, ", drawnPeak(x))
	add("median, ", median(x))
}

// drawnPeak is the middle of the fullest of the bins in which the report draws x.
func drawnPeak(x []float64) float64 {
	top := stat.Quantiles(x, .96)[0]
	if !(top > 0) || math.IsInf(top, 0) {
		return math.NaN()
	}
	return float64(report.NewHistogram("", x).Peak)
}

// paperLike warns of what sets the run apart from A's.
func (c *reproduceCmd) paperLike(r *report.Report, m *measurement, f figure) {
	if f.upsample {
		if want := featuresOf(f); want != r.Model.Features {
			r.Warnings = append(r.Warnings, fmt.Sprintf("Paper A's features of %s are %d numbers; these are %d. --features names another node.", f.net, want, r.Model.Features))
		}
		if n := len(m.Data.YNames); n > 0 && n < builtIns[f.net].classes {
			r.Warnings = append(r.Warnings, fmt.Sprintf("The data name %s, numbered in order, and %s answers %d: accuracies mean something only where the numbers are the model's own. A CSV with a column of them goes with --labels and --target.", classesText(n), f.net, builtIns[f.net].classes))
		}
	}
	if n, want := len(m.Indices), wanted(f); n < want && c.Examples == "" {
		r.Warnings = append(r.Warnings, fmt.Sprintf("The paper examines %d examples; there are %d.", want, n))
	}
	if f.trained() && c.Model == "" && f.net == "cifar10" {
		r.Warnings = append(r.Warnings, "The net was trained here, on the training images in --data: the paper's had all 50,000.")
	}
}

// featuresOf is the number of A's features of a net pooled before its last layer.
func featuresOf(f figure) int {
	if f.net == "swin-t" {
		return 37632
	}
	return 25088
}

// wanted is how many examples the paper takes, 0 for all.
func wanted(f figure) (n int) {
	fmt.Sscan(f.examples, &n)
	return n
}

func classesText(n int) string {
	if n == 1 {
		return "1 class"
	}
	return fmt.Sprintf("%d classes", n)
}
