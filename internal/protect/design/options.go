package design

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/math/stat"
	"tattle/internal/protect/bayes"
	"tattle/internal/protect/measure"
	"tattle/internal/protect/release"
	"tattle/internal/run"
)

// Defaults of Options.
const (
	DefaultListDraws = 60000   // limits of a probability of 1 % are then about 0.1 points above the mean
	mostListDraws    = 1 << 18 // half a minute of 60,000 candidates
	searchDraws      = 1000    // while σ is searched
	mostHiddenDraws  = 1 << 15 // of new inputs, while σ is searched
	// mostHiddenProducts limits draws × candidates × released values of new inputs while σ is
	// searched: some five seconds.
	mostHiddenProducts = 1 << 37
	validationShare    = 6 // one training example in so many measures accuracy while searching
	accuracyDraws      = 2
)

// Options are the limits, and where to search. A limit is required.
type Options struct {
	Limits
	MaxDrop float64  // of accuracy, as a fraction; 0: none
	Nodes   []string // whose output can be released; none: the features of the last affine layer
	Keep    int      // numbers that are released; 0: by the number of classes
	Seed    uint64

	Queries int          // releases of each input; 0: one
	Methods []Method     // none: all that are known for the outputs of the model
	Epochs  int          // of each training; 0: shape's default
	Tasks   []string     // attributes that the release also answers, beside the target
	Views   *dataset.Set `json:"-"` // of the training data, of Use; nil: none
	Use     *release.Use // of the outputs of the model, if they are vectors; nil: they are scores of the classes of the labels
	// ListDraws is the least number of draws of the final measurement. Where a limit is too
	// strict for them, Answer.ListDraws is larger.
	ListDraws int

	// Fresh are inputs that the model was not trained on and that are not measured in the end. They
	// say how often new inputs are identified; nil: the search considers candidates only.
	Fresh *dataset.Set `json:"-"`

	GreyLevels float64 `json:"-"` // in one of the model's units, for messages; 0: the inputs have none

	Dir      string                              `json:"-"` // keeps what was found, so that an interrupted search can be continued; empty: a temporary folder
	Resume   bool                                `json:"-"` // continue with what is in Dir
	Hashes   map[string]string                   `json:"-"` // digests, by role, that a continued search must share
	Pool     run.Pool                            `json:"-"` // nil: run.Leader
	Progress func(phase string, done, total int) `json:"-"`
}

// check returns an error for options that make no sense, and for limits that no release can keep
// or that every release keeps.
func (o *Options) check(train, test *dataset.Set) error {
	o.Candidates = cmp.Or(o.Candidates, train.Len())
	o.Among = cmp.Or(o.Among, o.Candidates)
	if err := o.checkSettings(); err != nil {
		return err
	}
	return cmp.Or(o.checkMethods(), o.checkList(train), o.checkErrors(train, test), o.checkAttributes(train, test))
}

// refused returns an OptionError if an option cannot be used.
func refused(wrong bool, option, format string, a ...any) error {
	if wrong {
		return measure.WrongOption(option, format, a...)
	}
	return nil
}

func (o *Options) checkSettings() error {
	positive := func(name string, v float64) error {
		return refused(!(v >= 0) || math.IsInf(v, 0), name, "%v: give a positive number", v)
	}
	return cmp.Or(
		refused(!(o.MaxDrop >= 0 && o.MaxDrop < 1), "MaxDrop", "accuracy drop %v: give a fraction such as 0.02", o.MaxDrop),
		refused(!(o.Worst >= 0 && o.Worst < 1) || o.Among < 0, "Worst", "%v among %d candidates: give a share below 1, and a number of candidates", o.Worst, o.Among),
		refused(o.Worst > 0 && o.worstRadius() == 0, "Worst", "%.4g %% of %d candidates: guessing without the release already names %.3g %%: give a larger share", 100*o.Worst, o.Among, 100/float64(o.Among)),
		refused(o.ListDraws < 0 || o.ListDraws > mostListDraws, "ListDraws", "%d draws: give a number from 1 to %d", o.ListDraws, mostListDraws),
		positive("Floor", o.Floor), positive("Bits", o.Bits),
		refused(!o.Promise(), "Limits", "no promise is given: give a limit, such as on identification"),
	)
}

