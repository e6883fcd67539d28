package measure

import (
	"math"
	"slices"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/must"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/release"
	"tattle/internal/report"
)

// Sizes are printed as fractions where they are meant so.
func TestFraction(t *testing.T) {
	for s, want := range map[float64]string{.005: "1/200", .5: "1/2", 1. / 3: "1/3", 1: "1", .3: "0.3", .0051: "0.0051"} {
		if got := Fraction(s); got != want {
			t.Errorf("%v is printed as %q, want %q", s, got, want)
		}
	}
}

// What is certified goes before what is estimated, and then the larger before the smaller.
func TestStrongerClaims(t *testing.T) {
	of := func(kind report.Kind, low float64) report.Claim {
		return report.Claim{Kind: kind, Value: report.Value{Low: low}}
	}
	order := []report.Claim{of(report.Certified, 2), of(report.Certified, 1), of(report.Estimated, 3), of(report.Estimated, 2)}
	for i := range order {
		for j := range order {
			if got := stronger(order[i], order[j]); got != (i < j) {
				t.Errorf("claim %d is stronger than %d: %t", i, j, got)
			}
		}
	}
}

// Accuracies are the same in print if neither they nor their difference show one.
func TestSameInPrint(t *testing.T) {
	for _, c := range []struct {
		x, y float64
		same bool
	}{{.5, .5, true}, {.5, .50000001, true}, {.5, .6, false}, {.9999, .9, false}} {
		if got := sameInPrint(c.x, c.y); got != c.same || sameInPrint(c.y, c.x) != c.same {
			t.Errorf("%v and %v: %t", c.x, c.y, got)
		}
	}
}

// A bar stands in the middle of its bin, and is as high as the share of the values in it.
func TestHistogramBars(t *testing.T) {
	a := account{Report: &report.Report{}}
	a.histogram("x", []float64{.1, 1.1, 1.2, 60, math.Inf(1)})
	s := a.Series[0]
	width := s.X[1] - s.X[0]
	for k, x := range s.X {
		if math.Abs(x-width*(float64(k)+.5)) > 1e-9 {
			t.Fatalf("bar %d stands at %v, of width %v", k, x, width)
		}
		shared := 0
		for _, v := range []float64{.1, 1.1, 1.2, 60} {
			if v >= width*float64(k) && v < width*float64(k+1) {
				shared++
			}
		}
		if k < len(s.X)-1 && s.Y[k] != float64(shared)/5 {
			t.Errorf("bar %d is %v high, want %v", k, s.Y[k], float64(shared)/5)
		}
	}
	// 60 bars reach almost all values or, if these are unbounded, all others; their width has one digit: 1, 2 or 5.
	for top, want := range map[float64]float64{60: 1, 61: 2, 15: .5, 6e3: 100} {
		for _, x := range [][]float64{slices.Repeat([]float64{top}, 9), append(slices.Repeat([]float64{math.Inf(1)}, 9), 1, top)} {
			if got := Histogram(x).Edges[1]; math.Abs(got-want) > 1e-9 {
				t.Errorf("bars up to %v are %v wide, want %v", top, got, want)
			}
		}
	}
}

// Distances are root mean squares in grey levels, and the best witness is the one with the largest ‖ε‖²·h.
func TestDistances(t *testing.T) {
	o := original{shape: []int{2, 1, 2}, theta: []float64{0, .5, 1, 0}, level: func(x float64, channel int) float64 { return x / float64(1+channel) }}
	if got, want := o.distance([]float64{1, .5, 0, 2}), 255*math.Sqrt((1+0+.25+1)/4); math.Abs(got-want) > 1e-9 {
		t.Errorf("distance %v, want %v", got, want)
	}
	b := &bound.Bounds{Witnesses: 3, Pair: bound.PairFloor{Share: []float64{1, 1, 1, .25, .2, .01}}}
	if got := bestWitness(b, []float64{1, 0, 1, 1, 2, 2}, 1); got != 1 { // 1·.25, 2·.2 and 8·.01
		t.Errorf("witness %d is the best", got)
	}
	for want, shape := range map[bool][]int{true: {3, 4, 5}, false: {2, 4, 5}} {
		if got := pictured(&dataset.Set{Shape: shape}); got != want {
			t.Errorf("%v is a picture: %t", shape, got)
		}
	}
	if pictured(&dataset.Set{Shape: []int{1, 4}}) || !pictured(&dataset.Set{Shape: []int{1, 4, 5}}) {
		t.Error("two dimensions are a picture, or one channel is none")
	}
}

// The middle of a box from −1 to 3 is 1.
func TestMiddleErrors(t *testing.T) {
	box := bound.Domain{Low: []float64{-1, -1}, High: []float64{3, 3}}
	r := MiddleErrors([]float64{1, 1, 2, -2}, box, bound.Pixels(2))
	if !slices.Equal(r.MeanSquare, []float64{0, 5}) || !slices.Equal(r.RMS, []float64{0, 0, 1, 3}) {
		t.Errorf("%v and %v", r.MeanSquare, r.RMS)
	}
}

// One person in three is drawn for one side, at least one, with all inputs, and the others are on the other.
func TestDividePeople(t *testing.T) {
	for people, drawn := range map[int]int{7: 2, 2: 1} {
		set := &dataset.Set{Group: &dataset.Attribute{}}
		for i := range 3 * people {
			set.Group.Labels = append(set.Group.Labels, i%people)
		}
		some, others := DividePeople(set, 3, 1)
		on := map[int]bool{}
		for _, i := range some {
			on[i%people] = true
		}
		if len(on) != drawn || len(some) != 3*drawn || len(others) != 3*(people-drawn) || slices.ContainsFunc(others, func(i int) bool { return on[i%people] }) {
			t.Errorf("of %d people: %v and %v", people, some, others)
		}
	}
}

// Cosine modes are of one to three dimensions, and bands have names that need none of them.
func TestBandsInWords(t *testing.T) {
	must.Get(OpenCoordinates(CoordinatesDCT, []int{3, 4, 4}, nil))(t)
	for _, shape := range [][]int{nil, {2, 3, 4, 4}} {
		must.Fail(t, must.Err(OpenCoordinates(CoordinatesDCT, shape, nil)), "one to three dimensions")
	}
	a := account{c: bound.Pixels(4)}
	for band, want := range map[string]string{bound.AllBand: wholeInput, "mode 0": "mean (mode 0)", "mode 1": "coarsest (mode 1)", "modes from 9": "finest (from mode 9)", "8x8": "8×8", "8x4": "8x4", "axa": "axa"} {
		if got := a.level(band); got != want {
			t.Errorf("%s is called %q, want %q", band, got, want)
		}
	}
	if a.c = must.Get(bound.Columns([]bound.Column{{Name: "a", Width: 1, Keep: 1}}, 1))(t); a.level(bound.AllBand) != "whole row" || a.level("a") != "a" {
		t.Errorf("of columns all are called %q", a.level(bound.AllBand))
	}
}

// A release names each of its settings that is set, and no other.
func TestReleaseInWords(t *testing.T) {
	all := Release{Spec: release.Spec{Surface: "logits", Node: "a", Keep: 2, Projection: "principal", Covariance: new(release.Covariance), ClipNorm: 3}}
	for r, want := range map[*Release]string{new(Release): "features", &all: "logits of a, principal 2, with a covariance, norm at most 3"} {
		if got := r.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
