package design

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"

	"tattle/internal/data/dataset"
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

	Queries  int          // releases of each input; 0: one
	Methods  []Method     // none: all that are known for the outputs of the model
	Finetune Finetune     // what learns under the noise; empty: FinetuneHead
	Epochs   int          // of each training; 0: shape's default
	Tasks    []string     // attributes that the release also answers, beside the target
	Views    *dataset.Set `json:"-"` // of the training data, of Use; nil: none
	Use      *release.Use // of the outputs of the model, if they are vectors; nil: they are scores of the classes of the labels
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

// Finetune says what is learned under the noise.
type Finetune string

// The values of Finetune.
const (
	FinetuneNone Finetune = "none" // nothing: closed forms only
	FinetuneHead Finetune = "head" // what is released of the features, and the head
	FinetuneAll  Finetune = "all"  // the whole model
)

// check returns an error for options that make no sense, and for limits that no release can keep
// or that every release keeps.
func (o *Options) check(train, test *dataset.Set) error {
	o.Candidates = cmp.Or(o.Candidates, train.Len())
	o.Among = cmp.Or(o.Among, o.Candidates)
	if err := o.checkSettings(); err != nil {
		return err
	}
	if !o.Promise() {
		return measure.WrongOption("Limits", "no promise is given: give a limit, such as on identification")
	}
	return cmp.Or(o.checkMethods(), o.checkList(train), o.checkErrors(train, test), o.checkAttributes(train, test))
}

func (o *Options) checkSettings() error {
	switch {
	case !(o.MaxDrop >= 0 && o.MaxDrop < 1):
		return measure.WrongOption("MaxDrop", "accuracy drop %v: give a fraction such as 0.02", o.MaxDrop)
	case !(o.Worst >= 0 && o.Worst < 1) || o.Among < 0:
		return measure.WrongOption("Worst", "%v among %d candidates: give a share below 1, and a number of candidates", o.Worst, o.Among)
	case o.Worst > 0 && o.worstRadius() == 0:
		return measure.WrongOption("Worst", "%.4g %% of %d candidates: guessing without the release already names %.3g %%: give a larger share", 100*o.Worst, o.Among, 100/float64(o.Among))
	case o.ListDraws < 0 || o.ListDraws > mostListDraws:
		return measure.WrongOption("ListDraws", "%d draws: give a number from 1 to %d", o.ListDraws, mostListDraws)
	}
	for _, f := range []struct {
		name string
		v    float64
	}{{"Floor", o.Floor}, {"Attack", o.Attack}, {"Bits", o.Bits}} {
		if !(f.v >= 0) || math.IsInf(f.v, 0) {
			return measure.WrongOption(f.name, "%v: give a positive number", f.v)
		}
	}
	return nil
}

func (o *Options) checkMethods() error {
	known := o.known()
	if o.Use != nil && len(o.Tasks) > 0 {
		return measure.WrongOption("Tasks", "vectors answer no further task: leave it out")
	}
	for _, m := range o.Methods {
		switch {
		case !slices.Contains(known, m):
			return measure.WrongOption("Methods", "%q cannot be used here: choose from %s", m, joined(known))
		case m == Erased && len(o.Protect) == 0:
			return measure.WrongOption("Methods", "%s: nothing is protected that could be erased", m)
		case o.Finetune == FinetuneNone && m.learns():
			return measure.WrongOption("Methods", "%s learns, and nothing is to be learned: choose from %s, or let the head learn", m, joined([]Method{Isotropic, Projected, Discriminant}))
		}
	}
	return nil
}

