package measure

import (
	"context"
	"fmt"
	"math"

	"tattle/internal/engine/nn"
	"tattle/internal/protect/bayes"
	"tattle/internal/protect/release"
)

// samplingSteps are the parts of the sample for which limits are computed, to show how they
// grow with its size: one input, or person, in 100, one in 10, all.
var samplingSteps = []int{100, 10, 1}

// leastSample is the size of the smallest such part.
const leastSample = 100

// anybody computes limits for adversaries without a list who know the distribution of inputs.
func (l *lists) anybody(ctx context.Context) error {
	chosen := l.chooseSample()
	if len(chosen) < 2 {
		return fmt.Errorf("%d inputs: at least 2 are needed", len(chosen))
	}
	half := l.alpha() / 2 // one half of alpha is for the draws, the other for the sample
	population, ok := l.population(half)
	if !ok {
		return nil
	}
	if c := l.Candidates; c != nil && !c.same(l.Sample) {
		l.out.Shared = len(chosen) - len(unseen(c.Set, l.Sample.Set, nn.Indices(c.Set.Len()), chosen))
	}
	whole := PeopledOf(l.Sample.Set, chosen)
	for _, part := range samplingSteps {
		some := whole.Indices[:whole.first(whole.Count/part)]
		apart := whole.first(SetApart(whole.Count / part))
		balls, rest := l.balls(some[:apart]), PeopledOf(l.Sample.Set, some[apart:])
		if part > 1 && rest.Count < leastSample {
			continue
		}
		// Equal inputs stay in the sample: they, too, are independent draws.
		what := fmt.Sprintf("sample of %d", len(some))
		found, err := l.posterior(ctx, what, l.Sample, rest)
		if err != nil {
			return err
		}
		p := Population{List: l.Sample.used(PeopledOf(l.Sample.Set, some), 0), Apart: apart, Inferred: l.inferred(found, half)}
		floors, err := l.floors(ctx, what, found, half, balls)
		if err != nil {
			return err
		}
		population.N = rest.Count
		l.extend(&p, population, rest, floors, found.attributes, balls)
		l.out.Anybody = append(l.out.Anybody, p)
	}
	return nil
}

// population returns what extends limits from the sample to adversaries who have no list. Each limit
// may be wrong with probability alpha. The caller sets N. It returns false if no such limit can be
// proved because too much about the noise was computed from the sample.
func (l *lists) population(alpha float64) (bayes.Population, bool) {
	p := bayes.Population{Alpha: alpha}
	l.out.NoiseFrom = l.target.FromData
	switch from := l.target.FromData; {
	case from == SigmaFrom && release.SelfDecomposable(l.target.Noise):
		p.Scaled = true
	case from == SigmaFrom:
		l.leaveOut("limits for adversaries without a list: the strength of this noise was computed from the sample; --sigma chooses it without")
		return p, false
	case from == ClipFrom:
		lattice, ok := l.target.Noise.(release.Lattice)
		if !ok || math.Abs(math.Log2(lattice.Clip)) >= latticeClips/2 {
			l.leaveOut("limits for adversaries without a list: the clip of the lattice was computed from the sample, and is beyond 2^±%d; --noise lattice:DELTA:CLIP chooses it without", latticeClips/2)
			return p, false
		}
		p.Choices = latticeClips
	case from == BothFrom:
		l.leaveOut("limits for adversaries without a list: the strength of the noise was computed from the sample; --sigma chooses it without")
		return p, false
	}
	return p, true
}

// nearly is the part of an error in the sample itself that a limit reaches with enough people.
const nearly = .9

// weakened says what counting people costs: least returns a lower limit on an error from a sample of that size.
func weakened(population bayes.Population, rest Peopled, goal float64, least func(bayes.Population) float64) *Weaker {
	if rest.Count == len(rest.Indices) {
		return nil
	}
	rows := population
	rows.N = len(rest.Indices)
	enough := population.Enough(func(q bayes.Population) bool { return least(q) >= goal })
	return &Weaker{People: rest.Count, Rows: digits(least(rows), math.Floor), Enough: about(float64(enough))}
}

// about rounds a number up to two digits.
func about(n float64) int {
	if n < 10 {
		return int(math.Ceil(n))
	}
	unit := math.Pow(10, math.Floor(math.Log10(n))-1)
	return int(math.Ceil(n/unit) * unit)
}

// latticeClips is at least the number of clips between 2^−32 and 2^32 that release.CompleteLattice
// chooses from: powers of two, both ends excluded.
const latticeClips = 64

// extend adds the limits for adversaries without a list. floors and p.Inferred are those for adversaries whose
// list is the sample.
func (l *lists) extend(p *Population, population bayes.Population, rest Peopled, floors []BandLimit, attributes []bayes.Attribute, balls []ball) {
	for i, f := range floors {
		largest := most(l.target.Legal.Low, l.target.Legal.High, f.Coordinates)
		if balls != nil {
			largest = balls[i].most()
		}
		if i == 0 && negligible(math.Sqrt(f.MeanSquare.Low), math.Sqrt(f.Prior)) > 0 {
			p.Weaker = weakened(population, rest, nearly*nearly*f.MeanSquare.Low, func(q bayes.Population) float64 { return q.Floor(f.MeanSquare.Low, largest) })
		}
		f.Anybody = digits(population.Floor(f.MeanSquare.Low, largest), math.Floor)
		p.Floors = append(p.Floors, f)
	}
	bits := population // half of alpha is for the limit on bits, the other half for the limit on the entropy
	bits.Alpha /= 2
	for i, a := range attributes {
		in := &p.Inferred[i]
		alone, given := a.Entropies()
		entropy := bits.Entropy(a.Shares())
		if in.Right.High < vacuousLimit {
			in.Weaker = weakened(population, rest, nearly*(1-in.Right.High), func(q bayes.Population) float64 { return 1 - q.Ceiling(in.Right.High) })
		}
		for k, g := range in.each() {
			g.Anybody = digits(population.Ceiling(g.Right.High), math.Ceil)
			g.AnybodyBits = digits(bits.Bits(max([]float64{alone, given}[k]-g.Bits.High, 0), entropy, a.Classes), math.Ceil)
		}
		if counts, own := a.Counts(); in.AUC != nil && own {
			in.AnybodyAUC = new(digits(population.AUC(in.AUC.High, [2]int(counts)), math.Ceil))
		}
	}
}
