package report

import (
	"fmt"
	"io"
	"math"
)

// Pair is two inputs that the release cannot tell apart: their features differ
// by ‖z‖, which is at most Allowance where it is all rounding.
type Pair struct {
	Index     int    `json:"index"`
	Label     int    `json:"label"`
	Name      string `json:"name,omitempty"`
	Kind      string `json:"kind"` // "farthest", or "nearest to example 17"
	RMS       Number `json:"rms_grey_levels"`
	ZNorm     Number `json:"z_norm"`
	Allowance Number `json:"allowance"`
	Median    Number `json:"median"` // of the bounds the pair gives over all coordinates; null where unbounded
	Unbounded bool   `json:"unbounded,omitempty"`

	first, second []byte // PNG
}

// AddPair puts a pair into the report: the original and another input, both as
// the model sees them. It fills in the distance. It panics where other has
// another length than Theta.
func (r *Report) AddPair(o Original, other []float64, p Pair) error {
	if len(other) != len(o.Theta) {
		panic("report: a pair of different lengths")
	}
	theta := o.pixels()
	p.Index, p.Label, p.Name = o.Index, o.Label, o.Name
	p.RMS = Number(o.distance(theta, other))
	var err error
	if p.first, err = o.png(theta); err != nil {
		return err
	}
	if p.second, err = o.png(other); err != nil {
		return err
	}
	r.Pairs = append(r.Pairs, p)
	return nil
}

// textPairs lists the pairs: a terminal shows no pictures.
func (r *Report) textPairs(w io.Writer) {
	if len(r.Pairs) == 0 {
		return
	}
	fmt.Fprintln(w)
	wrap(w, r.twinsTogether())
}

// twinsTogether sums the pairs up.
func (r *Report) twinsTogether() string {
	least, most, equal, apart := math.Inf(1), 0., 0, 0.
	for _, p := range r.Pairs {
		least, most = min(least, float64(p.RMS)), max(most, float64(p.RMS))
		if p.equal() {
			equal++
		} else {
			apart = max(apart, float64(p.ZNorm))
		}
	}
	n := len(r.Pairs)
	distance := number(least)
	if n > 1 {
		distance += " to " + number(most)
	}
	s := fmt.Sprintf("%s of inputs with the same release, or nearly, %s grey levels apart. ", Count(n, "pair"), distance)
	switch {
	case equal == n:
		return fmt.Sprintf("%s of inputs, %s grey levels apart, with the same features to rounding: nothing in the release tells which of the two it was.", Count(n, "pair"), distance)
	case equal == 0:
		return s + fmt.Sprintf("Their features are up to %s apart.", number(apart))
	default:
		s += fmt.Sprintf("%d of the %d: the same features to rounding", equal, n)
	}
	s += ", so nothing in the release tells which of the two it was."
	if equal < n {
		s += fmt.Sprintf(" The others: features up to %s apart.", number(apart))
	}
	return s
}

// mostPairs is how many pairs the page shows: after a dozen one has seen it.
const mostPairs = 12

// A twinCard is one original with its pairs' other inputs.
type twinCard struct {
	Pair
	Others []Pair
}

// cards are the first pairs, by their original.
func (r *Report) cards() []twinCard {
	var cards []twinCard
	for _, p := range r.Pairs[:min(len(r.Pairs), mostPairs)] {
		if n := len(cards); n == 0 || cards[n-1].Index != p.Index {
			cards = append(cards, twinCard{Pair: p})
		}
		last := &cards[len(cards)-1]
		last.Others = append(last.Others, p)
	}
	return cards
}

// equal tells whether the features differ by no more than rounding.
func (p Pair) equal() bool { return p.ZNorm <= p.Allowance }

// caption names the original of a pair.
func (p Pair) caption() string {
	s := fmt.Sprintf("example %d", p.Index)
	if p.Name != "" {
		s += " (" + p.Name + ")"
	}
	return s
}

// says what a pair proves.
func (p Pair) says() string {
	apart := fmt.Sprintf("%s grey levels apart", number(float64(p.RMS)))
	if p.equal() {
		return apart + ", the same features to rounding"
	}
	apart += fmt.Sprintf(", features %s apart", number(float64(p.ZNorm)))
	if p.Unbounded || math.IsInf(float64(p.Median), 1) {
		return apart + ", which leaves half of the coordinates without a limit"
	}
	return apart + fmt.Sprintf(", which bounds half of the coordinates by %s normalised units or more", number(float64(p.Median)))
}
