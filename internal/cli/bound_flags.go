package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/measure"
	"tattle/internal/protect/release"
)

// releaseFlags choose what leaves the device.
type releaseFlags struct {
	Surface    string `help:"What leaves: features, logits, probabilities or label (class of the largest noisy logit)." enum:"features,logits,probabilities,label" default:"features"`
	Features   string `help:"Node (or tensor) whose output is released (default: the input of the last affine layer or convolution)." placeholder:"NODE"`
	Keep       int    `help:"Number of features to release, chosen by --projection (default: all)." placeholder:"K" more:"" range:"[1,)"`
	Projection string `help:"What --keep keeps: the first features, or directions learned from training data: principal or discriminant." enum:"first,principal,discriminant" default:"first" more:""`

	Noise      string  `help:"gaussian, laplace, isotropic-laplace, table:FILE, lattice (what tattle guard adds) or none (default: gaussian)." default:"gaussian" placeholder:"FAMILY" input:"table"`
	Covariance string  `help:"Covariance matrix C of the noise, an .npy file; the noise is Gaussian of covariance σ²C, σ from --sigma." placeholder:"FILE" input:"file" more:""`
	Sigma      float64 `help:"Standard deviation of the noise on each feature (with --covariance: σ, default 1)." placeholder:"X" range:"(0,)"`
	SigmaScale float64 `help:"Or: multiple of the root mean square of the features of the training part, else of --data (default: 1)." placeholder:"X" range:"(0,)"`
	Delta      float64 `help:"With --noise lattice: the released numbers are multiples of this power of two (default: the largest one up to sigma/64)." placeholder:"X" more:"" range:"(0,)"`
	Clip       float64 `help:"With --noise lattice: features are limited to -X to X, a multiple of --delta (default: the smallest power of two that no feature of the training part, or of --data, exceeds)." placeholder:"X" more:"" range:"(0,)"`
	ClipNorm   float64 `help:"Limit the norm (after whitening) of what is released about the training mean: limits hold whatever the data." placeholder:"R" range:"(0,)"`
	Queries    int     `help:"Times that the same input is released, with independent noise (default: 1)." default:"1" placeholder:"N" range:"[1,1073741824]"`
}

// release checks the flags.
func (f releaseFlags) release() (measure.Release, error) {
	l := measure.Release{Family: f.Noise, Queries: f.Queries, Spec: release.Spec{Surface: f.Surface, Node: f.Features}}
	silent := f.Noise == measure.NoNoise
	if err := cmp.Or(
		requires(f.Keep == 0 && f.Projection != "first", "--projection "+f.Projection, "--keep"),
		requires(f.Surface != "features" && f.Features != "", "--features", "--surface features, not "+f.Surface),
		requires(silent && (f.Sigma > 0 || f.SigmaScale > 0), "--sigma or --sigma-scale", "noise, not --noise none"),
		requires(silent && f.Queries > 1, "--queries", "noise: without it all releases of an input are the same"),
		requires(f.Noise != "lattice" && (f.Delta != 0 || f.Clip != 0), "--delta and --clip", "--noise lattice"),
		requires(f.ClipNorm > 0 && !release.Shapeable(f.Noise), "--clip-norm", "--noise gaussian or lattice, not "+f.Noise),
		refused(f.ClipNorm > 0 && (f.Clip > 0 || strings.Count(f.Noise, ":") > 1), "", "--clip and --clip-norm are mutually exclusive"),
		requires(f.Covariance != "" && !release.Shapeable(f.Noise), "--covariance", "--noise gaussian or lattice, not "+f.Noise),
		requires(f.Covariance != "" && f.Surface == "label", "--covariance", "--surface features, logits or probabilities, not label"),
		refused(f.Sigma > 0 && f.SigmaScale > 0, "", "--sigma and --sigma-scale are mutually exclusive"),
	); err != nil {
		return l, err
	}
	if f.Noise != measure.NoNoise && !strings.HasPrefix(f.Noise, "lattice") { // whose steps are judged beside the strength
		if _, err := release.ParseNoise(f.Noise, 1, 1); err != nil {
			return l, usage(fmt.Errorf("--noise: %w", err), "")
		}
	}
	if f.Keep > 0 {
		l.Spec.Keep, l.Spec.Projection = f.Keep, f.Projection
	}
	if f.Surface == "label" {
		l.Spec.Surface, l.Label = "logits", true
	}
	if l.Family == measure.NoNoise {
		return l, nil
	}
	if f.Delta != 0 || f.Clip != 0 {
		l.Family += ":" + optional(f.Delta) + ":" + optional(f.Clip)
	}
	l.Spec.ClipNorm = f.ClipNorm
	l.Family = release.ClippedNorm(l.Family, f.ClipNorm)
	if f.Covariance != "" {
		var err error
		if l.Spec.Covariance, err = release.ReadCovariance(f.Covariance); err != nil {
			return l, usage(fmt.Errorf("--covariance: %w", err), "")
		}
	}
	switch {
	case f.Sigma > 0:
		l.Sigma = f.Sigma
	case f.SigmaScale > 0:
		l.Scale = f.SigmaScale
	case f.Covariance != "":
		l.Sigma = 1
	default:
		l.Scale = defaultSigmaScale
	}
	return l, nil
}

