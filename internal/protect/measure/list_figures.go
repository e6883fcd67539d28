package measure

import (
	"tattle/internal/data/dataset"
	"tattle/internal/progress"
	"tattle/internal/protect/bayes"
)

// A List is a list of inputs: the candidates of an adversary who knows that the input is
// one of them, or a sample of the distribution of inputs.
type List struct {
	Name  string // in words, such as "the training part"
	Path  string
	Split dataset.Split
	Set   *dataset.Set
	Most  int // number of inputs to use, drawn by the seed; 0: as many as mostListing allows; negative: all
}

// ListOptions are the lists and the settings of ListFigures. The zero value of each setting is
// its default; without lists nothing is computed.
type ListOptions struct {
	Candidates *List // the list of the adversary; nil: none
	// Sample is a list of independent draws from the distribution of inputs, on which the
	// model was not trained. It gives the limits for adversaries without a list; nil: none.
	Sample      *List
	SkipAttacks bool // do not run attacks on attributes
	// Known are the limits of an earlier run with these settings, except SkipAttacks; nil: none ran. Only the attacks are left to do.
	Known      *ListFigures
	Attributes []string  // sensitive attributes to limit
	Tasks      []string  // sensitive attributes that the release answers, beside the target attribute
	Subjects   int       // people whose exposure is measured; AsManySubjects: as many as take about half a minute
	Than       []float64 // further shares of releases, above which people are counted
	Draws      int       // draws of an input and its release; 0: DefaultListDraws, or fewer if these do not fit into memory
	// Look numbers, from 1, the looks at a release whose noise is raised until its limits are low
	// enough; 0: there is one look only. The strengths of the noise must not depend on the sample, nor
	// on these draws. The limits of look 1 may be
	// wrong with a probability of FirstLook (1 − confidence), those of look k > 1, up to Looks, with a
	// part of the rest in proportion to 1/k. So the limits of all looks hold together with the
	// confidence.
	Look     int
	Seed     uint64
	Progress progress.Func

	memos *memos // of the released features; nil: of this run alone
}

// ListFigures are limits on every adversary, from the exact posterior over lists
// (package bayes). Each holds with confidence DefaultConfidence, over all looks. As JSON it is what decides the limits, without them.
type ListFigures struct {
	Draws      int      `json:"draws"`          // requested draws
	Look       int      `json:"look,omitempty"` // as ListOptions has it
	Attributes []string `json:"attributes,omitempty"`
	Tasks      []string `json:"tasks,omitempty"` // answered beside the target attribute
	// Processed reports whether noisy values are processed before they are released. Floors
	// and upper limits hold for the release. Means are those of the values before, and lower
	// limits on what adversaries achieve those of guessing without the release.
	Processed bool `json:"-"`
	// NoiseFrom says what of the noise was computed from inputs of the sample, perhaps among others:
	// limits without a list must allow for it.
	NoiseFrom NoiseFrom      `json:"noise_from_sample,omitempty"`
	Holder    *ListHolder    `json:"list_holder,omitempty"` // adversaries with the candidates
	Anybody   []Population   `json:"anybody,omitempty"`     // adversaries without a list, from growing parts of one sample; the last is the whole
	Hidden    *HiddenFigures `json:"hidden,omitempty"`      // inputs of the sample among the candidates
	LeftOut   []string       `json:"left_out,omitempty"`    // figures that were not computed, with the reasons
	Shared    int            `json:"-"`                     // inputs of the sample that are also candidates
}

// EverySample returns the limits from the whole sample, or nil.
func (f *ListFigures) EverySample() *Population {
	if len(f.Anybody) == 0 {
		return nil
	}
	return &f.Anybody[len(f.Anybody)-1]
}

// ListUsed describes the inputs of a list that were used.
type ListUsed struct {
	Name   string `json:"name"`
	Path   string `json:"path"`
	Split  string `json:"split,omitempty"`
	SHA256 string `json:"sha256"`
	Of     int    `json:"of"`               // inputs in the data
	Inputs int    `json:"inputs"`           // inputs used
	Merged int    `json:"merged,omitempty"` // inputs left out because they equal another
	People int    `json:"people,omitempty"` // whom the inputs are of; 0: nobody says
	Group  string `json:"group,omitempty"`  // what says so

	Commonest int `json:"commonest,omitempty"` // where some are left out: how often the commonest input stands among all
}

// leastUneven is the smallest share of the commonest input that Uneven returns: smaller ones are
// printed as 0.0 %.
const leastUneven = .001

