package bayes

import (
	"context"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
	"tattle/internal/math/stat"
	"tattle/internal/protect/release"
	"tattle/internal/run"
)

// ByPeople orders candidates by the people whom they are of, group[j] being that of candidate j: for a random person and
// then a random candidate of theirs, it returns the order, and the Prior and People of Options in it. People come as in group.
func ByPeople(group []int) (order []int, prior []float64, people []int) {
	of, n := stat.Numbered(group)
	inputs := make([]int, n)
	for j, p := range of {
		inputs[p]++
		order = append(order, j)
	}
	slices.SortStableFunc(order, func(i, j int) int { return of[i] - of[j] })
	for _, j := range order {
		people, prior = append(people, of[j]), append(prior, 1/(float64(len(inputs))*float64(inputs[of[j]])))
	}
	return order, prior, people
}

// Exposure says how often each of some people of a list, drawn at random, is named by the adversary who names the likeliest one; of
// equally likely ones one at random. It is a figure of this rule: another one may name some people more often, and others
// less.
type Exposure struct {
	People   []int // those who were drawn, by their number; where each candidate is another person, by that of the candidate
	Releases int   // of each of them, of random inputs of theirs
	Hits     []int // releases in which each is named
}

const (
	// DefaultSubjects is the number of people that are drawn: with fewer than 725 of whom none is exposed, no limit of 1 %
	// holds with 99.9 % confidence.
	DefaultSubjects = 750
	// DefaultReleases is the number of releases of each.
	DefaultReleases = 100

	exposedValues = 1 << 26 // most numbers of the releases that are drawn at a time: 0.5 GB
	streamPeople  = 2       // of random numbers: who is drawn
)

// peopleOf returns the number of people whose releases are drawn at a time.
func peopleOf(releases, queries, dim int) int { return max(1, exposedValues/(releases*queries*dim)) }

// Expose draws people of the list and releases of their inputs, and counts how often each is named. All options but Draws
// have the meaning of Run, whose errors it returns.
func Expose(ctx context.Context, list Candidates, noise Density, subjects, releases int, o Options) (*Exposure, error) {
	count := list.Len()
	if err := o.checkPrior(count); err != nil {
		return nil, err
	}
	noise, o.Queries = averaged(noise, o.Queries)
	of := ofEach(o.People, count)
	e := &Exposure{Releases: releases, People: run.Rand(o.Seed, 0, streamPeople).Perm(len(of))}
	e.People = e.People[:min(subjects, len(of))]
	if ByDistance(list, noise, o) {
		var fine bool
		var err error
		if e.Hits, fine, err = nearest(ctx, list, noise, e.People, of, releases, o); err != nil || fine {
			return e, err
		}
	}
	e.Hits = make([]int, len(e.People))
	each := peopleOf(releases, o.Queries, list.Dim())
	for from := 0; from < len(e.People); from += each {
		some := e.People[from:min(len(e.People), from+each)]
		part, progress := o, o.Progress
		part.Draws, part.Seed = len(some)*releases, o.Seed^uint64(from)<<20
		if progress != nil {
			part.Progress = func(p float64) {
				progress((float64(from) + p*float64(len(some))) / float64(len(e.People)))
			}
		}
		hits, err := expose(ctx, list, noise, some, of, part)
		if err != nil {
			return nil, err
		}
		for k := range hits {
			e.Hits[from+k/releases] += hits[k]
		}
	}
	return e, nil
}

// expose returns 1 for each release in which the person is named.
func expose(ctx context.Context, list Candidates, noise release.Noise, some []int, of [][]int, o Options) ([]int, error) {
	releases := o.Draws / len(some)
	draws, err := drawEach(ctx, list, noise, o, func(b int, r *rand.Rand) int {
		own := of[some[b/releases]]
		return own[r.IntN(len(own))]
	})
	if err != nil {
		return nil, err
	}
	draws.ranked = o.People == nil
	l := newLikelihoods(&draws.releases, noise.(Density))
	found, err := stream(ctx, list, l, draws, nil, o)
	if err != nil {
		return nil, err
	}
	if !(2*l.rounding() < 1e-3) {
		return nil, ErrRounding
	}
	hits := make([]int, o.Draws)
	for b, d := range found.draws {
		if d.Hit {
			hits[b] = 1
		}
	}
	return hits, nil
}

