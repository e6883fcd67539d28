package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/classify"
	"tattle/internal/infer"
	"tattle/internal/math/stat"
	"tattle/internal/reveal/audit"
)

// auditDataFlags choose the examples that a model or an endpoint is applied to.
type auditDataFlags struct {
	Data       string `help:"Labelled examples: a folder, zip or CSV file, or glyphs (default: the data of the model's run)." placeholder:"PATH" input:"data"`
	Kind       string `help:"mnist, cifar10, glyphs, utkface, celeba, fairface, images, adult or table (default: detected)." placeholder:"KIND" more:"" choice:"mnist,cifar10,glyphs,utkface,celeba,fairface,images,adult,table"`
	Labels     string `help:"CSV with the labels of pictures (default: labels.csv beside them); mnist: folder of QMNIST labels." placeholder:"PATH" input:"file"`
	FileColumn string `help:"Column of --labels with file names (default: file, filename, path, image or the first)." placeholder:"NAME" more:""`
	skipFlag
	Size      int `help:"Resize pictures to this width and height (default: the model's)." placeholder:"PIXELS" more:"" range:"[1,1024]"`
	partFlags `kong:"set='parts=,train,validation,test,all',set='part=',set='about_part=train, validation, test or all (default: all; test if a model was trained on these data)',set='listed=audited',set='limit=all'"`
	DataSeed  *uint64 `help:"Seed of the split into parts, and of glyphs (default: that of the model's run, else --seed)." placeholder:"N" more:""`
	readFlags
}

// auditEndpointFlags set how a server is asked.
type auditEndpointFlags struct {
	EndpointModel string        `help:"Name of the model, if the URL does not end in /v2/models/NAME." placeholder:"NAME"`
	Batch         int           `help:"Examples per request (default: 64, or the server's limit)." placeholder:"N" range:"[1,65536]"`
	Rate          perTime       `help:"Largest rate of requests, such as 10/s or 30/m (default: no limit)." placeholder:"N/s"`
	Timeout       time.Duration `help:"Timeout of one request (default: 60s)." placeholder:"TIME" more:"" range:"[0,)"`
	Retries       *int          `help:"Further attempts if the server is busy or unreachable (default: 5)." placeholder:"N" more:"" range:"[0,1000]"`
}

// auditOutputsFlags choose the columns of a file of outputs.
type auditOutputsFlags struct {
	Scores          []string `help:"Columns of the outputs, in the order of the classes, or a pattern such as \"out_*\"; in .npz, one array." placeholder:"COLUMN"`
	ReferenceScores []string `sep:"none" help:"Columns or array with the outputs of an honest classifier. Repeat for each classifier." placeholder:"PATTERN"`
	OutputsKind     string   `help:"raw (scores) or soft (probabilities) (default: soft if every row sums to one)." placeholder:"KIND" more:"" choice:"raw,soft"`
}

// auditReferenceFlags set what honest classifiers are trained on.
type auditReferenceFlags struct {
	Reference          string   `help:"Training data of the same task, on which honest classifiers are trained and audited." placeholder:"PATH" input:"data"`
	References         int      `help:"Number of honest classifiers (default: 5)." default:"5" placeholder:"N" more:"" range:"[2,1000]"`
	ReferenceEpochs    *int     `help:"Epochs of each honest training (default: those of the audited model if known, else 20)." placeholder:"N" more:"" range:"[1,100000]"`
	ReferenceWidths    string   `help:"Widths of their layers (default: those of the model's run, else 128-128-64-64-128)." placeholder:"A-B-C-D-E" more:""`
	SameRecipe         bool     `help:"State that the references have the model's recipe (architecture, data, settings)." more:""`
	ReferenceTarget    string   `help:"With --outputs: target attribute of the training data (default: --target)." placeholder:"RULE" more:""`
	ReferenceSensitive []string `sep:"none" help:"With --outputs: sensitive attributes of the training data (default: --sensitive)." placeholder:"RULE" more:""`
}

// auditFigureFlags set the statistics.
type auditFigureFlags struct {
	Margin       percent  `help:"Largest excess that is tolerated (default: 2%)." default:"2%" placeholder:"P%"`
	Confidence   percent  `help:"Confidence of intervals and of the verdict (default: 95%)." default:"95%" placeholder:"P%"`
	Attacks      []string `help:"network, threshold, logistic, trees, lookup (default: all)." placeholder:"NAME"`
	Folds        int      `help:"Folds of the cross-fitting (default: 5, fewer with very many examples)." placeholder:"N" range:"[2,100]"`
	MaxFit       int      `help:"Largest number of examples to fit an attack on (default: 8000)." default:"8000" placeholder:"N" more:"" range:"[1,)"`
	Permutations int      `help:"Smallest number of permutations per test (default: 9999)." default:"9999" placeholder:"N" range:"[1,10000000]"`
	NoDefences   bool     `help:"Do not try defences."`
}

// percent is a flag's fraction, written as 2% or .02.
type percent float64

// UnmarshalText reads a number below 1, or one with a percent sign.
func (s *percent) UnmarshalText(text []byte) error {
	v, _, err := stat.ParseShare(string(text))
	if err != nil || !(v >= 0 && v < 1) {
		return fmt.Errorf("%q must be at least 0 %% and below 100 %%, as 2%% or .02", text)
	}
	*s = percent(v)
	return nil
}

// perTime is a rate per second, written as 10, 10/s or 30/m.
type perTime float64

