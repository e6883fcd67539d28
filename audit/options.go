package audit

// The settings that stand in for zeros in Options.
const (
	// DefaultFolds leaves each attack four fifths of the examples.
	DefaultFolds = 5
	// DefaultPermutations resolves p-values far below any level in use; more are
	// drawn where several attributes need them.
	DefaultPermutations = 9999
	// DefaultMaxFit is the most examples an attack is fitted on: more add
	// tenths of a point and cost in proportion.
	DefaultMaxFit = 20000
	// DefaultConfidence is that of every interval, and of the verdict.
	DefaultConfidence = .95
	// DefaultMargin is the excess that nobody would act on: two points. It also
	// covers that the baselines are themselves learned.
	DefaultMargin = .02
	// DefaultBlind is the smallest detectable excess above which an audit that finds
	// nothing is inconclusive.
	DefaultBlind = .25
	// PowerProbability is that with which the smallest detectable excess is found.
	PowerProbability = .9
)

// Options says how Run audits; the zero value is the default.
type Options struct {
	Seed         uint64
	Folds        int      // 0 is DefaultFolds
	Permutations int      // at least these; 0 is DefaultPermutations
	MaxFit       int      // examples an attack is fitted on; 0 is DefaultMaxFit
	Confidence   float64  // 0 is DefaultConfidence
	Margin       float64  // excess that is let pass, of 1; 0 is DefaultMargin
	Attacks      []string // learners by name, as package classify knows them; nil is all
	// References are outputs of honestly trained classifiers, on the same examples in
	// the same order or, where Unpaired, on others of the same kind.
	References []*Sample
	Unpaired   bool
	// Progress, unless nil, is called as work gets done.
	Progress func(stage string, done, total int)
}

// withDefaults returns the options with every zero replaced.
func (o Options) withDefaults() Options {
	if o.Folds == 0 {
		o.Folds = DefaultFolds
	}
	if o.Permutations == 0 {
		o.Permutations = DefaultPermutations
	}
	if o.MaxFit == 0 {
		o.MaxFit = DefaultMaxFit
	}
	if o.Confidence == 0 {
		o.Confidence = DefaultConfidence
	}
	if o.Margin == 0 {
		o.Margin = DefaultMargin
	}
	return o
}

// progress calls Progress unless it is nil.
func (o Options) progress(stage string, done, total int) {
	if o.Progress != nil {
		o.Progress(stage, done, total)
	}
}