// optional prints a number, and nothing for 0.
func optional(v float64) string {
	if v == 0 {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// defaultSigmaScale makes the noise as strong as the features, as A does for MNIST (section 3).
const defaultSigmaScale = 1

// furtherFlags choose the bounds beyond one near witness, and the attacks.
type furtherFlags struct {
	Barankin    *int     `help:"Witnesses per example for the Barankin bound; 0: no such bound (default: 64)." placeholder:"N" range:"[0,4096]"`
	Far         *int     `help:"Far witnesses per example (default: 8)." placeholder:"N" range:"[0,4096]"`
	Twins       string   `help:"Examples for which twins are searched: inputs with nearly the same features (default: 6)." placeholder:"N|all"`
	Attack      []string `help:"linear, inversion, decoder, posterior or none (default: with training data, those that take no more than minutes)." placeholder:"LIST" choice:"linear,inversion,decoder,posterior,none"`
	AttackDraws int      `help:"Draws of the noise per example, for the attacks (default: 4)." default:"4" placeholder:"N" range:"[1,10000]"`

	Candidates string `help:"Candidates of an adversary, a list that contains the input: a number of training inputs, all of them, other data, or none (default: training inputs, as many as take about a minute; without training data, --data)." placeholder:"N|all|PATH|none" input:"data"`
	ListDraws  int    `help:"Random draws of an input and its release, for the limits from such a list (default: 2000, or as many as fit into memory)." placeholder:"N" range:"[100,1000000]"`

	ExposedPeople *int      `help:"Measure how often single people are named, for N people of the list; 0: none (default: 750, or as many as take about half a minute)." placeholder:"N" range:"[0,100000]" more:""`
	ExposedThan   []percent `help:"Also measure which share of people is named in more than this share of releases." placeholder:"P%" more:""`

	Task []string `sep:"none" help:"Sensitive attribute that the release answers besides the target. Limits for adversaries who know the target then hold for those who know both." placeholder:"ATTRIBUTE" more:""`

	TrainingData string `help:"Data that attacks and projections learn from (default: training part of --data)." placeholder:"PATH" input:"data"`
}

func (f furtherFlags) check() error {
	if len(f.Attack) > 1 && slices.Contains(f.Attack, "none") {
		return usage(errors.New("--attack: none and attacks are mutually exclusive"), "")
	}
	if f.Twins == "" {
		return nil
	}
	_, err := f.twins(0)
	return err
}

// twins is the number of examples, of n, for which twins are sought.
func (f furtherFlags) twins(n int) (int, error) {
	if f.Twins == "all" {
		return n, nil
	}
	k, err := strconv.Atoi(f.Twins)
	if err != nil || k < 0 {
		return 0, usage(fmt.Errorf("--twins: %q is not a number of examples", f.Twins), "give a number, or all")
	}
	return min(k, n), nil
}

// extend adds the further bounds to an experiment on so many examples of the set.
func (f furtherFlags) extend(x *bound.Experiment, set *dataset.Set, examples int, seed uint64) error {
	twins, err := f.twins(examples)
	if err != nil {
		return err
	}
	return measure.Further{Barankin: *f.Barankin, Far: *f.Far, Twins: twins}.AddTo(x, set, seed)
}

// adversaries opens the training data, and settles what can be learned from them and hence
// run. needed names what else requires training data; scaling says that the noise, or the center of a clip, is
// computed from them if there are any.
func (f furtherFlags) adversaries(data measure.Inputs, needed string, scaling bool, set *dataset.Set, open opener) (*measure.Adversaries, error) {
	a := &measure.Adversaries{
		Attacks: f.Attack, Draws: f.AttackDraws,
		NeedsAttacks: f.Attack != nil,
	}
	if f.Attack == nil {
		a.Attacks = measure.AttackNames
	}
	a.Attacks = slices.DeleteFunc(slices.Clone(a.Attacks), func(s string) bool { return s == "none" })
	learns, listed := len(a.Attacks) > 0, f.Candidates != measure.CandidatesNone
	if !listed && !learns && needed == "" && !scaling {
		return a, f.set(nil, set.Y != nil)
	}
	if needed == "" && a.NeedsAttacks && len(a.Attacks) > 0 {
		needed = "--attack " + strings.Join(a.Attacks, ",")
	}
	training, path, missing, err := openTraining(f.TrainingData, needed, data, set, open)
	switch {
	case err != nil:
		return nil, err
	case missing == nil:
		a.Training, a.TrainingSHA256, a.TrainingPath = training, training.SHA256, path
	case learns:
		a.WithoutTraining(missing)
	}
	if a.Lists, err = data.Lists(f.Candidates, training, path, set, open); err != nil {
		return nil, err
	}
	return a, f.set(a.Lists, set.Y != nil)
}

// Defaults of --exposed-people and --list-draws: variables for tests alone.
var (
	exposedPeople = measure.AsManySubjects
	listDraws     int // 0: 2000, or as many as fit into memory
)

// set sets the options of lists that are not a choice of candidates.
func (f furtherFlags) set(o *measure.ListOptions, labelled bool) error {
	given := ""
	switch {
	case f.ListDraws > 0:
		given = "--list-draws"
	case f.ExposedPeople != nil && *f.ExposedPeople > 0:
		given = "--exposed-people"
	case len(f.ExposedThan) > 0:
		given = "--exposed-than"
	case len(f.Task) > 0:
		given = "--task"
	}
	if o == nil && given != "" {
		return usage(fmt.Errorf("%s requires a list of candidates, and none is used", given), "choose a list with --candidates")
	}
	if o != nil {
		if draws := cmp.Or(f.ListDraws, listDraws); draws > 0 {
			o.Draws = draws
		}
		if o.Subjects = exposedPeople; f.ExposedPeople != nil {
			o.Subjects = *f.ExposedPeople
		}
		for _, t := range f.ExposedThan {
			if t < measure.LeastThan {
				return usage(fmt.Errorf("--exposed-than: %v %% must be at least %v %%", 100*float64(t), 100*measure.LeastThan), "")
			}
			o.Than = append(o.Than, float64(t))
		}
	}
	for i, name := range f.Task {
		switch {
		case !slices.Contains(o.Attributes, name):
			return usage(fmt.Errorf("--task: the data have no sensitive attribute %q", name), "name it with --sensitive")
		case slices.Contains(f.Task[:i], name):
			return usage(fmt.Errorf("--task: %s is given twice", name), "")
		case !labelled:
			return usage(errors.New("--task: the data have no target"), "name it with --target, or give labels")
		}
		o.Tasks = append(o.Tasks, name)
	}
	return nil
}

// An opener opens data as the inputs of a model.
type opener func(measure.Inputs) (*dataset.Set, error)

// openTraining opens the training data at the path, by default those beside the data, and
// returns their path. Where nothing needs them they may be missing, for the reason that it
// returns; needed names the flag that needs them.
func openTraining(path, needed string, data measure.Inputs, measured *dataset.Set, open opener) (set *dataset.Set, from string, missing, err error) {
	set, from, missing = data.Training(path, measured, open)
	var wrong *measure.OptionError
	switch {
	case missing == nil:
		return set, from, nil, nil
	case errors.As(missing, &wrong) && wrong.Option != "Data" && wrong.Option != "Vectors":
		err = usage(missing, "choose others with --training-data")
	case path != "":
		err = usage(fmt.Errorf("--training-data: %w", missing), "")
	case needed != "":
		err = usage(fmt.Errorf("%s requires training data, and there are none beside --data: %w", needed, missing), "name their folder with --training-data")
	}
	return nil, "", missing, err
}
