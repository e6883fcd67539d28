package bayes

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"tattle/internal/math/simd"
	"tattle/internal/run"
)

const (
	blockCandidates = 2048    // most candidates read and multiplied at a time: 13 MB for 784 features
	blockFeatures   = 1 << 24 // most features of a block, for inputs with many features: 134 MB
	blockDraws      = 256     // draws whose likelihoods are held at a time: 4 MB
	most            = 10      // number of candidates in Draw.Ten

	// negligible is a log probability relative to the likeliest candidate. Anything below it
	// counts as zero: 10⁹ such candidates together are below 10⁻¹⁶.
	negligible = -60
)

// blockOf returns the number of candidates with so many features that are read at a time.
func blockOf(dim int) int { return min(blockCandidates, max(blockFeatures/dim, 1)) }

// state is the posterior of one draw over the candidates read so far. Sums are relative to the
// largest log-likelihood so far, and are rescaled when it grows.
type state struct {
	truth   int           // its index; −1: not a candidate
	own     float64       // log-likelihood of the true input
	equals  float64       // difference of log-likelihoods up to which a candidate is as likely
	largest float64       // log-likelihood of all so far
	weight  float64       // Σ e^(l−largest)
	moment  float64       // Σ (l−largest)·e^(l−largest)
	top     [most]float64 // largest log-likelihoods, descending
	above   int           // number of candidates likelier than the true input
	equal   int           // number of other candidates that are as likely
	other   int           // candidate drawn with probability e^l/Σ e^l
	random  *rand.Rand
	hidden  bool        // only above, equal and top are wanted
	person  people      // of several candidates each
	classes [][]float64 // of each attribute: Σ e^(l−largest) by class
	given   [][]float64 // the same over candidates with the target of the true input; nil without targets
	among   []float64   // Draw.Top with the shorter lists of Options.Among
}

// people are the sums Σ e^(l−largest) over the candidates of people, which follow one another.
type people struct {
	own     int     // the true person; −1: each candidate is another person
	now     int     // the person whose candidates are read
	sum     float64 // of that person so far
	ofOwn   float64 // of the true person
	largest float64 // of the others
	moment  float64 // Σ s·ln s of all sums s that are complete
	equal   int     // number of the others who have the largest, but for rounding
}

// equalPeople is the relative difference of sums up to which two people are as likely: rounding makes people with equal
// candidates differ by less.
const equalPeople = 1e-9

// close ends the person whose candidates were read.
func (p *people) close() {
	p.moment += entropic(p.sum)
	switch {
	case p.now == p.own:
		p.ofOwn = p.sum
	case p.sum > p.largest*(1+equalPeople):
		p.largest, p.equal = p.sum, 1
	case p.sum >= p.largest*(1-equalPeople):
		p.largest, p.equal = max(p.largest, p.sum), p.equal+1
	}
	p.sum = 0
}

// entropic returns x·ln x, 0 for 0.
func entropic(x float64) float64 {
	if x <= 0 {
		return 0
	}
	return x * math.Log(x)
}

// rescale multiplies all weights by e^fall; the complete sums add up to complete.
func (p *people) rescale(fall, complete float64) {
	scale := math.Exp(fall)
	p.moment = (p.moment + fall*complete) * scale
	p.sum, p.ofOwn, p.largest = p.sum*scale, p.ofOwn*scale, p.largest*scale
}

// add adds the weights of candidates of the given people; none weighs anything if weights is nil.
func (p *people) add(weights []float64, of []int) {
	for j, person := range of {
		if person != p.now {
			p.close()
			p.now = person
		}
		if weights != nil {
			p.sum += weights[j]
		}
	}
}

// posteriors is the result of stream.
type posteriors struct {
	draws    []Draw
	inferred [][]Inference
	among    [][]float64 // [list][draw]
}

