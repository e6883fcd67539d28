package audit

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"sync"

	"tattle/internal/engine/classify"
	"tattle/internal/math/simd"
)

// The defaults of Options.
const (
	// DefaultFolds leaves each attack four fifths of the examples. Where fewer folds
	// leave MaxFit examples all the same there are fewer.
	DefaultFolds = 5
	// DefaultPermutations resolves p-values far below any level in use; more are
	// drawn if several attributes need them.
	DefaultPermutations = 9999
	// DefaultMaxFit is the most examples an attack is fitted on: four fifths of 10,000. More add
	// tenths of a point and cost in proportion. Every example is judged all the same.
	DefaultMaxFit = 8000
	// DefaultConfidence is that of every interval, and of the verdict.
	DefaultConfidence = .95
	// DefaultMargin is the excess that nobody would act on: two points. It also
	// covers that the baselines are themselves learned.
	DefaultMargin = .02
	// defaultBlind is the smallest detectable excess above which an audit that finds
	// nothing is inconclusive.
	defaultBlind = .25
	// PowerProbability is that with which the smallest detectable excess is found.
	PowerProbability = .9

	// MaxFolds is the largest number of folds.
	MaxFolds = 100

	// maxPermutations bounds the time that an option can ask for.
	maxPermutations = 10_000_000
)

// Options says how an audit is done; the zero value is the default.
type Options struct {
	Seed         uint64   `json:"seed"`
	Folds        int      `json:"folds"`        // 0 is DefaultFolds
	Permutations int      `json:"permutations"` // drawn for a small p-value, more if several attributes need them; 0 is DefaultPermutations
	MaxFit       int      `json:"max_fit"`      // examples an attack is fitted on; 0 is DefaultMaxFit
	Confidence   float64  `json:"confidence"`   // 0 is DefaultConfidence
	Margin       *float64 `json:"margin"`       // excess that counts as none, at least 0 and below 1; nil is DefaultMargin
	Attacks      []string `json:"attacks"`      // learners by name, as package classify knows them; nil is all
	// Progress, unless nil, is called as work gets done.
	Progress func(stage string, done, total int) `json:"-"`
}

// Recipe is how it is known that references were trained by the recipe of the audited
// model: the same architecture, data and settings. A reference of another recipe shows a
// difference and no more.
type Recipe string

// How the recipe is known.
const (
	RecipeUnknown  Recipe = ""         // it is not: no verdict Curious follows
	RecipeCompared Recipe = "compared" // the record of the model's own training has the references' architecture, data and settings
	RecipeStated   Recipe = "stated"   // the person who ran the audit says so
)

// withDefaults returns the options with every zero replaced but Folds, which
// depends on the number of examples.
func (o Options) withDefaults() Options {
	o.Permutations = cmp.Or(o.Permutations, DefaultPermutations)
	o.MaxFit = cmp.Or(o.MaxFit, DefaultMaxFit)
	o.Confidence = cmp.Or(o.Confidence, DefaultConfidence)
	o.Margin = cmp.Or(o.Margin, new(DefaultMargin))
	return o
}

// check says which option is out of its range.
func (o Options) check() error {
	switch {
	case o.Folds < 0 || o.Folds == 1 || o.Folds > MaxFolds:
		return fmt.Errorf("audit: %d folds: it takes 2 to %d", o.Folds, MaxFolds)
	case o.Permutations < 0 || o.Permutations > maxPermutations:
		return fmt.Errorf("audit: %d permutations: ask for 1 to %d", o.Permutations, maxPermutations)
	case o.MaxFit < 0:
		return fmt.Errorf("audit: %d examples to fit on: ask for more than 0", o.MaxFit)
	case !(.5 < o.Confidence && o.Confidence < 1):
		return fmt.Errorf("audit: confidence %v: it lies between .5 and 1", o.Confidence)
	case o.Margin != nil && !(0 <= *o.Margin && *o.Margin < 1):
		return fmt.Errorf("audit: margin %v: it must be at least 0 and below 1", *o.Margin)
	}
	for _, name := range o.Attacks {
		if _, err := classify.ByName(name); err != nil {
			return fmt.Errorf("audit: %w", err)
		}
	}
	return nil
}

// controlFit is the most examples that attacks are fitted on in the negative control:
// what would show there does not need more.
const controlFit = 5000

// forControl returns the options of the negative control.
func (o Options) forControl() Options {
	o.MaxFit = min(o.maxFit(), controlFit)
	if report := o.Progress; report != nil {
		o.Progress = func(_ string, done, total int) { report("negative control", done, total) }
	}
	return o
}

// inParallel does n things on all cores, and returns the first error of any.
func inParallel(n int, do func(i int) error) error {
	errs := make([]error, n)
	simd.Parallel(n, 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			errs[i] = do(i)
		}
	})
	return cmp.Or(errs...)
}

// progress calls Progress unless it is nil.
func (o Options) progress(stage string, done, total int) {
	if o.Progress != nil {
		o.Progress(stage, done, total)
	}
}

// counter reports that a stage begins, and returns what counts one more of total done;
// several goroutines may call it.
func (o Options) counter(stage string, total int) func() {
	var mu sync.Mutex
	done := 0
	o.progress(stage, 0, total)
	return func() {
		mu.Lock()
		defer mu.Unlock()
		done++
		o.progress(stage, done, total)
	}
}

// Streams of the seed, one for each use of chance.
const (
	streamFolds uint64 = iota + 1
	streamSplit
	streamFit
	_ // of a list that is gone: other streams keep their numbers
	streamPermute
	streamIndependence
	streamControl
	streamChannel
	streamGiven
	streamOrder
	streamPeople
	streamNear

	streamDefence uint64 = iota + 90
	streamNoise
)

// random returns the generator of one use of chance.
func random(seed, stream, index uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, stream<<32|index))
}
