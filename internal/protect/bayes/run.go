package bayes

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"tattle/internal/math/stat"
	"tattle/internal/protect/release"
	"tattle/internal/run"
)

// Candidates are the features of a list of inputs.
type Candidates interface {
	// Len returns the number of candidates.
	Len() int
	// Dim returns the number of features of one.
	Dim() int
	// Features overwrites dst, [len(indices), Dim], with the features of those candidates.
	Features(ctx context.Context, dst []float64, indices []int) error
}

// Density is noise with a known density.
type Density interface {
	release.Noise
	// LogDensity returns ln f(z) up to a constant.
	LogDensity(z []float64) float64
}

// Certain is a release without noise: it equals the features, so candidates with other
// features are excluded.
type Certain struct{ release.None }

// excluded is the log density of an impossible release: far below negligible, but finite.
const excluded = -1000

// LogDensity returns 0 if z is zero, else −1000.
func (Certain) LogDensity(z []float64) float64 {
	for _, v := range z {
		if v != 0 {
			return excluded
		}
	}
	return 0
}

// An Attribute gives each candidate a class, such as the writer of a digit.
type Attribute struct {
	Name    string
	Classes int
	Class   []int     // of each candidate, from 0 to Classes−1
	Prior   []float64 // as in Options
	People  []int     // as in Options
	Target  []int     // target class of each candidate; nil: P(s | Y, target) is not computed
}

const (
	// DefaultDraws makes the limits of probabilities about one point wide.
	DefaultDraws = 10000
	// DefaultSlowDraws is the default for noise that is not Gaussian. Its likelihoods are not a
	// matrix product and take about thirty times as long.
	DefaultSlowDraws = 500
)

// Options are the settings of Run.
type Options struct {
	// Prior is the probability of each candidate; nil: all are equally likely. For a random person, and then a random
	// input of theirs, it is 1/(people·inputs of the person).
	Prior []float64
	// People is the person of each candidate, whose candidates follow one another; nil: each is another person.
	People   []int
	Draws    int             // draws of a true input and its releases; 0: DefaultDraws or DefaultSlowDraws
	Among    []int           // lengths of shorter lists, see Result.Among; they need equal prior probabilities
	Queries  int             // releases per draw, with independent noise; 0: one
	Seed     uint64          // seed of the true inputs, the noise and the draws from posteriors
	Progress func(p float64) // called with the completed share, from one goroutine; may be nil
}

// A Draw is one true input and a summary of the posterior after its releases.
type Draw struct {
	Truth              int     // index of the true input among the candidates
	Other              int     // candidate drawn from the posterior, independent of Truth given the releases
	Top                float64 // posterior probability of the likeliest candidate
	Person             float64 // posterior probability of the likeliest person
	Hit                bool    // that person is the true one; of equally likely ones it is drawn
	Ten                float64 // posterior probability of the ten likeliest candidates together
	Rank               float64 // rank of the true input, from 1; candidates of equal probability share the mean of their ranks
	Likelier, AsLikely int     // numbers of other candidates
	Entropy            float64 // entropy of the posterior of the person, in bits
}

// An Inference is the posterior of one attribute after one draw.
type Inference struct {
	Best         float64   // posterior probability of the likeliest class
	Entropy      float64   // entropy of the class, in bits
	GivenBest    float64   // Best given the target too; 0 without targets
	GivenEntropy float64   // Entropy given the target too; 0 without targets
	Score        []float64 // posterior probability of each class
}

// Result is the result of Run.
type Result struct {
	Candidates int
	PriorBits  float64 // entropy of the person without a release
	Draws      []Draw
	Attributes [][]Inference // [attribute][draw]
	Among      [][]float64   // Draw.Top with each shorter list, of the first candidates: the true input is the last one if it is not among them
	// Rounding bounds the relative error of every posterior probability, and of the probability of every draw. The limits are
	// wider by this much.
	Rounding float64
}

