package measure

import (
	"tattle/bayes"
	"tattle/dataset"
)

// A List is a list of inputs: the candidates of an adversary who knows that the input is
// one of them, or a sample of the distribution of inputs.
type List struct {
	Name  string // in words, such as "the training part"
	Path  string
	Split dataset.Split
	Set   *dataset.Set
	Most  int // use so many of them, drawn by the seed; 0: as many as ListOptions can pay for; negative: all
}

// ListOptions are what the exact posterior over lists of inputs is computed for. The
// zero value is the default, but for the lists.
type ListOptions struct {
	Candidates *List // of the adversary who holds a list; nil: none
	// Sample is a list of independent draws from the distribution of inputs, on which the
	// model was not trained: it serves the limits on adversaries without a list; nil: none.
	Sample      *List
	SkipAttacks bool     // on attributes
	Attributes  []string // sensitive attributes whose inference is limited
	Draws       int      // of a truth and its release; 0 is DefaultListDraws
	Seed        uint64
	Progress    func(what string, done, total int) // nil: nobody is told
}

// ListFigures are limits on every adversary, from the exact posterior over lists
// (package bayes). All hold with a confidence of bound.DefaultConfidence each.
type ListFigures struct {
	Draws      int          `json:"draws"` // asked for
	Attributes []string     `json:"attributes,omitempty"`
	Holder     *ListHolder  `json:"list_holder,omitempty"`
	Anybody    []Population `json:"anybody,omitempty"`  // of larger and larger parts of one sample; the last is all of it
	LeftOut    []string     `json:"left_out,omitempty"` // and why
	Shared     int          `json:"shared,omitempty"`   // inputs of the sample that are among the candidates, too
}

// EverySample is the limit from the whole sample, nil where there is none.
func (f *ListFigures) EverySample() *Population {
	if len(f.Anybody) == 0 {
		return nil
	}
	return &f.Anybody[len(f.Anybody)-1]
}

// Sizes are the numbers of inputs of the lists: of the candidates, 0 for none, and of the
// whole sample, 0 for none; nil where there are no figures.
func (f *ListFigures) Sizes() []float64 {
	if f == nil {
		return nil
	}
	sizes := make([]float64, 2)
	if f.Holder != nil {
		sizes[0] = float64(f.Holder.List.Inputs)
	}
	if p := f.EverySample(); p != nil {
		sizes[1] = float64(p.List.Inputs)
	}
	return sizes
}

// ListUsed says which inputs a figure is about.
type ListUsed struct {
	Name   string `json:"name"`
	Path   string `json:"path"`
	Split  string `json:"split,omitempty"`
	SHA256 string `json:"sha256"`
	Of     int    `json:"of"`               // inputs there are
	Inputs int    `json:"inputs"`           // inputs used
	Merged int    `json:"merged,omitempty"` // inputs that were left out because they equal another
}

// A ListHolder is the best adversary who holds a list of candidates, one of which is the
// input, and knows the model and the noise: nobody with that list does better.
type ListHolder struct {
	List     ListUsed        `json:"list"`
	Draws    int             `json:"draws"` // 0: computed exactly, without draws
	First    bayes.Limit     `json:"first"` // probability of naming the input
	Ten      bayes.Limit     `json:"ten"`   // probability that ten names hold the input
	Rank     bayes.Limit     `json:"rank"`  // expected rank of the input, from 1
	Bits     bayes.Limit     `json:"bits"`  // that the release tells about which candidate it is
	BitsMost *float64        `json:"bits_at_most,omitempty"`
	Fano     *float64        `json:"fano,omitempty"` // upper limit on First that follows from BitsMost
	Floors   []BandLimit     `json:"floors"`
	Inferred []InferredLimit `json:"attributes,omitempty"`
}

// A BandLimit is a floor on the mean-square error of a coordinate, averaged over a band of
// coordinates, in normalised units squared.
type BandLimit struct {
	Band        string      `json:"band"`
	Coordinates int         `json:"coordinates"`
	MeanSquare  bayes.Limit `json:"floor"`   // of whoever holds the list
	Anybody     float64     `json:"anybody"` // lower limit for adversaries without a list; 0 where it says nothing, or was not asked for
}

// An InferredLimit is a ceiling on how well an attribute of the input can be inferred.
type InferredLimit struct {
	Name     string           `json:"name"`
	Classes  []string         `json:"classes"`
	Majority float64          `json:"majority"`          // right guesses without the release
	Right    bayes.Limit      `json:"right"`             // right guesses of the best adversary who holds the list
	Bits     bayes.Limit      `json:"bits"`              // that the release tells about the attribute
	AUC      *bayes.Limit     `json:"auc,omitempty"`     // of two classes
	Given    *GivenLimit      `json:"given,omitempty"`   // of adversaries who also know the target attribute; nil without labels
	Attacks  []InferredAttack `json:"attacks,omitempty"` // that ran, on inputs of the sample
	Anybody  float64          `json:"anybody"`           // upper limit on right guesses without a list; 0 where it was not asked for
}

// A GivenLimit is an InferredLimit for adversaries who know the target attribute.
type GivenLimit struct {
	Target   string      `json:"target"`
	Majority float64     `json:"majority"`
	Right    bayes.Limit `json:"right"`
	Bits     bayes.Limit `json:"bits"`
	Anybody  float64     `json:"anybody"`
}

// A Population limits adversaries who know the distribution of the inputs and hold no list.
type Population struct {
	List     ListUsed        `json:"list"`
	Draws    int             `json:"draws"`
	Floors   []BandLimit     `json:"floors"`
	Inferred []InferredLimit `json:"attributes,omitempty"`
}
