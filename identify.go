package tattle

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/protect/bayes"
	"tattle/internal/protect/release"
)

// IdentifyOptions are the settings of Identify. The zero value is the default.
type IdentifyOptions struct {
	Releases   int         // independent releases of an input; 0 is 1
	Draws      int         // random draws: more make the limits narrower; 0 is 10,000, or 500 for Laplace noise, which is slow
	Attributes []Attribute // of the inputs on the list
	// Group numbers the person that each input on the list is of; nil: each is of another person. The input is then that of
	// a random person, and a random one of theirs.
	Group []int
	// Expose is how many people are drawn for Identification.Exposed; 0: none.
	Expose int
	Seed   uint64
}

// Attribute is a sensitive attribute of the inputs on a list.
type Attribute struct {
	Name   string
	Labels []int // of each input, from 0
}

// Identification is what the best adversary with a list of inputs achieves: no adversary who has the list and
// the releases of one input that is drawn from it does better, on average over the list.
type Identification struct {
	First, Ten Limit // the probability that the input is named with one guess, and with ten
	Person     Limit // that the person is named with one guess; First without IdentifyOptions.Group
	Bits       Limit // that the release reveals about which input it is
	// Floor is the least root-mean-square error of a reconstruction, in the units of the inputs.
	Floor Limit
	// Guessed are how often each attribute is guessed right, and Prior how often without the release, by its
	// most frequent class.
	Guessed []Limit
	Prior   []float64
	// Exposed has, for each of IdentifyOptions.Expose people, the share of releases that name them, ascending. The adversary names
	// the likeliest. It is estimated from 100 releases of each.
	Exposed []float64
}

// Identify limits every adversary with a list of inputs, biased or not, who sees the release of one of them, each
// with the same probability. It draws inputs and their noise, and computes the posterior probability of every
// input on the list. Inputs on it differ, and the noise is not of a table. With people, each is drawn with the same probability.
func (m *Model) Identify(ctx context.Context, list [][]float32, n Noise, o IdentifyOptions) (*Identification, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	if err := m.checkAll("the list", list); err != nil {
		return nil, err
	}
	seen := map[string]int{}
	for i, x := range list {
		key := fmt.Sprint(x)
		if j, ok := seen[key]; ok {
			return nil, fmt.Errorf("the list: inputs %d and %d are equal: name each once", j, i)
		}
		seen[key] = i
	}
	if o.Releases < 0 {
		return nil, fmt.Errorf("%d releases: give 1 or more", o.Releases)
	}
	m, noise, err := m.released(n)
	if err != nil {
		return nil, err
	}
	density, ok := noise.(bayes.Density)
	if !ok {
		return nil, fmt.Errorf("noise %q: its density is not known: give lattice, gaussian or laplace", n.Family)
	}
	var attributes []bayes.Attribute
	for _, a := range o.Attributes {
		b, err := attributeOf(a, len(list))
		if err != nil {
			return nil, err
		}
		attributes = append(attributes, b)
	}
	all, options := nn.Indices(len(list)), bayes.Options{Draws: o.Draws, Queries: o.Releases, Seed: o.Seed}
	if o.Group != nil {
		if len(o.Group) != len(list) {
			return nil, fmt.Errorf("people of %d inputs, and the list has %d: give one for each", len(o.Group), len(list))
		}
		all, options.Prior, options.People = bayes.ByPeople(o.Group)
		for k, a := range attributes {
			sorted := make([]int, len(all))
			for i, j := range all {
				sorted[i] = a.Class[j]
			}
			attributes[k].Class, attributes[k].Prior, attributes[k].People = sorted, options.Prior, options.People
		}
	}
	candidates := bayes.Inputs{Front: release.Dithered(m.front, noise), Data: inputs(list), Indices: all}
	r, err := bayes.Run(ctx, candidates, density, attributes, options)
	if err != nil {
		return nil, err
	}
	squares := make([]float64, len(r.Draws))
	for i, d := range r.Draws {
		squares[i] = meanSquare(list[all[d.Truth]], list[all[d.Other]])
	}
	first, ten := r.Identified(alpha)
	floor := r.Floor(squares, diameter(list), alpha)
	id := &Identification{First: Limit(first), Ten: Limit(ten), Person: Limit(r.Named(alpha)), Bits: Limit(r.Bits(alpha)), Floor: Limit{math.Sqrt(floor.Mean), math.Sqrt(floor.Low), math.Sqrt(floor.High)}}
	for k, a := range attributes {
		guessed, _ := r.Guessed(k, alpha)
		prior, _ := a.Majority()
		id.Guessed, id.Prior = append(id.Guessed, Limit(guessed)), append(id.Prior, prior)
	}
	if o.Expose > 0 {
		e, err := bayes.Expose(ctx, candidates, density, o.Expose, bayes.DefaultReleases, options)
		if err != nil {
			return nil, err
		}
		for _, h := range e.Hits {
			id.Exposed = append(id.Exposed, float64(h)/float64(e.Releases))
		}
		slices.Sort(id.Exposed)
	}
	return id, nil
}

// attributeOf checks an attribute of n inputs.
func attributeOf(a Attribute, n int) (b bayes.Attribute, err error) {
	if len(a.Labels) != n {
		return b, fmt.Errorf("attribute %s has %d labels of %d inputs: give one for each", a.Name, len(a.Labels), n)
	}
	b = bayes.Attribute{Name: a.Name, Class: a.Labels}
	for i, l := range a.Labels {
		if l < 0 || l >= n {
			return b, fmt.Errorf("attribute %s, input %d: label %d: number the classes from 0", a.Name, i, l)
		}
		b.Classes = max(b.Classes, l+1)
	}
	return b, nil
}

// meanSquare returns the mean squared difference of two inputs.
func meanSquare(x, y []float32) float64 {
	var sum float64
	for k, v := range x {
		sum += math.Pow(float64(v)-float64(y[k]), 2)
	}
	return sum / float64(len(x))
}

// diameter returns an upper bound on the mean squared difference of any two inputs.
func diameter(list [][]float32) float64 {
	var sum float64
	for k := range list[0] {
		low, high := math.Inf(1), math.Inf(-1)
		for _, x := range list {
			low, high = min(low, float64(x[k])), max(high, float64(x[k]))
		}
		sum += (high - low) * (high - low)
	}
	return sum / float64(len(list[0])) * (1 + 1e-12)
}