// Uneven returns the share of the commonest input among those used and those left out. It returns 0
// if the share is below leastUneven, or less than twice that of a list of equally frequent inputs.
func (u ListUsed) Uneven() float64 {
	share := float64(u.Commonest) / float64(u.Inputs+u.Merged)
	if share >= leastUneven && share*float64(u.Inputs) >= 2 {
		return share
	}
	return 0
}

// A ListHolder holds the figures of the best adversary who knows the model, the noise and a
// list of candidates, one of which is the input. No adversary with that knowledge does better.
type ListHolder struct {
	List     ListUsed         `json:"list"`
	Draws    int              `json:"-"` // 0: computed exactly, without draws
	First    bayes.Limit      `json:"-"` // probability of identifying the input with one guess
	Ten      bayes.Limit      `json:"-"` // the same with ten guesses
	Person   *bayes.Limit     `json:"-"` // probability of naming the person; nil: each input is taken for another person
	Among    []ShorterList    `json:"-"` // shorter lists, drawn from this one
	Exposed  *ExposureFigures `json:"exposed,omitempty"`
	Rank     bayes.Limit      `json:"-"` // expected rank of the input, from 1
	Bits     bayes.Limit      `json:"-"` // bits that the release reveals about whom the input is of
	BitsMost *float64         `json:"-"`
	Fano     *float64         `json:"-"` // upper limit on First that follows from BitsMost
	Floors   []BandLimit      `json:"-"`
	Inferred []InferredLimit  `json:"-"`
}

// A ShorterList are the first inputs of a list in the order that the seed drew: one of the whole list is hidden among them.
type ShorterList struct {
	Inputs int
	First  bayes.Limit // probability of identifying the input with one guess
}

// HiddenFigures say how often an input of the sample that is hidden among the candidates is identified, by an adversary
// who takes all inputs of this list to be equally likely. Where the data say who inputs are of, a person of the sample is
// hidden with all inputs, and named. Unlike the figures of a ListHolder they limit no other adversary: one who knows which
// inputs the model was trained on knows more. Limits hold with confidence DefaultConfidence for the mean over
// these inputs, or people.
type HiddenFigures struct {
	List  ListUsed    `json:"list"` // of the hidden inputs
	First bayes.Limit `json:"-"`    // probability of identifying the input, or its person, with one guess
}

// A BandLimit is the mean-square error of a coordinate for the best adversary with the list, averaged over
// a band of coordinates, in normalised units squared.
type BandLimit struct {
	Band        string
	Coordinates int
	MeanSquare  bayes.Limit
	Prior       float64 // error of guessing the mean of the list, without the release
	Anybody     float64 // floor for adversaries without a list; 0: nothing proved, or not computed
}

// Weaker says what counting people costs a limit without a list.
type Weaker struct {
	People int     // that the limit counts
	Rows   float64 // the floor, or the least share of wrong guesses, if each input were of another person
	Enough int     // about how many people bring an error to nine tenths of the sample's own; 0: unknown
}

// A GuessLimit is an upper limit on how well an attribute of the input can be guessed.
type GuessLimit struct {
	Majority    float64     // right guesses without the release
	Right       bayes.Limit // right guesses of the best adversary with the list
	Bits        bayes.Limit // bits that the release reveals about the attribute
	Anybody     float64     // upper limit on right guesses without a list; 0: not computed
	AnybodyBits float64     // upper limit on the bits without a list
}

// An InferredLimit limits how well an attribute of the input can be guessed.
type InferredLimit struct {
	Name string
	GuessLimit
	AUC        *bayes.Limit     // only for two classes
	AnybodyAUC *float64         // upper limit without a list
	Given      *GivenLimit      // nil without labels
	Weaker     *Weaker          // without a list, where people have several inputs
	Attacks    []InferredAttack // attacks that ran on the sample
}

// A GivenLimit is a GuessLimit for adversaries who also know the target attribute and the Tasks.
type GivenLimit struct {
	Target string // what they know, by name
	GuessLimit
}

// each returns the limits: for adversaries who know nothing else, and for those of Given.
func (in *InferredLimit) each() []*GuessLimit {
	if in.Given == nil {
		return []*GuessLimit{&in.GuessLimit}
	}
	return []*GuessLimit{&in.GuessLimit, &in.Given.GuessLimit}
}

// A Population holds the limits for adversaries without a list who know the distribution of
// inputs.
type Population struct {
	List     ListUsed        `json:"list"`
	Apart    int             `json:"set_apart,omitempty"` // how many inputs choose the balls (see ball), and otherwise enter no floor from this sample; 0: there are no balls
	Floors   []BandLimit     `json:"-"`
	Weaker   *Weaker         `json:"-"` // of the first floor, where people have several inputs
	Inferred []InferredLimit `json:"-"`
}
