package paper

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"tattle/internal/engine/nn"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/measure"
	"tattle/internal/report"
)

// A Figure is one of paper A's experiments: one net, one data set, and runs by size of the
// perturbations. The scales of the noise are not printed; with A's nets they lead to the
// accuracies that are.
type Figure struct {
	Name     string
	Title    string
	Net      string // of zoo.Nets
	Trained  bool   // the net is trained where no model is given
	Data     string // what the data must be, in words
	Examples string // by default, as dataset.Choose reads it; where Small, those that are read
	Scale    float64
	Runs     []Run
	Small    bool // pictures are made 91×91, and enlarged inside the model
	Features int  // that A releases, where Small
	Pictures bool // of the first reconstructions, as files

	Clean, Noisy float64 // accuracies that A prints
	Peaks        []Peak  // read off A's histograms: it prints no numbers of them
}

// A Run is Algorithm 1 for some sizes of the perturbation (none: the default, A's first), with so many repeats of
// LSQR (0: the default).
type Run struct {
	Sizes   []float64
	Repeats int
}

// A Peak is where histograms of the bounds for a size of the perturbation are highest: over
// all modes, and over the low band.
type Peak struct{ Size, All, Low float64 }

// Comparison is the experiment that compares every bound and attack with A's method.
const Comparison = "comparison"

// SmallPreprocess is the preset by which A's inputs of ResNet-18 and Swin-T are made.
const SmallPreprocess = "imagenet-91"

// figures are those of A's section 3, and the comparison.
var figures = load[[]Figure]("paper_a.json")

// FigureNames returns the names of paper A's experiments.
func FigureNames() (names []string) {
	for _, f := range figures {
		names = append(names, f.Name)
	}
	return names
}

// GetFigure returns one of paper A's experiments by its name.
func GetFigure(name string) (Figure, bool) {
	i := slices.IndexFunc(figures, func(f Figure) bool { return f.Name == name })
	if i < 0 {
		return Figure{}, false
	}
	return figures[i], true
}

// Experiment returns the bounds of the first run of the figure, for inputs of that shape.
func (f Figure) Experiment(shape []int, seed uint64, restarts int) bound.Experiment {
	x := bound.Experiment{
		Coordinates: bound.DCT(shape),
		Settings:    bound.Settings{Band: measure.LowBand(shape), Search: bound.SearchOptions{Seed: seed, Restarts: restarts}},
	}
	return f.Runs[0].of(x)
}

// of is the experiment with the sizes and repeats of the run.
func (r Run) of(x bound.Experiment) bound.Experiment {
	x.Sizes, x.Search.Repeats = r.Sizes, cmp.Or(r.Repeats, bound.DefaultRepeats)
	return x
}

// A Further is an experiment that a figure needs besides its first, in a folder of its own
// within the figure's.
type Further struct {
	Folder     string
	Experiment bound.Experiment
}

// publishedFolder holds the run with the authors' procedure.
const publishedFolder = "as-published"

// Further returns the further experiments of the figure whose first is x: other sizes of the
// perturbation, and, where published is set, the authors' procedure where A's histograms can
// be read.
func (f Figure) Further(x bound.Experiment, published bool) (all []Further) {
	for _, r := range f.Runs[1:] {
		all = append(all, Further{bound.SizeName(r.Sizes[0]), r.of(x)})
	}
	if published && f.hasPublished() {
		all = append(all, Further{publishedFolder, authors(x)})
	}
	return all
}

// hasPublished reports whether the figure can be compared with the authors' procedure.
func (f Figure) hasPublished() bool { return len(f.Peaks) > 0 && !f.Pictures }

// Authors reports whether the experiment is the authors' procedure.
func (f Further) Authors() bool { return f.Folder == publishedFolder }

// authors is the experiment of the authors' procedure: one near witness, theirs.
func authors(x bound.Experiment) bound.Experiment {
	x.Barankin, x.Far, x.Twins, x.Pairs = bound.BarankinOptions{}, bound.FarOptions{}, bound.TwinOptions{}, bound.PairOptions{}
	x.Search.Search = bound.Published
	return x
}

// PooledFeatures names the node whose output is averaged over the pixels before the last
// affine layer: A's features of ResNet-18 and Swin-T. It is empty if there is none.
func PooledFeatures(g *nn.Graph) string {
	name, err := g.FeatureNode()
	for n := g.Node(name); err == nil && n != nil && len(n.Inputs) == 1; n = g.Node(n.Inputs[0]) {
		switch op := n.Op.(type) {
		case *nn.Reshape, *nn.Identity, *nn.Dropout:
			continue
		case *nn.Reduce:
			if op.Function != "Mean" {
				return ""
			}
		case *nn.AveragePool:
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

// TitleOf returns the title for the model in a file, which takes the place of A's where the user brings it.
func (f Figure) TitleOf(model string) string {
	if i := strings.LastIndex(f.Title, ", "); f.Small && i >= 0 {
		return f.Title[:i+2] + filepath.Base(model)
	}
	return f.Title
}

// Warn warns in the report of what sets the run apart from A's. classes are those that the
// data name, and outputs those of the model. The data were examined as the figure says if usual is set; the net was trained
// by the run if trained is.
func (f Figure) Warn(r *report.Report, classes, outputs int, usual, trained bool) {
	warn := func(format string, a ...any) { r.Warn(fmt.Sprintf(format, a...)) }
	if s, err := measure.SetupOf(r); err == nil && f.Small && f.Features != s.Features {
		warn("Paper A's features of %s are %d numbers; these are %d. --features names another node.", f.Net, f.Features, s.Features)
	}
	if f.Small && classes > 0 && classes < outputs {
		warn("The data name %s, numbered in order, and the model has %d outputs: accuracies mean something only where the numbers are the model's own. A CSV with a column of them goes with --labels and --target.", report.Many(classes, "class"), outputs)
	}
	wanted := 0
	fmt.Sscan(f.Examples, &wanted)
	if n := r.Data.Examples; usual && n < wanted {
		warn("The paper examines %d examples; there are %d.", wanted, n)
	}
	if trained && f.Net == "cifar10" {
		warn("The net was trained here, on the training images in --data: the paper's had all 50,000.")
	}
}

// In returns the folder of a further run within the figure's.
func (f Further) In(dir string) string { return filepath.Join(dir, f.Folder) }