// UnmarshalText reads it.
func (r *perTime) UnmarshalText(text []byte) error {
	v, err := infer.ParseRate(string(text))
	*r = perTime(v)
	return err
}

// check refuses wrong flags before anything is read.
func (c *auditCmd) check() (audit.FailOn, error) {
	rules, err := audit.ParseFailOn(c.FailOn)
	if err != nil {
		return rules, usage(fmt.Errorf("--fail-on: %w", unprefixed(err)), `as in --fail-on "excess>5%@95%"`)
	}
	for _, check := range []func() error{c.checkDoor, c.checkFigures, c.checkReference, c.checkPlaces} {
		if err := check(); err != nil {
			return rules, err
		}
	}
	return rules, nil
}

// checkDoor checks that exactly one of --model, --endpoint, --outputs and --vectors is given, with flags
// that go with it.
func (c *auditCmd) checkDoor() error {
	if n := len(c.doors()); n != 1 {
		return usage(fmt.Errorf("audit needs one of --model, --endpoint, --outputs and --vectors; %d are given", n), "tattle audit --help=all has an example of each")
	}
	stray := c.stray()
	if err := cmp.Or(
		refused(len(c.Columns) > 0 && c.Vectors == "", "tattle audit --vectors FILE --columns COLUMN", "--columns requires --vectors"),
		refused(stray != "", "", "--%s cannot be used with %s", stray, c.doors()[0]),
		requires(c.Endpoint != "" && c.Data == "", "--endpoint", "--data, the labelled examples"),
	); err != nil {
		return err
	}
	if c.Endpoint != "" { // before anything is written: the address may contain a secret
		if _, err := c.connect(nil); err != nil {
			return usage(fmt.Errorf("--endpoint: %w", err), "")
		}
	}
	vectors := c.Vectors != "" || c.At != "" || c.Target == dataset.NoTarget || strings.HasSuffix(c.Target, dataset.NumberSuffix)
	return cmp.Or(
		refused(c.Model != "" && c.Data == "" && (&audit.Request{Model: c.Model}).OwnData() == nil && exists(c.Model), "only a model in the folder of its own run of tattle train needs none", "--model requires --data, the labelled examples"),
		refused(vectors && (c.Reference != "" || len(c.ReferenceScores) > 0 || c.OutputsKind != ""), "", "--reference, --reference-scores and --outputs-kind are about scores of classes: they cannot be used with --vectors, --at, --target none or a numeric target"),
	)
}

// doors returns which of the four flags are given.
func (c *auditCmd) doors() (flags []string) {
	for flag, value := range map[string]string{"--model": c.Model, "--endpoint": c.Endpoint, "--outputs": c.Outputs, "--vectors": c.Vectors} {
		if value != "" {
			flags = append(flags, flag)
		}
	}
	return flags
}

// stray returns the name of a flag that cannot be used with the given door.
func (c *auditCmd) stray() string {
	outputs := given(c.auditOutputsFlags)
	for _, name := range given(c.auditReferenceFlags) {
		if name == "reference-target" || name == "reference-sensitive" {
			outputs = append(outputs, name)
		}
	}
	var strays []string
	switch c.doors()[0] {
	case "--model":
		strays = append(given(c.auditEndpointFlags), outputs...)
	case "--endpoint":
		strays = append(slices.DeleteFunc(given(c.auditDataFlags), func(name string) bool { return name != "input-shape" }), outputs...)
	default:
		reading := []string{"kind", "labels", "file-column", "skip-missing", "size", "data-seed"} // of the training data of --reference, too
		strays = slices.DeleteFunc(given(c.auditDataFlags), func(name string) bool { return c.Reference != "" && slices.Contains(reading, name) })
		strays = append(strays, given(c.auditEndpointFlags)...)
		if c.Vectors != "" {
			strays = append(strays, outputs...)
		}
	}
	if c.At != "" && c.Model == "" {
		strays = append(strays, "at")
	}
	return append(strays, "")[0]
}

// checkFigures checks the statistical settings and the kind of the data.
func (c *auditCmd) checkFigures() error {
	for _, name := range c.Attacks {
		if _, err := classify.ByName(name); err != nil {
			return usage(fmt.Errorf("--attacks: %w", err), "")
		}
	}
	return cmp.Or(
		refused(!(c.Confidence > .5), "", "--confidence %g %%: must be above 50 %%", 100*c.Confidence),
		refused(c.Data == glyphsName && c.Kind != "" && c.Kind != glyphsName, "leave --kind out", "--kind %s: --data is glyphs, which are generated", c.Kind),
	)
}

// checkReference checks the flags about references.
func (c *auditCmd) checkReference() error {
	given := c.Reference != ""
	_, err := parseWidths("reference-widths", c.ReferenceWidths)
	return cmp.Or(
		refused(len(c.ReferenceScores) == 1, "give the flag twice or more", "--reference-scores: one classifier has no spread to compare with"),
		requires(c.SameRecipe && len(c.ReferenceScores) == 0 && !given, "--same-recipe", "--reference or --reference-scores"),
		refused(len(c.ReferenceScores) > 0 && given, "", "--reference-scores and --reference are mutually exclusive"),
		requires(!given && (c.ReferenceTarget != "" || len(c.ReferenceSensitive) > 0 || c.ReferenceWidths != ""), "--reference-target, --reference-sensitive and --reference-widths", "--reference"),
		err,
	)
}
