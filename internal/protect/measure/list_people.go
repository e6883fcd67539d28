package measure

import (
	"fmt"
	"math"
	"slices"

	"tattle/internal/data/dataset"
	"tattle/internal/math/stat"
	"tattle/internal/protect/bayes"
	"tattle/internal/run"
)

// streamPeople is the number of the random stream of intervals over people.
const streamPeople = 8

// Peopled are inputs of a list, with whom they are of. Where the data say who, a random input is that of a random
// person, and then a random one of theirs.
type Peopled struct {
	Indices []int
	Prior   []float64 // of each input; nil: all are equally likely
	People  []int     // of each input, those of one person one after another; nil: each input is of another person
	Count   int       // people
}

// PeopledOf returns inputs of a set, in their order or, where they are of people, ordered by these.
func PeopledOf(set *dataset.Set, indices []int) Peopled {
	g := set.Group
	if g == nil {
		return Peopled{Indices: indices, Count: len(indices)}
	}
	order, prior, people := bayes.ByPeople(dataset.Pick(g.Labels, 1, indices))
	in := Peopled{Indices: dataset.Pick(indices, 1, order), Prior: prior, People: people}
	if n := len(people); n > 0 {
		in.Count = people[n-1] + 1
	}
	return in
}

// Others returns the list without its last person, who gives way to another.
func (in Peopled) Others() Peopled {
	n := in.first(in.Count - 1)
	out := Peopled{Indices: in.Indices[:n], Count: in.Count - 1}
	if in.People != nil {
		out.People = in.People[:n]
		for _, p := range in.Prior[:n] {
			out.Prior = append(out.Prior, p*float64(in.Count)/float64(out.Count))
		}
	}
	return out
}

// same reports whether all inputs of each person have the same label.
func (in Peopled) same(labels []int) bool {
	for k := 1; k < len(in.People); k++ {
		if in.People[k] == in.People[k-1] && labels[in.Indices[k]] != labels[in.Indices[k-1]] {
			return false
		}
	}
	return true
}

// likeliest returns the prior probability of the n likeliest inputs together.
func (in Peopled) likeliest(n int) float64 {
	if in.Prior == nil {
		return min(1, float64(n)/float64(len(in.Indices)))
	}
	top, sum := slices.Sorted(slices.Values(in.Prior)), 0.
	for _, p := range top[max(0, len(top)-n):] {
		sum += p
	}
	return min(sum, 1)
}

// weight returns the prior probability of the i-th input.
func (in Peopled) weight(i int) float64 {
	if in.Prior == nil {
		return 1 / float64(len(in.Indices))
	}
	return in.Prior[i]
}

// first returns how many inputs the first n people have.
func (in Peopled) first(n int) int {
	if in.People == nil {
		return min(n, len(in.Indices))
	}
	inputs, _ := slices.BinarySearch(in.People, n)
	return inputs
}

// Draw returns indices of inputs of the list, at most so many, in an order drawn by the seed. A negative most means all. A
// person has all of their inputs drawn, or none.
func (l *List) Draw(most int, seed uint64) []int {
	g := l.Set.Group
	if g == nil {
		return DrawCandidates(l.Set.Len(), most, seed)
	}
	var rows []int
	of := inputsOfEach(g)
	for _, k := range run.Rand(seed, 0, streamList).Perm(len(of)) {
		if more := of[k]; most < 0 || len(rows)+len(more) <= most {
			rows = append(rows, more...)
		}
	}
	return rows
}

// DividePeople divides the inputs of a set so that no person is on both sides. One person in share is drawn for some, at least
// one; others has the inputs of the rest.
func DividePeople(set *dataset.Set, share int, seed uint64) (some, others []int) {
	of := inputsOfEach(set.Group)
	for i, k := range run.Rand(seed, 0, streamList).Perm(len(of)) {
		if i < max(1, len(of)/share) {
			some = append(some, of[k]...)
		} else {
			others = append(others, of[k]...)
		}
	}
	slices.Sort(some)
	slices.Sort(others)
	return some, others
}

// inputsOfEach returns the inputs of each person who has some, in the order of the first ones.
func inputsOfEach(g *dataset.Attribute) [][]int {
	person, n := stat.Numbered(g.Labels)
	of := make([][]int, n)
	for i, p := range person {
		of[p] = append(of[p], i)
	}
	return of
}

// sample is Draw for limits without a list, which are about independent draws of people: of all people, or of most if there are
// more, it draws as many inputs as there are places, but of nobody more than of another who has them. To leave out people with many
// inputs, as Draw does, would make those with few likelier than they are. These people are still independent draws: with all numbers of
// inputs given, the mean loss of a fixed estimator over the drawn inputs of a person has the expectation that it has over all of theirs.
func (l *List) sample(most int, seed uint64) []int {
	if l.Set.Group == nil {
		return l.Draw(most, seed)
	}
	of, r := inputsOfEach(l.Set.Group), run.Rand(seed, 0, streamList)
	order := r.Perm(len(of))
	if most >= 0 {
		order = order[:min(most, len(order))]
	}
	inputs := func(each int) (sum int) {
		for _, k := range order {
			sum += min(each, len(of[k]))
		}
		return sum
	}
	each := math.MaxInt
	if most >= 0 && inputs(each) > most {
		for each = 1; inputs(each+1) <= most; {
			each++
		}
	}
	var rows []int
	for _, k := range order {
		own := of[k]
		if len(own) > each {
			r.Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
			own = own[:each]
		}
		rows = append(rows, own...)
	}
	return rows
}

// checkPeople returns an error if two lists, one of which the model may have learned from, have people in common: limits
// without a list are about other people.
func checkPeople(candidates, sample *List) error {
	if candidates == nil || sample == nil || candidates.Set.Group == nil || sample.Set.Group == nil || candidates.same(sample) {
		return nil
	}
	known, shared := map[string]bool{}, map[string]bool{}
	for _, p := range candidates.Set.Group.Labels {
		known[candidates.Set.Group.Values[p]] = true
	}
	for _, p := range sample.Set.Group.Labels {
		if name := sample.Set.Group.Values[p]; known[name] {
			shared[name] = true
		}
	}
	if len(shared) > 0 {
		return &OptionError{Option: "Group", Err: fmt.Errorf("%d people are in %s and in %s: the sample must be of other people than the model learned from", len(shared), candidates.Name, sample.Name), Hint: "divide the data by people"}
	}
	return nil
}