// ErrRounding is the error of Run if the noise is too small for float64.
var ErrRounding = errors.New("the features are so large beside the noise that rounding may change probabilities by a factor of more than 1.001")

// Run draws true inputs from the list and computes the posterior after their releases. It reads
// the candidates in one pass, a block at a time; memory grows with Draws·Dim. Equal inputs
// should be in the list only once. It returns an error if ctx ends, if there are fewer than two
// candidates, if they cannot be read or have features that are not finite, if there are fewer than two draws, or if
// rounding may change a probability by a factor of more than 1.001 (ErrRounding).
func Run(ctx context.Context, list Candidates, noise Density, attributes []Attribute, o Options) (*Result, error) {
	count := list.Len()
	if count < 2 {
		return nil, fmt.Errorf("a list of %d candidates: at least 2 are needed", count)
	}
	if err := o.checkPrior(count); err != nil {
		return nil, err
	}
	if o.Draws == 0 {
		o.Draws = DefaultSlowDraws
		if _, ok := release.AsGaussian(noise); ok {
			o.Draws = DefaultDraws
		}
	}
	if o.Draws < 2 { // the limits need a variance, see limits
		return nil, fmt.Errorf("%d draws: at least 2 are needed", o.Draws)
	}
	asked := o.Queries
	noise, o.Queries = averaged(noise, o.Queries)
	draws, err := newDraws(ctx, list, noise, o)
	if err != nil {
		return nil, err
	}
	l := newLikelihoods(&draws.releases, noise)
	posterior, err := stream(ctx, list, l, draws, attributes, o)
	if err != nil {
		return nil, err
	}
	const unit = 0x1p-53
	r := &Result{Candidates: count, PriorBits: o.priorBits(count), Draws: posterior.draws, Attributes: posterior.inferred, Among: posterior.among,
		Rounding: 2*l.rounding() + 4*(float64(count)+16)*unit}
	if o.Prior != nil { // adding its logarithm rounds once more, and a logarithm is at most 64 in magnitude or irrelevant
		r.Rounding += 2*l.rounding()/8 + 256*unit
	}
	if _, lattice := noise.(release.Lattice); lattice && asked > o.Queries {
		r.Rounding += release.MeanError
	}
	if !(r.Rounding < 1e-3) {
		return nil, ErrRounding
	}
	return r, nil
}

// averaged is release.MeanOf.
func averaged(noise Density, queries int) (Density, int) {
	mean, k := release.MeanOf(noise, max(queries, 1))
	return mean.(Density), k
}

// checkPrior returns an error unless prior and people are those of so many candidates.
func (o Options) checkPrior(count int) error {
	if o.Prior != nil && len(o.Prior) != count || o.People != nil && len(o.People) != count {
		return fmt.Errorf("%d prior probabilities and %d people of %d candidates", len(o.Prior), len(o.People), count)
	}
	sum := 0.
	for j, p := range o.Prior {
		if sum += p; !(p > 0) {
			return fmt.Errorf("candidate %d has the prior probability %v: it must be positive", j, p)
		}
	}
	if o.Prior != nil && math.Abs(sum-1) > 1e-9 {
		return fmt.Errorf("prior probabilities add up to %v, not 1", sum)
	}
	return nil
}

// priorBits returns the entropy of the person by the prior.
func (o Options) priorBits(count int) float64 {
	if o.Prior == nil {
		return math.Log2(float64(count))
	}
	var of []float64
	for _, own := range ofEach(o.People, count) {
		sum := 0.
		for _, j := range own {
			sum += o.Prior[j]
		}
		of = append(of, sum)
	}
	return stat.EntropyBits(of)
}

// logPrior returns the logarithm of the prior of each candidate, 0 for equal ones.
func (o Options) logPrior() (log []float64) {
	for _, p := range o.Prior {
		log = append(log, math.Log(p))
	}
	return log
}

