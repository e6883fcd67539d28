package measure

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tattle/internal/data/dataset"
	"tattle/internal/protect/bayes"
	"tattle/internal/protect/release"
	"tattle/internal/report"
)

// ExposureFigures say how often people of a list are named by the adversary who names the likeliest one. Unlike the other
// figures of a ListHolder they are of this rule alone. Limits hold with confidence DefaultConfidence, those of all shares
// together.
type ExposureFigures struct {
	People   int            `json:"people"`         // who were drawn
	Releases int            `json:"-"`              // of each
	Than     []float64      `json:"than,omitempty"` // as ListOptions has it
	Above    []ExposedShare `json:"-"`
	Quantile []float64      `json:"-"` // of exposedQuantiles, with the chance of the releases
	Most     []ExposedInput `json:"-"`
	Groups   []ExposedGroup `json:"-"`
	Compared []ExposedPair  `json:"-"` // of each attribute, the values that differ most clearly

	pictures []original // of Most, if the inputs are pictures
}

// An ExposedShare is the share of people who are named in more than a share of releases.
type ExposedShare struct {
	Than  float64
	Share bayes.Limit
}

// An ExposedInput is one of the most exposed.
type ExposedInput struct {
	Index int     // in the data, of the person's first input
	Named float64 // share of releases
}

// An ExposedGroup are people with one value of an attribute.
type ExposedGroup struct {
	Attribute string
	Value     string
	People    int         // of those who were drawn
	Named     bayes.Limit // mean share of releases
}

// An ExposedPair are two values of an attribute.
type ExposedPair struct {
	Attribute string
	More      string // whose people are named more often, or seem to be
	Less      string
	Shown     bool // they are, with confidence DefaultConfidence for all pairs of values of all attributes
	// Enough is about how many people show the difference, if it is as large as it seems; 0: more than the list has.
	Enough int
}

var (
	exposedShares    = []float64{.05, .1, .2, .5, .9}
	exposedQuantiles = []float64{.5, .9, .95, .99} // as the claims exposed.q50 … are called
)

// mostExposed is the number of the most exposed inputs that are listed.
const mostExposed = 8

// slowSample is how many multiplications take as long as one number of the noise on a lattice.
const slowSample = 2000

// exposedWork bounds the product of candidates, features and draws: about half a minute on two cores.
const exposedWork = mostListing

// nearPass is the time of distances from one person to all candidates, in that of a draw against them.
const nearPass = 15

// exposed measures how often people of the candidates are named.
func (l *lists) exposed(ctx context.Context, h *ListHolder, list Peopled) error {
	noise, ok := l.target.Noise.(bayes.Density)
	if !ok || l.Subjects == 0 {
		return nil
	}
	if l.out.Processed {
		l.leaveOut("how exposed single people are: it is measured of noisy values, and these are processed before they are released")
		return nil
	}
	candidates := bayes.Candidates(l.inputs(l.Candidates, list.Indices))
	near := list.People == nil && bayes.ByDistance(candidates, noise, bayes.Options{})
	work := func(releases int) float64 { // of a person
		each := float64(len(list.Indices)) * float64(l.columns)
		if near { // products of float32 take half as long, and only releases that name the person need those with the whole list
			each *= nearPass + h.First.Mean*float64(releases)/2
		} else {
			each *= float64(releases)
		}
		if !l.gaussian {
			each *= slowListing * float64(l.atOnce)
		}
		if _, exact := noise.(release.Lattice); exact {
			each += slowSample * float64(releases*l.atOnce*l.columns)
		}
		return each
	}
	subjects, releases := l.Subjects, bayes.DefaultReleases
	if _, quick := noise.(release.Gaussian); quick && near { // then more cost little: the likeliest candidate is the nearest one
		if more := ReleasesFor(exposedShares[0]); work(more)*bayes.DefaultSubjects <= exposedWork {
			releases = more // else more people say more about the share of people than more releases of each
		}
	}
	if len(l.Than) > 0 {
		releases = max(releases, ReleasesFor(slices.Min(l.Than)))
	}
	if subjects == AsManySubjects {
		if subjects = int(min(bayes.DefaultSubjects, exposedWork/work(releases))); subjects < leastSubjects {
			l.leaveOut("how exposed single people are: %d releases of %d people take too long for this list; --exposed-people chooses fewer", releases, leastSubjects)
			return nil
		}
	}
	e, err := bayes.Expose(ctx, candidates, noise, subjects, releases, bayes.Options{
		Prior: list.Prior, People: list.People, Queries: l.target.Queries, Seed: l.Seed ^ streamExposed, Progress: l.share("how often people are named"),
	})
	if err != nil {
		return err
	}
	shares := slices.Compact(slices.Sorted(slices.Values(slices.Concat(exposedShares, l.Than))))
	alpha := l.alpha() / float64(len(shares))
	f := &ExposureFigures{People: len(e.Hits), Releases: releases, Than: l.Than}
	for _, t := range shares {
		f.Above = append(f.Above, ExposedShare{t, outward(e.Above(t, alpha))})
	}
	for _, q := range exposedQuantiles {
		f.Quantile = append(f.Quantile, digits(e.Quantile(q), math.Round))
	}
	inputs := make([]int, len(e.People)) // the first of each person
	for i, p := range e.People {
		if inputs[i] = list.Indices[p%len(list.Indices)]; list.People != nil {
			at, _ := slices.BinarySearch(list.People, p)
			inputs[i] = list.Indices[at]
		}
	}
	for _, i := range e.Most(mostExposed) {
		f.Most = append(f.Most, ExposedInput{inputs[i], digits(float64(e.Hits[i])/float64(releases), math.Round)})
	}
	f.show(l.Candidates.Set)
	f.groups(e, l, inputs, list)
	h.Exposed = f
	return nil
}

