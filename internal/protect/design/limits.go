package design

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"tattle/internal/math/stat"
	"tattle/internal/protect/measure"
)

// Limits are a promise about every adversary, which a release has to keep. A limit of zero asks for
// nothing.
type Limits struct {
	Identify   float64   `json:"identify,omitempty"`   // probability of naming the input with one guess, at most
	Candidates int       `json:"candidates,omitempty"` // inputs on the adversary's list, drawn from the training data; 0: all
	Floor      float64   `json:"floor,omitempty"`      // root mean square error of an adversary without a list, at least, in the model's units
	Bits       float64   `json:"bits,omitempty"`       // revealed about which candidate the input is, at most
	Worst      float64   `json:"worst_case,omitempty"` // probability of naming the input, whatever the data, at most
	Among      int       `json:"among,omitempty"`      // number of candidates for Worst; 0: Candidates
	Exposed    *Exposed  `json:"exposed,omitempty"`    // people who are named often; nil: any number of them
	Protect    []Protect `json:"protect,omitempty"`
}

// Exposed is a limit on how many people of the list are named in more than a share of their releases, by the adversary who
// names the likeliest.
type Exposed struct {
	Than  float64 `json:"than"`  // share of releases
	Share float64 `json:"share"` // of people, at most
}

// ParseExposed reads "10%: 1%": at most 1 % of people are named in more than 10 % of releases.
func ParseExposed(s string) (*Exposed, error) {
	than, share, ok := strings.Cut(s, ":")
	x := new(Exposed)
	var err error
	if x.Than, err = parseShare(than); err == nil && ok {
		x.Share, err = parseShare(share)
	}
	if err != nil || !ok {
		return nil, fmt.Errorf("%q: write a share of releases and a share of people, as in '10%%: 1%%'", s)
	}
	if x.Than < measure.LeastThan {
		return nil, fmt.Errorf("%q: the share of releases must be at least %v %%", s, 100*measure.LeastThan)
	}
	return x, nil
}

// People is the number of people whose exposure shows that the limit is kept, if a tenth as many as it allows are exposed.
func (x *Exposed) People() int { return min(int(math.Ceil(15/x.Share)), mostSubjects) }

const (
	mostSubjects   = 5000
	searchSubjects = 600 // while σ is searched
	searchFails    = .25 // as often the limit of the search does not hold
	exposedShares  = 6   // which share the confidence in a report: those that it has anyway, and Than
)

// Protect is a limit on inferring a sensitive attribute. One of the limits is set, or none for the least that can be promised.
type Protect struct {
	Attribute string  `json:"attribute"`
	Accuracy  float64 `json:"accuracy,omitempty"` // right guesses, with or without a list, at most
	AUC       float64 `json:"auc,omitempty"`      // of the best adversary with the list, at most
	Bits      float64 `json:"bits,omitempty"`     // revealed about the attribute to an adversary who knows the target attribute and all Tasks, at most
}

// Promise reports whether something is promised.
func (l Limits) Promise() bool {
	return l.Identify > 0 || l.Floor > 0 || l.Bits > 0 || l.Worst > 0 || l.Exposed != nil || len(l.Protect) > 0
}

// ParseIdentify reads "1%@60000" or "0.01@60000": the probability, and the number of
// candidates, which may be left out.
func ParseIdentify(s string) (share float64, candidates int, err error) {
	text, count, listed := strings.Cut(s, "@")
	if share, err = parseShare(text); err != nil {
		return 0, 0, err
	}
	if !listed {
		return share, 0, nil
	}
	if candidates, err = strconv.Atoi(count); err != nil || candidates < 2 {
		return 0, 0, fmt.Errorf("%q: the number of candidates after @ must be at least 2", s)
	}
	return share, candidates, nil
}

// ParseProtect reads "gender: 60%", "gender: auc 0.6" or "gender: 0.1 bits", or an attribute alone, whose limit
// Options.Settle sets.
func ParseProtect(s string) (p Protect, err error) {
	i := strings.LastIndex(s, ":")
	if name := strings.TrimSpace(s); i < 0 && name != "" {
		return Protect{Attribute: name}, nil
	}
	if i <= 0 {
		return p, fmt.Errorf("%q: give an attribute and a limit, such as 'gender: 60%%', 'gender: auc 0.6' or 'gender: 0.1 bits'", s)
	}
	p.Attribute = strings.TrimSpace(s[:i])
	limit := strings.Fields(s[i+1:])
	switch {
	case len(limit) == 2 && limit[0] == "auc":
		p.AUC, err = strconv.ParseFloat(limit[1], 64)
		if err != nil || !(p.AUC > .5 && p.AUC < 1) {
			return p, fmt.Errorf("%q: an AUC is between 0.5 and 1", s)
		}
	case len(limit) == 2 && limit[1] == "bits":
		p.Bits, err = strconv.ParseFloat(limit[0], 64)
		if err != nil || !(p.Bits > 0) || math.IsInf(p.Bits, 0) {
			return p, fmt.Errorf("%q: the number of bits must be positive", s)
		}
	case len(limit) == 1:
		p.Accuracy, err = parseShare(limit[0])
	default:
		err = fmt.Errorf("%q: give a limit such as 60%%, auc 0.6 or 0.1 bits", s)
	}
	return p, err
}

func parseShare(s string) (float64, error) {
	v, _, err := stat.ParseShare(s)
	if err != nil || !(v > 0 && v < 1) {
		return 0, fmt.Errorf("%q: give a share between 0 and 1, such as 1%% or 0.01", s)
	}
	return v, nil
}