func (o *Options) checkMethods() error {
	err := refused(o.Use != nil && len(o.Tasks) > 0, "Tasks", "vectors answer no further task: leave it out")
	for _, m := range o.Methods {
		err = cmp.Or(err,
			refused(!slices.Contains(o.known(), m), "Methods", "%q cannot be used here: choose from %s", m, joined(o.known())),
			refused(m == Erased && len(o.Protect) == 0, "Methods", "%s: nothing is protected that could be erased", m))
	}
	return err
}

// checkList checks the limits about a list of candidates, drawn from the training data.
func (o *Options) checkList(train *dataset.Set) error {
	if o.Candidates > train.Len() {
		return measure.WrongOption("Identify", "%d candidates: the training data hold %d inputs", o.Candidates, train.Len())
	}
	named, who, than := o.Candidates, "different candidates", math.Inf(1)
	if o.Identify > 0 || o.Bits > 0 || o.Exposed != nil {
		list := measure.PeopledOf(train, o.list(train))
		if named = list.Count; list.People != nil {
			who = "people"
		}
	}
	if o.Exposed != nil {
		than = o.Exposed.Than
	}
	if named < 2 {
		return measure.WrongOption("Identify", "the %d candidates are of one person, or all equal: there is nobody to take them for", o.Candidates)
	}
	guess, whole := 1/float64(named), math.Log2(float64(named))
	least := upward(100*max(identifyMargin*guess, highest(identifyRoom*guess, mostListDraws)), 3)
	return cmp.Or(
		refused(than <= identifyMargin*guess, "Exposed", "more than %.4g %% of releases: guessing among %d %s already names each in %.3g %%: give a larger share of releases, or more candidates", 100*than, named, who, 100*guess),
		refused(o.Identify > 0 && 100*o.Identify <= least, "Identify", "%.4g %% of %d %s: guessing without the release already names %.3g %%, and the measurement needs room above that: give more than %.3g %%, or more candidates", 100*o.Identify, named, who, 100*guess, least),
		refused(o.Bits > 0 && o.Bits >= whole, "Bits", "%.4g bits: no release reveals more than %.4g bits about which of %d %s it is, so the limit must be smaller", o.Bits, whole, named, who),
	)
}

// list returns the candidates: different inputs of the training data, those of the final measurement.
func (o *Options) list(train *dataset.Set) []int {
	order := run.Rand(o.Seed, 0, streamCandidates).Perm(train.Len())
	if o.Candidates < train.Len() {
		order = (&measure.List{Set: train}).Draw(o.Candidates, o.Seed)
	}
	if train.Group != nil { // equal inputs may be of several people
		return order
	}
	return measure.DistinctInputs(train, order)
}

// Whole returns the length of the list that is drawn, at most the number of candidates that is given. A person is on the list with all
// inputs or with none, so it can be shorter.
func Whole(train *dataset.Set, candidates int, seed uint64) int {
	if candidates >= train.Len() {
		return candidates
	}
	return len((&measure.List{Set: train}).Draw(candidates, seed))
}

// People returns how many people the inputs of a set are of.
func People(set *dataset.Set) int { return measure.PeopledOf(set, nn.Indices(set.Len())).Count }

// checkErrors checks the limit on the errors of reconstructions.
func (o *Options) checkErrors(train, test *dataset.Set) error {
	if o.Floor == 0 {
		return nil
	}
	guess, unit, in := spread(test), "of the model's units", 1.
	if o.GreyLevels > 0 {
		unit, in = "grey levels", o.GreyLevels
	}
	most := measure.SquareRange(train, o.Seed)
	top := math.Sqrt((bayes.Population{N: People(test) - measure.SetApart(People(test)), Alpha: alpha / 2}).Floor(min(guess*guess, most), most))
	return refused(o.Floor >= top, "Floor", "with %d test inputs, only floors below %.4g %s can be certified, where guessing the mean errs by %.4g: promise less, or give more test inputs", test.Len(), top*in, unit, guess*in)
}

func (o *Options) checkAttributes(train, test *dataset.Set) (err error) {
	for _, p := range o.Protect {
		err = cmp.Or(err, p.check(train, test), refused(slices.Contains(o.Tasks, p.Attribute), "Protect", "%s: the release is also to answer it: protect it, or make it a task", p.Attribute))
	}
	for _, name := range o.Tasks {
		err = cmp.Or(err, refused(train.Attribute(name) == nil || test.Attribute(name) == nil, "Tasks", "the data have no attribute %q in both parts", name))
	}
	return err
}