// AsManySubjects asks for bayes.DefaultSubjects, or as many people as take about half a minute.
const AsManySubjects = -1

// show keeps the pictures of the most exposed inputs.
func (f *ExposureFigures) show(set *dataset.Set) {
	for _, m := range f.Most {
		if o, ok := originalOf(set, m.Index); ok {
			o.group = fmt.Sprintf("exposed %s: named in %s of releases", o.group, report.Exactly(m.Named, report.Share))
			f.pictures = append(f.pictures, o)
		}
	}
}

// LeastThan is the smallest share of releases above which people are counted: it needs 100,000 releases of each person.
const LeastThan = 2e-4

// ReleasesFor returns the releases of each person that Exposure.Above needs for a share of at least LeastThan: 20 expected hits.
func ReleasesFor(share float64) int { return max(bayes.DefaultReleases, int(math.Ceil(20/share))) }

// leastSubjects is the smallest number of people that are drawn by default.
const leastSubjects = 50

const streamExposed = 0x6578706f73 // "expos"

// groups adds the exposure of people by their attributes, and which of their values is more exposed than another.
func (f *ExposureFigures) groups(e *bayes.Exposure, l *lists, inputs []int, list Peopled) {
	for _, name := range l.Attributes {
		a := l.Candidates.Set.Attribute(name)
		if a == nil || a.Numeric() {
			continue
		}
		if !list.same(a.Labels) {
			l.leaveOut("exposure of people by %s: some have several values of it", name)
			continue
		}
		var values []string // of the people who were drawn
		var named [][]float64
		for k, value := range a.Values {
			if x := e.Named(func(i int) bool { return a.Labels[inputs[i]] == k }); len(x) > 0 {
				alpha := l.alpha() / float64(len(a.Values)*len(l.Attributes))
				values, named, f.Groups = append(values, value), append(named, x), append(f.Groups, ExposedGroup{name, value, len(x), outward(bayes.MeanNamed(x, alpha))})
			}
		}
		if len(values) < 2 {
			continue
		}
		pair, least := ExposedPair{Attribute: name}, math.Inf(1)
		for i, x := range named {
			for j, y := range named {
				if p := bayes.NamedMore(x, y); i != j && p < least {
					pair.More, pair.Less, least = values[i], values[j], p
				}
			}
		}
		need := l.alpha() / float64(len(a.Values)*(len(a.Values)-1)*len(l.Attributes))
		pair.Shown = least <= need
		// The logarithm of the p-value falls about in proportion to the number of people.
		if enough := float64(len(inputs)) * math.Log(need) / math.Log(least); !pair.Shown && enough < float64(list.Count) {
			pair.Enough = min(about(enough), list.Count)
		}
		f.Compared = append(f.Compared, pair)
	}
}
