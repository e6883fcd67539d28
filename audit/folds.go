package audit

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
)

// Streams of the seed, one for each use of chance.
const (
	streamFolds uint64 = iota + 1
	streamSplit
	streamFit
	_ // of a list that is gone: other streams keep their numbers
	streamPermute
	streamIndependence
	streamControl
	streamChannel
	streamGiven
	streamOrder
)

// random returns the generator of one use of chance.
func random(seed, stream, index uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, stream<<32|index))
}

// twinsMost is the largest group of equal rows that counts as copies of an example whatever
// their labels. Larger groups arise when outputs saturate, unless all labels agree, too, as
// in a class that was filled up with copies.
const twinsMost = 10

// twinsDistinct is the share of distinct rows from which equal ones count as
// copies: outputs that are rounded have fewer.
const twinsDistinct = 1. / 3

// twinsRows is the number of distinct rows, each repeated and always with the same labels,
// from which on they count as copies: fewer may be a code for the labels.
const twinsRows = 50

// smallestFold is the number of examples that a fold needs.
const smallestFold = 10

// foldsOf returns the number of folds. With DefaultFolds there are fewer if the other folds
// have MaxFit examples all the same, because each fold costs its fits.
func (o Options) foldsOf(n int) int {
	if o.Folds > 0 {
		return o.Folds
	}
	for k := 2; k < DefaultFolds; k++ {
		if n-n/k >= o.maxFit() {
			return k
		}
	}
	return DefaultFolds
}

func (o Options) maxFit() int {
	if o.MaxFit > 0 {
		return o.MaxFit
	}
	return DefaultMaxFit
}

// deal divides the examples into folds: sorted by y, then by each attribute, in
// random order among equals, they are dealt round, so that folds have their share
// of every class. Examples with the same twin, copies of a row, stay together.
func deal(s *Sample, twin []int, folds int, seed uint64) []int {
	r := random(seed, streamFolds, 0)
	type card struct {
		first int
		lot   uint64
	}
	cards := make([]card, 0, s.Len())
	for i, t := range twin {
		if t == i {
			cards = append(cards, card{i, r.Uint64()})
		}
	}
	ranks := make([][]int, len(s.Sensitive))
	for a := range s.Sensitive {
		ranks[a] = rankClasses(&s.Sensitive[a])
	}
	slices.SortFunc(cards, func(a, b card) int {
		c := cmp.Compare(s.Y[a.first], s.Y[b.first])
		for k := 0; c == 0 && k < len(ranks); k++ {
			c = cmp.Compare(ranks[k][a.first], ranks[k][b.first])
		}
		return cmp.Or(c, cmp.Compare(a.lot, b.lot), cmp.Compare(a.first, b.first))
	})
	fold := make([]int, s.Len())
	for i, c := range cards {
		fold[c.first] = i % folds
	}
	for i, t := range twin {
		fold[i] = fold[t]
	}
	return fold
}

// rankClasses returns classes numbered in the order of their first example, which does
// not depend on what they are called; numbers are in one class.
func rankClasses(a *Attribute) []int {
	if a.Numeric() {
		return make([]int, len(a.Numbers))
	}
	rank, _ := firstSeen(a.Labels, len(a.Values))
	return rank
}

// firstSeen numbers the classes in the order of their first example; back returns
// to the labels.
func firstSeen(labels []int, classes int) (rank, back []int) {
	seen := make([]int, classes)
	rank = make([]int, len(labels))
	for i, l := range labels {
		if seen[l] == 0 {
			back = append(back, l)
			seen[l] = len(back)
		}
		rank[i] = seen[l] - 1
	}
	return rank, back
}

// twins returns for each example the first one that it is a copy of, itself as a
// rule, how many are copies of an earlier one, and how many distinct rows there are.
func twins(s *Sample) (first []int, copies, distinct int) {
	n, w := s.Len(), s.RowWidth()
	first = make([]int, n)
	size := make([]int, n)
	seen := make(map[[sha256.Size]byte]int, n)
	row := make([]byte, 4*w)
	for i := range n {
		for j, v := range s.Outputs[i*w : (i+1)*w] {
			binary.LittleEndian.PutUint32(row[4*j:], math.Float32bits(v))
		}
		key := sha256.Sum256(row)
		if _, ok := seen[key]; !ok {
			seen[key] = i
		}
		first[i] = seen[key]
		size[first[i]]++
	}
	pure := alike(s, first)
	few := float64(len(seen)) < twinsDistinct*float64(n)
	all := len(seen) >= twinsRows // rows that are there more than once, with equal labels
	for _, t := range first {
		all = all && size[t] > 1 && pure[t]
	}
	for i, t := range first {
		if copied := all || !few && (size[t] <= twinsMost || pure[t]); !copied {
			first[i] = i
		} else if t != i {
			copies++
		}
	}
	return first, copies, len(seen)
}

// alike reports of each first example of equal rows whether y and all attributes of the
// others are equal to its own.
func alike(s *Sample, first []int) []bool {
	same := make([]bool, len(first))
	for i, t := range first {
		if same[i] = t == i; t == i {
			continue
		}
		ok := s.Y[i] == s.Y[t]
		for a := range s.Sensitive {
			if at := &s.Sensitive[a]; at.Numeric() {
				ok = ok && at.Numbers[i] == at.Numbers[t]
			} else {
				ok = ok && at.Labels[i] == at.Labels[t]
			}
		}
		if !ok {
			same[t] = false
		}
	}
	return same
}