// upward rounds a positive number up to this number of decimal digits.
func upward(x float64, digits int) float64 {
	unit := math.Pow10(int(math.Floor(math.Log10(x))) + 1 - digits)
	return math.Ceil(x/unit-1e-9) * unit
}

func joined(methods []Method) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(methods), " ", ", "), "[]")
}

// leastRoom is the room between the least limit on right guesses that can be certified and the one that is promised if
// none is given.
const leastRoom = .02

// Settle sets the limits on right guesses of attributes that have none: a little above what guessing reaches without the release, and
// what so many test inputs can certify, in whole percent.
func (o *Options) Settle(train, test *dataset.Set) {
	for i := range o.Protect {
		p := &o.Protect[i]
		a, b := train.Attribute(p.Attribute), test.Attribute(p.Attribute)
		if p.Accuracy > 0 || p.AUC > 0 || p.Bits > 0 || a == nil || b == nil {
			continue
		}
		most := max(slices.Max(shares(a)), slices.Max(shares(b)))
		most += 2 * math.Sqrt(most*(1-most)*validationShare/float64(People(train))) // the search sees some of the training data
		least := max(most+rightMargin, (bayes.Population{N: People(test), Alpha: alpha / 2}).Ceiling(most))
		p.Accuracy = min(math.Ceil(100*(least+leastRoom))/100, 1)
	}
}

// shares returns the share of each class.
func shares(a *dataset.Attribute) []float64 {
	return bayes.Attribute{Classes: len(a.Values), Class: a.Labels}.Shares()
}

func (p Protect) check(train, test *dataset.Set) error {
	for _, set := range []*dataset.Set{train, test} {
		a := set.Attribute(p.Attribute)
		if a == nil {
			advice := "choose from"
			for _, s := range set.Sensitive {
				advice += " " + s.Name + ","
			}
			if len(set.Sensitive) == 0 {
				advice = "name it as a sensitive one, too"
			}
			return measure.WrongOption("Protect", "the data have no sensitive attribute %q: %s", p.Attribute, strings.TrimSuffix(advice, ","))
		}
		share := shares(a)
		most, whole := slices.Max(share), stat.EntropyBits(share)
		room, least := upward(100*(most+rightMargin), 4), (bayes.Population{N: People(set), Alpha: alpha / 2}).Ceiling(most)
		if err := cmp.Or(
			refused(p.Accuracy > 0 && 100*p.Accuracy <= room, "Protect", "%s: guessing the most frequent class is right in %.4g %%, without the release, and the measurement needs room above that: give more than %.4g %%", p.Attribute, 100*most, room),
			refused(p.AUC > 0 && len(a.Values) != 2, "Protect", "%s: a limit on the AUC is for two classes, and there are %d", p.Attribute, len(a.Values)),
			refused(p.AUC > 0 && p.AUC <= .5+areaMargin, "Protect", "%s: guessing has an AUC of 0.5, without the release, and the measurement needs room above that: give more than %.3g", p.Attribute, .5+areaMargin),
			refused(p.Bits > 0 && set.Y == nil, "Protect", "%s: bits are those beyond a target, and the data have none: give a share of right guesses, or name a target", p.Attribute),
			refused(p.Bits > 0 && p.Bits >= whole, "Protect", "%s: it has %.4g bits, of which no release reveals more: the limit must be smaller", p.Attribute, whole),
			refused(set == test && p.Accuracy > 0 && p.Accuracy <= least, "Protect", "%s: with %d test inputs, limits above %.4g %% can be certified: promise less, or give more test inputs", p.Attribute, set.Len(), upward(100*least, 4)),
		); err != nil {
			return err
		}
	}
	return nil
}

// spread returns the root mean square error of guessing the mean of the inputs.
func spread(set *dataset.Set) float64 {
	p := nn.Size(set.Shape)
	x, sum, squares := make([]float32, p), make([]float64, p), 0.
	for i := range set.Len() {
		set.Examples(x, []int{i})
		for j, v := range x {
			sum[j] += float64(v)
			squares += float64(v) * float64(v)
		}
	}
	n := float64(set.Len())
	for _, s := range sum {
		squares -= s * s / n
	}
	return math.Sqrt(max(squares, 0) / n / float64(p))
}

var errNoLabels = errors.New("the examples have no labels, and the search weighs protection against accuracy")
