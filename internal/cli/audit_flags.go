package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tattle/audit"
	"tattle/classify"
	"tattle/curious"
	"tattle/dataset"
	"tattle/infer"
)

// auditDataFlags say which examples a model or an endpoint is asked about.
type auditDataFlags struct {
	Data       string  `help:"Labelled examples: a folder, a zip or CSV, or glyphs for generated ones (default: those that the model was trained on, where its run says so)." placeholder:"PATH" input:"data"`
	Kind       string  `help:"What --data and --reference are: mnist, cifar10, glyphs, utkface, celeba, fairface, images, adult, table (default: seen from the path)." placeholder:"KIND"`
	Labels     string  `help:"CSV with the labels of images (default: labels.csv among them); of mnist, the folder of QMNIST's." placeholder:"PATH" input:"file"`
	FileColumn string  `help:"Column of --labels that names the files (default: file, filename, path, image or the first)." placeholder:"NAME"`
	Size       int     `help:"Side to which pictures are resized (default: the model's)." placeholder:"PIXELS"`
	Part       string  `help:"Which part is audited: train, validation, test or all (default: all; test where a part was trained on)." placeholder:"PART"`
	Examples   string  `help:"Audit so many examples only, drawn by --seed, or those of an .npy file of indices." placeholder:"N|FILE" input:"file"`
	DataSeed   *uint64 `help:"Seed of the parts that the data does not fix, and of glyphs (default: the model's run's, else --seed)." placeholder:"N"`
	Cache      string  `help:"Where decoded pictures are kept: a folder, or none (default: beside the data)." placeholder:"DIR|none"`
	readFlags
}

// auditEndpointFlags say how a server is asked.
type auditEndpointFlags struct {
	EndpointModel string        `help:"Name of the model, where the URL does not end in /v2/models/NAME." placeholder:"NAME"`
	Batch         int           `help:"Examples a request (default: 64, or what the server takes)." placeholder:"N"`
	Rate          perTime       `help:"Requests a second at most, as 10 or 10/s or 30/m (default: no limit)." placeholder:"N/s"`
	Timeout       time.Duration `help:"Of one request (default: 60s)." placeholder:"TIME"`
	Retries       *int          `help:"Attempts after the first, where a server is busy or away (default: 5)." placeholder:"N"`
}

// auditOutputsFlags say which columns are what.
type auditOutputsFlags struct {
	Scores          []string `help:"Columns of the outputs in the order of the classes, or patterns as \"out_*\" (default: those that begin with score, logit, prob, p_ or output); of an .npz one array." placeholder:"COLUMN"`
	ReferenceScores []string `sep:"none" help:"Columns, or the array, of an honest classifier's outputs in the same file. Several times: as many classifiers." placeholder:"PATTERN"`
	OutputsKind     string   `help:"What the outputs are: raw or soft (default: soft where every row is a distribution)." placeholder:"KIND"`
}

// auditReferenceFlags say what honest classifiers are trained on.
type auditReferenceFlags struct {
	Reference          string   `help:"Training data of the same task, read as --data is: honest classifiers are trained on it, and what they leak is what training for this task leaks by itself." placeholder:"PATH" input:"data"`
	References         int      `help:"How many are trained (default: 5)." default:"5" placeholder:"N"`
	ReferenceEpochs    *int     `help:"Epochs that each is trained for (default: as many as the audited model's file records, else 20)." placeholder:"N"`
	ReferenceWidths    string   `help:"Of paper B's net, where the inputs take it (default: the audited model's where its run says so, else 128-128-64-64-128)." placeholder:"A-B-C-D-E"`
	SameRecipe         bool     `help:"State that the references are of the audited model's recipe (architecture, data, settings) where its own run does not show it. Without either the verdict cannot be curious."`
	ReferenceTarget    string   `help:"With --outputs: what of the training data is the target (default: as --target)." placeholder:"RULE"`
	ReferenceSensitive []string `sep:"none" help:"With --outputs: the sensitive attributes, in the order of --sensitive (default: those of the same names)." placeholder:"RULE"`
}

// auditFigureFlags say how figures are made and judged.
type auditFigureFlags struct {
	Margin       percent  `help:"Excess that counts as none (default: 2%)." default:"2%" placeholder:"P%"`
	Confidence   percent  `help:"Of every interval, and of the verdict (default: 95%)." default:"95%" placeholder:"P%"`
	Attacks      []string `help:"Attacks to fit: network, threshold, logistic, trees, neighbours, lookup (default: all)." placeholder:"NAME"`
	Folds        int      `help:"Parts of the cross-fitting (default: 5; fewer where there are so many examples that each attack is fitted on --max-fit all the same)." placeholder:"N"`
	MaxFit       int      `help:"Examples that an attack is fitted on at most (default: 20000)." default:"20000" placeholder:"N"`
	Permutations int      `help:"Permutations of a test at least (default: 9999)." default:"9999" placeholder:"N"`
	NoDefences   bool     `help:"Try no defences."`
}