// The parts of the probability that a limit of Above fails which belong to the releases: with a larger one, fewer
// people count as exposed in the upper limit, but these people are a smaller part of all.
const (
	missedAbove = .05
	missedBelow = .001
)

// Above returns the share of people of the list who are named in more than a share t of releases of theirs, with limits that
// are wrong with a probability of at most alpha each.
//
// Upper limit: let k be the largest number with P(Bin(releases, t) < k) ≤ β. A person who is named in more than t
// has k hits or more with probability 1 − β, so if u is an upper limit on the probability that a person has k hits, of
// Clopper and Pearson, u/(1 − β) is one on the share. Lower limit: let k be the smallest number with P(Bin(releases, t) ≥ k) ≤
// β. A person who is not exposed has k hits with probability β at most, so (l − β)/(1 − β) is a limit. The people are
// independent draws, or draws without replacement, for which Clopper and Pearson's limits are wider than they need to be.
func (e *Exposure) Above(t, alpha float64) Limit {
	m, n := len(e.Hits), e.Releases
	with := func(k int) (count int) { // people with so many hits or more
		for _, h := range e.Hits {
			if h >= k {
				count++
			}
		}
		return count
	}
	below := func(k int) float64 { // P(Bin(n, t) < k), for k from 1 to n
		return mathext.RegIncBeta(float64(n-k+1), float64(k), 1-t)
	}
	limit := Limit{Mean: float64(with(int(t*float64(n))+1)) / float64(m), High: 1}
	k := 0
	for k < n && below(k+1) <= missedAbove {
		k++
	}
	if k > 0 {
		u := stat.ClopperPearson(with(k), m, 1-2*alpha).High
		limit.High = min(1, u/(1-missedAbove))
	}
	for k = 1; k <= n && 1-below(k) > missedBelow; k++ {
	}
	if k <= n {
		l := stat.ClopperPearson(with(k), m, 1-2*alpha).Low
		limit.Low = max(0, (l-missedBelow)/(1-missedBelow))
	}
	limit.Low, limit.High = min(limit.Low, limit.Mean), max(limit.High, limit.Mean)
	return limit
}

// Quantile returns in which share of releases the person is named whom a share p of people are named less often than; it
// includes the chance of the releases.
func (e *Exposure) Quantile(p float64) float64 {
	return stat.Quantile(e.Named(nil), p)
}

// Named returns in which share of releases people are named, in the order of People: those whom keep accepts by their place, or
// all if it is nil.
func (e *Exposure) Named(keep func(i int) bool) (share []float64) {
	for i, h := range e.Hits {
		if keep == nil || keep(i) {
			share = append(share, float64(h)/float64(e.Releases))
		}
	}
	return share
}

// MeanNamed returns the mean of some of Named, with limits for all people like them on the list, each wrong with a
// probability of at most alpha. They are by bets on each person's share of releases: see stat.BetLow.
func MeanNamed(named []float64, alpha float64) Limit {
	mean, missed := min(simd.Sum(named)/float64(len(named)), 1), make([]float64, len(named))
	for i, v := range named {
		missed[i] = 1 - v
	}
	return aside(Limit{Mean: mean, Low: min(stat.BetLow(named, alpha), mean), High: max(1-stat.BetLow(missed, alpha), mean)})
}

// aside moves the limits of a share of releases apart by what the mean of several releases may differ from its noise.
func aside(l Limit) Limit {
	l.Low, l.High = max(0, l.Low-release.MeanError), min(1, l.High+release.MeanError)
	return l
}

// NamedMore returns a p-value of "people like the first are named no more often on average than people like the second", by a
// bet on pairs. People are drawn in random order, so those at equal places are random pairs.
func NamedMore(named, others []float64) float64 {
	more := make([]float64, min(len(named), len(others)))
	for i := range more {
		more[i] = named[i] - others[i]
	}
	return stat.BetTest(more, -1, 0)
}

// Most returns the places in People of the n who are named most often, the first ones of those who are equal.
func (e *Exposure) Most(n int) []int {
	order := nn.Indices(len(e.Hits))
	slices.SortStableFunc(order, func(i, j int) int { return e.Hits[j] - e.Hits[i] })
	return order[:min(n, len(order))]
}
