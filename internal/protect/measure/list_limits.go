package measure

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
	"tattle/internal/protect/bayes"
	"tattle/internal/protect/bound"
)

// A posterior is the result of bayes.Run on inputs of a list.
type posterior struct {
	*bayes.Result
	Peopled
	of         *List
	attributes []bayes.Attribute
}

// posterior computes the exact posterior over inputs of a list.
func (l *lists) posterior(ctx context.Context, what string, of *List, in Peopled) (*posterior, error) {
	p := &posterior{Peopled: in, of: of, attributes: l.attributes(of, in, l.Attributes)}
	var candidates bayes.Candidates = l.inputs(of, in.Indices)
	noise, ok := l.target.Noise.(bayes.Density)
	if !ok { // the label alone: see possible
		candidates, noise = labels{candidates}, bayes.Certain{}
	}
	var err error
	p.Result, err = bayes.Run(ctx, candidates, noise, p.attributes, bayes.Options{
		Prior: in.Prior, People: in.People, Draws: l.draws(), Queries: l.target.Queries, Seed: l.Seed, Progress: l.share(what), Among: of.shorter(in),
	})
	return p, err
}

// shorter returns the lengths of shorter lists: powers of ten from 1,000. There are none where people are named, whose inputs
// follow one another.
func (l *List) shorter(in Peopled) (lengths []int) {
	for n := 1000; in.People == nil && n < len(in.Indices); n *= 10 {
		lengths = append(lengths, n)
	}
	return lengths
}

// share reports the completed share of a phase.
func (l *lists) share(what string) func(float64) {
	tell := l.Progress.Of(what)
	return func(share float64) { tell(int(1000*share), 1000) }
}

// floors returns the floors for adversaries with the list: over the whole input, then by band. Unless
// balls is nil, they are about inputs that are projected onto these.
func (l *lists) floors(ctx context.Context, what string, found *posterior, alpha float64, balls []ball) ([]BandLimit, error) {
	p := l.target.Coordinates.Inputs()
	low, high := legalRange(found.of.Set) // candidates may be outside the range of the measured data
	bands := bound.Octaves(l.target.Coordinates)
	squares, err := l.squares(ctx, what, found, bands, balls)
	if err != nil {
		return nil, err
	}
	out := make([]BandLimit, len(bands))
	for k, b := range bands {
		n := p
		if k > 0 {
			n = len(b.Keep)
		}
		largest := most(low, high, n)
		if balls != nil {
			largest = balls[k].most()
		}
		floor := outward(found.Floor(squares[k], largest, alpha))
		if l.out.Processed {
			floor.High = digits(largest, math.Ceil)
		}
		out[k] = BandLimit{Band: b.Name, Coordinates: n, MeanSquare: floor}
	}
	return out, l.priors(ctx, out, found.of, found.Peopled)
}

// squaresBlock is the number of draws between two reports of progress.
const squaresBlock = 1024

// squares returns the mean squared difference between the two inputs of each draw, [band][draw].
func (l *lists) squares(ctx context.Context, what string, found *posterior, bands []bound.Band, balls []ball) ([][]float64, error) {
	n := len(found.Draws)
	out := make([][]float64, len(bands))
	for k := range out {
		out[k] = make([]float64, n)
	}
	order := nn.Indices(n) // by true inputs, which are projected once for all their draws
	slices.SortStableFunc(order, func(a, b int) int { return found.Draws[a].Truth - found.Draws[b].Truth })
	tell := l.share("floors, " + what)
	for first := 0; first < n; first += squaresBlock {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		tell(float64(first) / float64(n))
		simd.Parallel(min(squaresBlock, n-first), 16, func(from, to int) { l.squaresOf(out, found, bands, balls, order[first+from:first+to]) })
	}
	return out, nil
}

// squaresOf computes the squares of some draws.
func (l *lists) squaresOf(out [][]float64, found *posterior, bands []bound.Band, balls []ball, draws []int) {
	truth, other := l.reader(bands), l.reader(bands)
	defer l.readers.Put(truth)
	defer l.readers.Put(other)
	last := -1
	for _, b := range draws {
		d := found.Draws[b]
		if d.Truth == d.Other {
			continue // all differences are 0
		}
		if d.Truth != last {
			last = d.Truth
			truth.read(found.of, found.Indices[last])
			if balls != nil {
				for k, v := range truth.split() {
					balls[k].project(v)
				}
			}
		}
		y := other.read(found.of, found.Indices[d.Other])
		if balls == nil {
			simd.Axpy(-1, truth.values[0], y)
		}
		for k, v := range other.split() {
			if balls != nil {
				balls[k].project(v)
				simd.Axpy(-1, truth.values[k], v)
			}
			out[k][b] = simd.SumSquares(v) / float64(len(v))
		}
	}
}