// stream reads the candidates once and returns the posterior of every draw.
func stream(ctx context.Context, list Candidates, l likelihoods, d *drawn, attributes []Attribute, o Options) (*posteriors, error) {
	prior := o.logPrior()
	states := newStates(l, d, attributes, prior, o.People)
	block := blockOf(list.Dim())
	likelihood := make([]float64, blockDraws*min(block, list.Len()))
	err := eachBlock(ctx, list, block, func(indices []int, features []float64) error {
		from, n := indices[0], len(indices)
		l.load(features, n)
		for lo := 0; lo < len(states); lo += blockDraws {
			if err := ctx.Err(); err != nil {
				return err
			}
			hi := min(lo+blockDraws, len(states))
			rows := likelihood[:(hi-lo)*n]
			l.rows(rows, lo, hi)
			simd.Parallel(hi-lo, 4, func(first, last int) {
				for b := first; b < last; b++ {
					row := rows[b*n : (b+1)*n]
					if prior != nil {
						simd.Axpy(1, prior[from:from+n], row)
					}
					states[lo+b].shorten(row, from, o.Among)
					states[lo+b].add(row, from, attributes, o.People)
				}
			})
			if o.Progress != nil {
				o.Progress((float64(from) + float64(n)*float64(hi)/float64(len(states))) / float64(list.Len()))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := &posteriors{draws: make([]Draw, len(states)), inferred: make([][]Inference, len(attributes)), among: make([][]float64, len(o.Among))}
	for k := range attributes {
		out.inferred[k] = make([]Inference, len(states))
	}
	for b := range states {
		out.draws[b] = states[b].draw()
		for k := range attributes {
			out.inferred[k][b] = states[b].inference(k)
		}
		for k, top := range states[b].among {
			out.among[k] = append(out.among[k], top)
		}
	}
	return out, nil
}

func newStates(l likelihoods, d *drawn, attributes []Attribute, prior []float64, of []int) []state {
	states := make([]state, len(d.truth))
	for b := range states {
		s := &states[b]
		s.truth = d.truth[b]
		if d.hidden {
			s.truth, s.equals = -1, hiddenEquals
		}
		s.hidden = (d.hidden || d.ranked) && d.owns == nil
		s.own = l.own(b, d.features[b*d.dim:(b+1)*d.dim])
		if prior != nil && !d.hidden {
			s.own += prior[d.truth[b]]
		}
		if s.person = (people{own: -1, now: -1}); of != nil && !d.hidden {
			s.person.own = of[d.truth[b]]
		}
		if s.largest = math.Inf(-1); d.owns != nil {
			s.hide(d.owns[b])
		}
		s.random = run.Rand(d.seed, b, streamPosterior)
		for i := range s.top {
			s.top[i] = math.Inf(-1)
		}
		for _, a := range attributes {
			s.classes = append(s.classes, make([]float64, a.Classes))
			var given []float64
			if a.Target != nil {
				given = make([]float64, a.Classes)
			}
			s.given = append(s.given, given)
		}
	}
	return states
}

// hide adds the person of the true input, who is not on the list, by the log-likelihoods of all inputs of theirs.
func (s *state) hide(own []float64) {
	s.largest = slices.Max(own)
	for _, l := range own {
		s.weight += math.Exp(l - s.largest)
	}
	s.person.own, s.person.ofOwn, s.person.moment = math.MaxInt, s.weight, entropic(s.weight)
}

// shorten completes the shorter lists that end within candidates from, from+1, … of log-likelihoods l.
func (s *state) shorten(l []float64, from int, lengths []int) {
	for _, n := range lengths {
		last := s.truth >= n-1 // the true input is the last one
		if last {
			n--
		}
		if n <= from || n > from+len(l) {
			continue
		}
		part := slices.Clone(l[:n-from])
		largest := max(s.largest, slices.Max(part))
		if last {
			largest = max(largest, s.own)
		}
		weight, _ := simd.ExpSums(part, part, largest, negligible)
		if s.weight > 0 {
			weight += s.weight * math.Exp(s.largest-largest)
		}
		if last {
			weight += math.Exp(s.own - largest)
		}
		s.among = append(s.among, 1/weight)
	}
}

// add updates the posterior with the log-likelihoods l of candidates from, from+1, ….
func (s *state) add(l []float64, from int, attributes []Attribute, of []int) {
	if of != nil {
		of = of[from : from+len(l)]
	}
	highest, asLikely, likelier := simd.Rank(l, s.own-s.equals, s.own+s.equals)
	s.above += likelier
	s.equal += asLikely - likelier
	if i := s.truth - from; i >= 0 && i < len(l) && l[i] >= s.own-s.equals && l[i] <= s.own+s.equals {
		s.equal--
	}
	if highest > s.top[most-1] {
		for _, v := range l {
			if v > s.top[most-1] {
				s.insert(v)
			}
		}
	}
	if s.hidden {
		return
	}
	if highest > s.largest {
		s.rescale(highest)
	}
	if highest-s.largest < negligible {
		s.person.add(nil, of)
		return
	}
	weight, moment := simd.ExpSums(l, l, s.largest, negligible)
	s.moment += moment
	s.person.add(l, of)
	for k, a := range attributes {
		target := -1
		if a.Target != nil {
			target = a.Target[s.truth]
		}
		for j, e := range l {
			class := a.Class[from+j]
			s.classes[k][class] += e
			if a.Target != nil && a.Target[from+j] == target {
				s.given[k][class] += e
			}
		}
	}
	start := s.weight
	s.weight = start + weight
	// Replace the candidate by one of this block, with the block's share of the weight so far.
	if s.random.Float64()*s.weight < weight {
		s.other = from + pick(l, s.random.Float64()*weight)
	}
}

// insert inserts a log-likelihood into top.
func (s *state) insert(v float64) {
	i := most - 1
	for ; i > 0 && s.top[i-1] < v; i-- {
		s.top[i] = s.top[i-1]
	}
	s.top[i] = v
}

// rescale makes the sums relative to a larger log-likelihood.
func (s *state) rescale(largest float64) {
	if s.weight > 0 {
		fall := s.largest - largest
		scale := math.Exp(fall)
		s.person.rescale(fall, s.weight-s.person.sum)
		s.moment = (s.moment + fall*s.weight) * scale
		s.weight *= scale
		for k := range s.classes {
			simd.Scale(scale, s.classes[k])
			simd.Scale(scale, s.given[k])
		}
	}
	s.largest = largest
}

// pick returns the first index at which the cumulative weight exceeds u, or the last index with
// a positive weight.
func pick(weight []float64, u float64) (at int) {
	for j, w := range weight {
		if w == 0 {
			continue
		}
		at = j
		if u -= w; u < 0 {
			break
		}
	}
	return at
}

// draw summarises the posterior.
func (s *state) draw() Draw {
	d := Draw{Truth: s.truth, Other: s.other, Top: 1 / s.weight, Likelier: s.above, AsLikely: s.equal, Rank: 1 + float64(s.above) + float64(s.equal)/2,
		Entropy: (math.Log(s.weight) - s.moment/s.weight) / math.Ln2}
	for _, v := range s.top {
		d.Ten += math.Exp(v-s.largest) / s.weight
	}
	d.Ten, d.Entropy = min(d.Ten, 1), max(d.Entropy, 0)
	if p := &s.person; p.own < 0 {
		d.Person, d.Hit = d.Top, s.above == 0 && s.random.IntN(1+s.equal) == 0
	} else {
		p.close()
		d.Entropy = max((math.Log(s.weight)-p.moment/s.weight)/math.Ln2, 0)
		d.Person = min(max(p.ofOwn, p.largest)/s.weight, 1)
		d.Hit = p.ofOwn > p.largest*(1+equalPeople) || p.ofOwn >= p.largest*(1-equalPeople) && s.random.IntN(1+p.equal) == 0
	}
	return d
}

// inference summarises the posterior of attribute k.
func (s *state) inference(k int) Inference {
	in := Inference{Score: make([]float64, len(s.classes[k]))}
	for c, w := range s.classes[k] {
		in.Score[c] = min(w/s.weight, 1)
	}
	in.Best, in.Entropy = summarise(s.classes[k])
	if s.given[k] != nil {
		in.GivenBest, in.GivenEntropy = summarise(s.given[k])
	}
	return in
}

// summarise returns the largest share of the weights, and the entropy of the shares in bits.
func summarise(weight []float64) (largest, bits float64) {
	total := simd.Sum(weight)
	for _, w := range weight {
		if p := w / total; p > 0 {
			largest = max(largest, p)
			bits -= p * math.Log2(p)
		}
	}
	return min(largest, 1), max(bits, 0)
}