// A percent is a fraction as a flag gives it: 2% or .02.
type percent float64

// UnmarshalText reads a number below 1, or one with a percent sign.
func (s *percent) UnmarshalText(text []byte) error {
	digits, sign := strings.CutSuffix(strings.TrimSpace(string(text)), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if sign {
		v /= 100
	}
	if err != nil || !(v >= 0 && v < 1) {
		return fmt.Errorf("%q is no share from 0 to below 100 %%: write it as 2%% or .02", text)
	}
	*s = percent(v)
	return nil
}

// A perTime is a number of times a second: 10, 10/s, 30/m.
type perTime float64

// UnmarshalText reads it.
func (r *perTime) UnmarshalText(text []byte) error {
	digits, unit, _ := strings.Cut(strings.TrimSpace(string(text)), "/")
	seconds := map[string]float64{"": 1, "s": 1, "m": 60, "min": 60, "h": 3600}[strings.TrimSpace(unit)]
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if err != nil || seconds == 0 || !(v > 0 && v <= 1e9) {
		return fmt.Errorf("%q is no rate: write it as 10/s or 30/m", text)
	}
	*r = perTime(v / seconds)
	return nil
}

// check refuses what makes no sense, before anything is read.
func (c *auditCmd) check() (audit.FailOn, error) {
	rules, err := audit.ParseFailOn(c.FailOn)
	if err != nil {
		return rules, usage(fmt.Errorf("--fail-on: %w", unprefixed(err)), `as in --fail-on "excess>5%@95%"`)
	}
	for _, check := range []func() error{c.checkDoor, c.checkFigures, c.checkReference, c.checkNumbers, c.checkPlaces} {
		if err := check(); err != nil {
			return rules, err
		}
	}
	return rules, nil
}

// unprefixed is an error without the name of its package.
func unprefixed(err error) error {
	if said, ok := strings.CutPrefix(err.Error(), "audit: "); ok {
		return errors.New(said)
	}
	return err
}

// checkDoor sees that one door is taken, and no flag is of another.
func (c *auditCmd) checkDoor() error {
	doors := 0
	for _, d := range []string{c.Model, c.Endpoint, c.Outputs} {
		if d != "" {
			doors++
		}
	}
	if doors != 1 {
		return usage(fmt.Errorf("audit needs one of --model, --endpoint and --outputs, and %d are given", doors), "tattle audit --help has an example of each")
	}
	if name := c.stray(); name != "" {
		return usage(fmt.Errorf("--%s: it does not go with %s", name, c.door()), "")
	}
	if c.Endpoint != "" && c.Data == "" {
		return usage(errors.New("--endpoint needs --data, the labelled examples to ask it about"), "")
	}
	if c.Endpoint != "" { // before anything is written: the address may contain a secret
		if _, err := infer.New(c.Endpoint, c.asking()); err != nil {
			return usage(fmt.Errorf("--endpoint: %w", err), "")
		}
	}
	if c.Model != "" && c.Data == "" && c.ownRun() == nil && exists(c.Model) {
		return usage(errors.New("--model needs --data, the labelled examples to ask it about"), "only a model in the folder of its own run of tattle train goes without")
	}
	if c.OutputsKind != "" && c.OutputsKind != string(curious.Raw) && c.OutputsKind != string(curious.Soft) {
		return usage(fmt.Errorf("--outputs-kind: %q is neither raw nor soft", c.OutputsKind), "")
	}
	return nil
}

// door is the flag of the release.
func (c *auditCmd) door() string {
	switch {
	case c.Model != "":
		return "--model"
	case c.Endpoint != "":
		return "--endpoint"
	}
	return "--outputs"
}

// stray names a flag that is of another door.
func (c *auditCmd) stray() string {
	const model, endpoint, outputs = 1, 2, 4
	door := map[string]int{"--model": model, "--endpoint": endpoint, "--outputs": outputs}[c.door()]
	kind := model | endpoint
	if c.Reference != "" {
		kind |= outputs // these are of the training data, too
	}
	for _, x := range []struct {
		name  string
		given bool
		of    int
	}{
		{"data", c.Data != "", model | endpoint}, {"part", c.Part != "", model | endpoint}, {"examples", c.Examples != "", model | endpoint},
		{"kind", c.Kind != "", kind}, {"labels", c.Labels != "", kind}, {"file-column", c.FileColumn != "", kind}, {"size", c.Size != 0, kind},
		{"data-seed", c.DataSeed != nil, kind}, {"cache", c.Cache != "", kind},
		{"input-shape", c.InputShape != "", model}, {"model-output", c.ModelOutput != "", model | endpoint}, {"preprocess", c.Preprocess != "", model | endpoint},
		{"endpoint-model", c.EndpointModel != "", endpoint}, {"batch", c.Batch != 0, endpoint}, {"rate", c.Rate != 0, endpoint},
		{"timeout", c.Timeout != 0, endpoint}, {"retries", c.Retries != nil, endpoint},
		{"scores", len(c.Scores) > 0, outputs}, {"reference-scores", len(c.ReferenceScores) > 0, outputs}, {"outputs-kind", c.OutputsKind != "", outputs},
		{"reference-target", c.ReferenceTarget != "", outputs}, {"reference-sensitive", len(c.ReferenceSensitive) > 0, outputs},
	} {
		if x.given && x.of&door == 0 {
			return x.name
		}
	}
	return ""
}

// checkFigures refuses settings out of their range.
func (c *auditCmd) checkFigures() error {
	for _, name := range c.Attacks {
		if _, err := classify.ByName(name); err != nil {
			return usage(fmt.Errorf("--attacks: %w", err), "")
		}
	}
	switch {
	case !(c.Confidence > .5):
		return usage(fmt.Errorf("--confidence: %g is not above 50 %%", 100*c.Confidence), "")
	case c.Folds < 0 || c.Folds == 1 || c.Folds > mostFolds:
		return usage(fmt.Errorf("--folds: %d is not between 2 and %d", c.Folds, mostFolds), "")
	case c.MaxFit < 1:
		return usage(fmt.Errorf("--max-fit: %d is no number of examples", c.MaxFit), "")
	case c.Permutations < 1 || c.Permutations > mostPermutations:
		return usage(fmt.Errorf("--permutations: %d is not between 1 and %d", c.Permutations, mostPermutations), "")
	}
	return nil
}

// The most that is believed to be meant.
const (
	mostFolds        = 100
	mostPermutations = 10_000_000
	mostReferences   = 1000
)

// checkReference refuses settings of references that cannot be.
func (c *auditCmd) checkReference() error {
	switch {
	case c.References < 2 || c.References > mostReferences:
		return usage(fmt.Errorf("--references: %d is not between 2 and %d: one has no spread to compare with", c.References, mostReferences), "")
	case c.ReferenceEpochs != nil && (*c.ReferenceEpochs < 1 || *c.ReferenceEpochs > mostEpochs):
		return usage(fmt.Errorf("--reference-epochs %d: must be between 1 and %d", *c.ReferenceEpochs, mostEpochs), "")
	case len(c.ReferenceScores) == 1:
		return usage(errors.New("--reference-scores: one classifier has no spread to compare with"), "give two or more")
	case c.SameRecipe && len(c.ReferenceScores) == 0 && c.Reference == "":
		return usage(errors.New("--same-recipe requires --reference or --reference-scores"), "")
	case len(c.ReferenceScores) > 0 && c.Reference != "":
		return usage(errors.New("--reference-scores and --reference: both say what to compare with"), "leave one out")
	case c.Reference == "" && (c.ReferenceTarget != "" || len(c.ReferenceSensitive) > 0 || c.ReferenceWidths != ""):
		return usage(errors.New("--reference-target, --reference-sensitive and --reference-widths are of --reference, which is missing"), "")
	}
	_, err := parseWidths("reference-widths", c.ReferenceWidths)
	return err
}

// checkNumbers refuses what is wrong with how data are read.
func (c *auditCmd) checkNumbers() error {
	parts := []string{"", string(dataset.Train), string(dataset.Validation), string(dataset.Test), allParts}
	switch {
	case !slices.Contains(parts, c.Part):
		return usage(fmt.Errorf("--part: %q is none of train, validation, test and all", c.Part), "")
	case c.Kind != "" && kinds[c.Kind] == "":
		return usage(fmt.Errorf("--kind: no kind of data is called %q", c.Kind), "mnist, cifar10, glyphs, utkface, celeba, fairface, images, adult or table")
	case c.Data == glyphsName && c.Kind != "" && c.Kind != glyphsName:
		return usage(fmt.Errorf("--kind: %s, and --data is glyphs, which are generated", c.Kind), "leave --kind out")
	case c.Size < 0 || c.Size > mostSide:
		return usage(fmt.Errorf("--size: %d is not between 1 and %d", c.Size, mostSide), "")
	case c.Batch < 0 || c.Batch > mostBatch:
		return usage(fmt.Errorf("--batch: %d is not between 1 and %d", c.Batch, mostBatch), "")
	case c.Retries != nil && (*c.Retries < 0 || *c.Retries > mostRetries):
		return usage(fmt.Errorf("--retries: %d is not between 0 and %d", *c.Retries, mostRetries), "")
	case c.Timeout < 0:
		return usage(fmt.Errorf("--timeout: %v is no time to wait", c.Timeout), "")
	}
	return nil
}

// allParts is what --part calls all of the data.
const allParts = "all"

const mostRetries = 1000