// most returns the largest possible mean-square error over a band of n coordinates, if inputs
// and reconstructions are between low and high. The basis is orthonormal, so the sum of
// squares over all coordinates is the sum of squares over the input.
func most(low, high []float64, n int) float64 {
	var sum float64
	for i, x := range low {
		sum += math.Pow(high[i]-x, 2)
	}
	return sum / float64(n)
}

// attributes returns the attributes of those names of inputs of a list, and notes which of them
// the list does not have.
func (l *lists) attributes(of *List, in Peopled, names []string) []bayes.Attribute {
	var all []bayes.Attribute
	target := l.answers(of, in.Indices)
	for _, name := range names {
		a := of.Set.Attribute(name)
		if a == nil {
			l.leaveOut("limits on inferring %s: %s does not have this attribute", name, of.Name)
			continue
		}
		b := bayes.Attribute{Name: name, Classes: len(a.Values), Class: dataset.Pick(a.Labels, 1, in.Indices), Prior: in.Prior, People: in.People}
		if !slices.Contains(l.Tasks, name) { // who knows the tasks does not guess them
			b.Target = target
		}
		all = append(all, b)
	}
	return all
}

// answers returns what the release answers about inputs of a list (dataset.Set.Answers): what an
// adversary of a GivenLimit knows. It returns nil if the list does not have it.
func (l *lists) answers(of *List, indices []int) []int {
	if of.Set.Y == nil {
		return nil
	}
	for _, name := range l.Tasks {
		if of.Set.Attribute(name) == nil {
			l.leaveOut("limits for adversaries who know %s: %s does not have this attribute", name, of.Name)
			return nil
		}
	}
	return of.Set.Answers(indices, l.Tasks)
}

// inferred returns the upper limits on guessing the attributes.
func (l *lists) inferred(found *posterior, alpha float64) []InferredLimit {
	var all []InferredLimit
	for k, a := range found.attributes {
		alone, given := found.Guessed(k, alpha)
		bits, left := found.AttributeBits(k, a, alpha)
		majority, knowing := a.Majority()
		limit := func(majority float64, right, bits bayes.Limit) GuessLimit {
			return GuessLimit{Majority: majority, Right: l.between(majority, 1, right), Bits: l.atLeast(0, outward(bits))}
		}
		in := InferredLimit{Name: a.Name, GuessLimit: limit(majority, alone, bits)}
		if a.Classes == 2 {
			in.AUC = new(l.atLeast(.5, outward(found.AUC(k, a, alpha))))
		}
		if a.Target != nil {
			in.Given = &GivenLimit{strings.Join(append([]string{found.of.Set.YName}, l.Tasks...), " and "), limit(knowing, given, left)}
		}
		all = append(all, in)
	}
	return all
}

// between is a limit, rounded outward: guessing without the release achieves the one side, and no adversary exceeds the other.
func (l *lists) between(guess, most float64, x bayes.Limit) bayes.Limit {
	return l.atLeast(guess, within(outward(x), guess, most))
}

// atLeast is a limit whose lower side is what guessing achieves, if values are processed.
func (l *lists) atLeast(guess float64, x bayes.Limit) bayes.Limit {
	if l.out.Processed {
		x.Low = digits(guess, math.Floor)
	}
	return x
}

// within limits a limit to the range low to high, rounded outward.
func within(l bayes.Limit, low, high float64) bayes.Limit {
	low, high = digits(low, math.Floor), digits(high, math.Ceil)
	return bayes.Limit{Mean: min(max(l.Mean, low), high), Low: min(max(l.Low, low), high), High: min(max(l.High, low), high)}
}

// outward rounds a limit to six digits, on which all processors agree: Low down and High up.
func outward(l bayes.Limit) bayes.Limit {
	return bayes.Limit{Mean: digits(l.Mean, math.Round), Low: digits(l.Low, math.Floor), High: digits(l.High, math.Ceil)}
}

// digits rounds to six digits. What has no more stays as it is.
func digits(x float64, round func(float64) float64) float64 {
	if nearest, _ := strconv.ParseFloat(fmt.Sprintf("%.5e", x), 64); nearest == x {
		return x
	}
	unit := math.Pow(10, math.Floor(math.Log10(math.Abs(x)))-5)
	y, _ := strconv.ParseFloat(fmt.Sprintf("%.5e", round(x/unit)*unit), 64)
	return y
}