// truths draws true inputs by the prior.
func (o Options) truths(count int) func(r *rand.Rand) int {
	if o.Prior == nil {
		return func(r *rand.Rand) int { return r.IntN(count) }
	}
	sums, sum := make([]float64, count), 0.
	for j, p := range o.Prior {
		sum += p
		sums[j] = sum
	}
	return func(r *rand.Rand) int {
		j, _ := slices.BinarySearch(sums, r.Float64()*sum)
		return min(j, count-1)
	}
}

// drawn holds true inputs and their releases.
type drawn struct {
	releases
	truth    []int       // index of each true input
	features []float64   // features of the true inputs, [draws, dim]
	hidden   bool        // the true inputs are not candidates
	owns     [][]float64 // of people who are hidden: the log-likelihoods of all of their inputs, with the prior
	ranked   bool        // only the ranks of the true inputs are wanted, not the posterior
	seed     uint64
}

// Streams of random numbers of one draw.
const (
	streamNoise = iota
	streamPosterior
)

// newDraws draws true inputs from the list, with replacement, and their releases.
func newDraws(ctx context.Context, list Candidates, noise release.Noise, o Options) (*drawn, error) {
	any := o.truths(list.Len())
	return drawEach(ctx, list, noise, o, func(_ int, r *rand.Rand) int { return any(r) })
}

// drawEach is newDraws with the true input of each draw that truth chooses.
func drawEach(ctx context.Context, list Candidates, noise release.Noise, o Options, choose func(b int, r *rand.Rand) int) (*drawn, error) {
	dim := list.Dim()
	d := &drawn{releases: releases{make([]float64, o.Draws*o.Queries*dim), dim, o.Queries},
		truth: make([]int, o.Draws), features: make([]float64, o.Draws*dim), seed: o.Seed}
	of := map[int][]int{} // the draws of each true input
	for b := range o.Draws {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r := run.Rand(o.Seed, b, streamNoise)
		truth := choose(b, r)
		d.truth[b], of[truth] = truth, append(of[truth], b)
		for q := range o.Queries {
			noise.Sample(d.release(b, q), r)
		}
	}
	// The features of an input that is drawn more than once are computed once.
	x := make([]float64, min(blockOf(dim), len(of))*dim)
	for some := range slices.Chunk(slices.Sorted(maps.Keys(of)), blockOf(dim)) {
		if err := readFeatures(ctx, list, x[:len(some)*dim], some); err != nil {
			return nil, err
		}
		for i, truth := range some {
			for _, b := range of[truth] {
				copy(d.features[b*dim:(b+1)*dim], x[i*dim:])
				d.add(b)
			}
		}
	}
	return d, nil
}

// add makes the releases of a draw from its noise and its features.
func (d *drawn) add(b int) {
	for q := range d.queries {
		y := d.release(b, q)
		for i, a := range d.features[b*d.dim : (b+1)*d.dim] {
			y[i] += a
		}
	}
}

// eachBlock calls f with the features of all candidates, at most size of them at a time: [len(indices), Dim].
func eachBlock(ctx context.Context, list Candidates, size int, f func(indices []int, features []float64) error) error {
	indices, features := make([]int, size), make([]float64, size*list.Dim())
	for from := 0; from < list.Len(); from += size {
		n := min(size, list.Len()-from)
		for j := range n {
			indices[j] = from + j
		}
		if err := readFeatures(ctx, list, features[:n*list.Dim()], indices[:n]); err != nil {
			return err
		}
		if err := f(indices[:n], features[:n*list.Dim()]); err != nil {
			return err
		}
	}
	return nil
}

// readFeatures reads features and returns an error if one is not finite.
func readFeatures(ctx context.Context, list Candidates, dst []float64, indices []int) error {
	if err := list.Features(ctx, dst, indices); err != nil {
		return fmt.Errorf("features of the candidates: %w", err)
	}
	for k, v := range dst {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("features of candidate %d are not finite", indices[k/list.Dim()])
		}
	}
	return nil
}
