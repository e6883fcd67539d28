package report

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tattle/bound"
	"tattle/internal/must"
	"tattle/release"
)

// rendered are the text and the page of a report.
func rendered(t *testing.T, r *Report) (text, page string) {
	t.Helper()
	var a, b bytes.Buffer
	must.Do(t, r.WriteDetails(&a))
	must.Do(t, r.WriteHTML(&b))
	return a.String(), b.String()
}

// printed are blocks on a terminal.
func printed(fill func(d *document)) string {
	var b strings.Builder
	w := &textWriter{errWriter: &errWriter{w: &b}, said: map[string]bool{"": true}, details: true}
	w.blocks(collect(fill))
	return b.String()
}

// TestMethodsText checks the comparison on a terminal with names and figures of the
// sizes that MNIST gives: its width, its groups, every remark once.
func TestMethodsText(t *testing.T) {
	c := bound.StatusCertified
	const draws = "a biased adversary's error over draws of the noise, which bounds on unbiased ones do not limit"
	inputs, tried := bound.Note{Kind: bound.NoteRoot}, bound.Note{Kind: bound.NoteTwins, Examples: 100}
	root, of := inputs.String(), tried.String()
	r := &Report{Reconstruction: Reconstruction{Experiment: &bound.Settings{Band: 8}, Methods: []MethodRow{
		{Name: "Algorithm 1", Search: "direct", Status: c, MedianAll: .24, MedianLow: .47, RatioToAlgorithm1: 1, RatioToAuthors: 1.26},
		{Name: "Algorithm 1", PerInput: true, Search: "direct", Status: c, MedianAll: .17, MedianLow: Number(math.NaN()), RatioToAlgorithm1: 1, RatioToAuthors: 1.13, Notes: []bound.Note{inputs}},
		{Name: "HCR, far", Search: bound.SearchFar, Status: c, MedianAll: 1.23e9, MedianLow: 4.9e7, RatioToAlgorithm1: 140739, RatioToAuthors: 1000.5},
		{Name: "exact twins", PerInput: true, Search: bound.SearchTwins, Status: c, MedianAll: Number(math.NaN()), Unbounded: true, UnboundedFraction: .98, Notes: []bound.Note{inputs, tried}},
		{Name: "Cramér-Rao, identifiable part", Status: bound.StatusEstimated, MedianAll: .7, MedianLow: 1.4, RatioToAlgorithm1: 3.03, RatioToAuthors: 1000},
		{Name: "attack: linear", Status: StatusDemonstrated, MedianAll: .2, MedianLow: .8, RatioToAlgorithm1: .9, RatioToAuthors: 1.1},
		{Name: "attack: decoder", Status: StatusDemonstrated, MedianAll: .2, MedianLow: .8, RatioToAlgorithm1: .9, RatioToAuthors: 1.1},
	}}}
	text := printed(func(d *document) { d.methods(r) })
	fits(t, text)
	words := strings.Join(strings.Fields(text), " ")
	for _, once := range []string{draws, of, "coarse", "8×8:"} {
		if n := strings.Count(words, once); n != 1 {
			t.Errorf("%q is said %d times", once, n)
		}
	}
	for _, want := range []string{"HCR, far certified 1.23e+09 4.90e+07 >1000× >1000×", "3.03× 1000×", "Algorithm 1 (direct) certified 0.24", "attack: linear; attack: decoder: " + draws, "Algorithm 1: " + root, "exact twins: " + root + "; " + of + "; no useful limit for 98 %"} {
		if !strings.Contains(words, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	group := strings.Index(text, "per input, root mean square")
	if at := strings.Index(text, "attack: decoder  "); at > group || strings.Index(text, "exact twins  ") < group {
		t.Errorf("groups are mixed\n%s", text)
	}
}

// TestNoBounds renders a release without noise, of which nothing is proved: with
// attacks, and with nothing at all.
func TestNoBounds(t *testing.T) {
	r := full(t)
	r.Bounds, r.Experiment, r.Methods, r.Pairs, r.Resolvable, r.Spectrum, r.Histograms, r.Published, r.Arrays, r.Gallery = nil, nil, nil, nil, nil, nil, nil, nil, nil, nil
	r.Release.Noise, r.Release.NoBounds = Noise{Family: "none"}, "without noise two inputs are told apart with certainty"
	r.Release.Queries, r.Release.Post = 0, &release.Post{Digits: 1}
	r.FloorsAndCeilings = bands(nil, r.Attacks, r.PriorAlone)
	for i := range 2 {
		if i == 1 {
			r.Attacks, r.PriorAlone, r.FloorsAndCeilings, r.Utility.ReleasedAccuracy = nil, nil, nil, r.Utility.CleanAccuracy
		}
		standsAlone(t, r)
		text, page := rendered(t, r)
		for _, s := range []string{text, page} {
			s = strings.Join(strings.Fields(s), " ")
			want := []string{"No noise was added to the 20 numbers kept", "the values are rounded to 1 decimal.", "holds for this release: without noise two inputs are told apart with certainty."}
			if i == 0 {
				want = append(want, "Demonstrated: the best of 2 attacks (decoder)", "The cost: accuracy goes from")
			} else {
				want = append(want, "No attack was run either", "The release costs no accuracy: it stays at")
			}
			for _, w := range want {
				if !strings.Contains(strings.ReplaceAll(s, "\u00a0", " "), w) {
					t.Errorf("no %q", w)
				}
			}
			for _, not := range []string{"none noise", "standard deviation 0", "σ = 0", "draws of the noise", "Lower bounds", "=== floor", "near floor", "tattle verify", "Bars from the left", "Floors and attacks", "floor beyond"} {
				if strings.Contains(s, not) {
					t.Errorf("says %q", not)
				}
			}
		}
		fits(t, text)
	}
}

// TestPageIsSmall draws as many pictures as a run does, of noise, which no PNG
// makes smaller: six in the gallery, and more pairs than the page shows.
func TestPageIsSmall(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	o := original{shape: []int{3, 32, 32}, denormalize: func(x float64, _ int) float64 { return x }}
	noise := func() []float32 {
		x := make([]float32, 3*32*32)
		for i := range x {
			x[i] = rng.Float32()
		}
		return x
	}
	r := full(t)
	r.Pairs, r.Gallery = nil, nil
	for i := range 10 {
		o.index, o.theta = i, noise()
		for _, kind := range []string{"farthest", "nearest", "largest floor"} {
			must.Do(t, r.addPair(o, widen(noise()), .2, Pair{Search: bound.SearchTwins, Kind: kind}))
		}
		if i < 6 {
			must.Do(t, r.addPicture(o, []string{"near", "far"}, [][]float64{widen(noise()), widen(noise())}, rng))
			must.Do(t, r.Gallery[i].addAttack(o, "linear", noise()))
		}
	}
	_, page := rendered(t, r)
	if len(page) > 1<<20 {
		t.Errorf("the page has %d bytes", len(page))
	}
	if n := strings.Count(page, `alt="Another input`); n != mostPairs || !strings.Contains(page, fmt.Sprintf("%d pairs", len(r.Pairs))) {
		t.Errorf("%d pairs on the page", n)
	}
	standsAlone(t, r)
}