// checkList checks the limits about a list of candidates, drawn from the training data.
func (o *Options) checkList(train *dataset.Set) error {
	if o.Candidates > train.Len() {
		return measure.WrongOption("Identify", "%d candidates: the training data hold %d inputs", o.Candidates, train.Len())
	}
	named, who := o.Candidates, "different candidates"
	if o.Identify > 0 || o.Bits > 0 || o.Exposed != nil {
		list := measure.PeopledOf(train, o.list(train))
		if named = list.Count; list.People != nil {
			who = "people"
		}
	}
	if named < 2 {
		return measure.WrongOption("Identify", "the %d candidates are of one person, or all equal: there is nobody to take them for", o.Candidates)
	}
	guess, whole := 1/float64(named), math.Log2(float64(named))
	least := upward(100*max(identifyMargin*guess, highest(identifyRoom*guess, mostListDraws)), 3)
	switch {
	case o.Exposed != nil && o.Exposed.Than <= identifyMargin*guess:
		return measure.WrongOption("Exposed", "more than %.4g %% of releases: guessing among %d %s already names each in %.3g %%: give a larger share of releases, or more candidates", 100*o.Exposed.Than, named, who, 100*guess)
	case o.Identify > 0 && 100*o.Identify <= least:
		return measure.WrongOption("Identify", "%.4g %% of %d %s: guessing without the release already names %.3g %%, and the measurement needs room above that: give more than %.3g %%, or more candidates", 100*o.Identify, named, who, 100*guess, least)
	case o.Bits > 0 && o.Bits >= whole:
		return measure.WrongOption("Bits", "%.4g bits: no release reveals more than %.4g bits about which of %d %s it is, so the limit must be smaller", o.Bits, whole, named, who)
	}
	return nil
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
func People(set *dataset.Set) int {
	if set.Group == nil {
		return set.Len()
	}
	_, n := stat.Numbered(set.People())
	return n
}

// checkErrors checks the limits on errors of reconstructions.
func (o *Options) checkErrors(train, test *dataset.Set) error {
	guess, unit, in := spread(test), "of the model's units", 1.
	if o.GreyLevels > 0 {
		unit, in = "grey levels", o.GreyLevels
	}
	if o.Attack > 0 && o.Attack >= guess {
		return measure.WrongOption("Attack", "guessing the mean of the inputs, without the release, errs by %.4g %s: the limit must be smaller than that", guess*in, unit)
	}
	if o.Floor == 0 {
		return nil
	}
	most := measure.SquareRange(train, o.Seed)
	if top := math.Sqrt((bayes.Population{N: People(test) - measure.SetApart(People(test)), Alpha: alpha / 2}).Floor(min(guess*guess, most), most)); o.Floor >= top {
		return measure.WrongOption("Floor", "with %d test inputs, only floors below %.4g %s can be certified, where guessing the mean errs by %.4g: promise less, or give more test inputs", test.Len(), top*in, unit, guess*in)
	}
	return nil
}

func (o *Options) checkAttributes(train, test *dataset.Set) error {
	for _, p := range o.Protect {
		if err := p.check(train, test); err != nil {
			return err
		}
		if slices.Contains(o.Tasks, p.Attribute) {
			return measure.WrongOption("Protect", "%s: the release is also to answer it: protect it, or make it a task", p.Attribute)
		}
	}
	for _, name := range o.Tasks {
		if train.Attribute(name) == nil || test.Attribute(name) == nil {
			return measure.WrongOption("Tasks", "the data have no attribute %q in both parts", name)
		}
	}
	return nil
}

// upward rounds a positive number up to this number of decimal digits.
func upward(x float64, digits int) float64 {
	unit := math.Pow10(int(math.Floor(math.Log10(x))) + 1 - digits)
	return math.Ceil(x/unit-1e-9) * unit
}

func joined(methods []Method) string {
	var all []string
	for _, m := range methods {
		all = append(all, string(m))
	}
	return strings.Join(all, ", ")
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
			var have []string
			for _, s := range set.Sensitive {
				have = append(have, s.Name)
			}
			advice := "choose from " + strings.Join(have, ", ")
			if have == nil {
				advice = "name it as a sensitive one, too"
			}
			return measure.WrongOption("Protect", "the data have no sensitive attribute %q: %s", p.Attribute, advice)
		}
		share := shares(a)
		most, whole := slices.Max(share), stat.EntropyBits(share)
		least := (bayes.Population{N: People(set), Alpha: alpha / 2}).Ceiling(most)
		switch {
		case p.Accuracy > 0 && 100*p.Accuracy <= upward(100*(most+rightMargin), 4):
			return measure.WrongOption("Protect", "%s: guessing the most frequent class is right in %.4g %%, without the release, and the measurement needs room above that: give more than %.4g %%", p.Attribute, 100*most, upward(100*(most+rightMargin), 4))
		case p.AUC > 0 && len(a.Values) != 2:
			return measure.WrongOption("Protect", "%s: a limit on the AUC is for two classes, and there are %d", p.Attribute, len(a.Values))
		case p.AUC > 0 && p.AUC <= .5+areaMargin:
			return measure.WrongOption("Protect", "%s: guessing has an AUC of 0.5, without the release, and the measurement needs room above that: give more than %.3g", p.Attribute, .5+areaMargin)
		case p.Bits > 0 && set.Y == nil:
			return measure.WrongOption("Protect", "%s: bits are those beyond a target, and the data have none: give a share of right guesses, or name a target", p.Attribute)
		case p.Bits > 0 && p.Bits >= whole:
			return measure.WrongOption("Protect", "%s: it has %.4g bits, of which no release reveals more: the limit must be smaller", p.Attribute, whole)
		}
		if set == test && p.Accuracy > 0 && p.Accuracy <= least {
			return measure.WrongOption("Protect", "%s: with %d test inputs, limits above %.4g %% can be certified: promise less, or give more test inputs", p.Attribute, set.Len(), upward(100*least, 4))
		}
	}
	return nil
}

// spread returns the root mean square error of guessing the mean of the inputs.
func spread(set *dataset.Set) float64 {
	p := 1
	for _, d := range set.Shape {
		p *= d
	}
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
