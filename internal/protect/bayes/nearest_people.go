package bayes

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"tattle/internal/math/simd"
	"tattle/internal/protect/release"
	"tattle/internal/run"
)

const (
	firstOf    = 8       // an eighth of a person's releases is compared with all people first: it finds the rivals
	mostRivals = 32      // most rivals of a person with whom the other releases are compared first
	crowdKept  = 1 << 24 // numbers of releases that are held, about, until they are compared with all people: 64 MB
	crowdBlock = 512     // candidates that releases are compared with at once, and the rest of the last person's

	crowdScores = 1 << 22 // most scores that are held at once, unless one release has more: 17 MB
)

// crowd are candidates of people with several each, in float32, less their mean. Given a release y whose noise has the variance v in
// each number, the score of candidate j is
//
//	(⟨y, a_j⟩ − ½‖a_j‖²)/v,
//
// and the likelihood of a person is the mean of e^score over their candidates, up to a factor of the release.
type crowd struct {
	n      int
	scale  float32   // 1/v
	values []float32 // [candidates, n]
	half   []float32 // of each candidate: its score less the product
	start  []int     // the first candidate of each person, and the number of all
}

// facing is a release, while no person is known to be likelier than the true one.
type facing struct {
	y     []float32
	own   int     // the true person
	level float64 // logarithm of the true person's likelihood
	equal int     // people who are as likely
}

// newCrowd returns false if float32 is too coarse for the features: an error of finest in a score changes no figure that is printed.
func newCrowd(values []float32, n int, of [][]int, variance float64) (*crowd, bool) {
	c := &crowd{n: n, scale: float32(1 / variance), values: values}
	mean, count := make([]float64, n), len(values)/n
	for j := range count {
		for i, v := range values[j*n : (j+1)*n] {
			mean[i] += float64(v) / float64(count)
		}
	}
	longest := 0.
	for j := range count {
		a, square := values[j*n:(j+1)*n], 0.
		for i := range a {
			a[i] -= float32(mean[i])
			square += float64(a[i]) * float64(a[i])
		}
		c.half, longest = append(c.half, float32(-square/2/variance)), max(longest, math.Sqrt(square))
	}
	for _, own := range of {
		c.start = append(c.start, own[0])
	}
	c.start = append(c.start, count)
	return c, 0x1p-23*longest*(longest+2*math.Sqrt(variance*float64(n)))/variance <= finest
}

// scores overwrites dst, [releases, candidates], with scores of some candidates.
func (c *crowd) scores(dst []float32, some []facing, y, values, half []float32) {
	for i, f := range some {
		copy(y[i*c.n:], f.y)
		copy(dst[i*len(half):], half)
	}
	simd.Gemm(false, true, len(some), len(half), c.n, c.scale, y, c.n, values, c.n, 1, dst, len(half))
}

// face draws a release of a candidate of a person.
func (c *crowd) face(own int, noise release.Noise, queries int, one []float64, r *rand.Rand) facing {
	from, to := c.start[own], c.start[own+1]
	t := from + r.IntN(to-from)
	f := facing{y: slices.Clone(c.values[t*c.n : (t+1)*c.n]), own: own}
	for range queries {
		noise.Sample(one, r)
		for i, v := range one {
			f.y[i] += float32(v / float64(queries))
		}
	}
	score := make([]float32, to-from)
	c.scores(score, []facing{f}, make([]float32, c.n), c.values[from*c.n:to*c.n], c.half[from:to])
	top := float64(simd.Max(score))
	f.level = top + math.Log(likelihood(score, top))
	return f
}

// likelihood returns the mean of e^(score − level).
func likelihood(score []float32, level float64) (mean float64) {
	for _, s := range score {
		mean += math.Exp(float64(s) - level)
	}
	return mean / float64(len(score))
}

// against compares releases with people, whose candidates follow one another from those of the first; it returns the releases that
// name nobody else, and adds who is likelier than the true person to rivals.
func (c *crowd) against(some []facing, people []int, values, half []float32, rivals map[int][]int) []facing {
	each := min(max(1, crowdScores/len(half)), len(some))
	score, y, kept := make([]float32, each*len(half)), make([]float32, each*c.n), some[:0]
	for k, f := range some {
		i := k % each
		if i == 0 {
			c.scores(score, some[k:min(k+each, len(some))], y, values, half)
		}
		row, likelier := score[i*len(half):(i+1)*len(half)], -1
		if float64(simd.Max(row)) >= f.level-equalPeople { // no mean is larger than the largest
			for _, g := range people {
				n := c.start[g+1] - c.start[g]
				of := row[:n]
				row = row[n:]
				if g == f.own || float64(simd.Max(of)) < f.level-equalPeople {
					continue
				}
				if p := likelihood(of, f.level); p > 1+equalPeople {
					likelier = g
					break
				} else if p >= 1-equalPeople {
					f.equal++
				}
			}
		}
		if likelier < 0 {
			kept = append(kept, f)
		} else if known := rivals[f.own]; !slices.Contains(known, likelier) {
			rivals[f.own] = append(known, likelier)
		}
	}
	return kept
}

// all compares releases with all people.
func (c *crowd) all(ctx context.Context, some []facing, rivals map[int][]int) []facing {
	for i := range some {
		some[i].equal = 0
	}
	for from := 0; from < len(c.start)-1 && len(some) > 0 && ctx.Err() == nil; {
		var people []int
		first, to := c.start[from], from
		for ; to < len(c.start)-1 && c.start[to]-first < crowdBlock; to++ {
			people = append(people, to)
		}
		last := c.start[to]
		some = c.against(some, people, c.values[first*c.n:last*c.n], c.half[first:last], rivals)
		from = to
	}
	return some
}

// name counts, for some people, the releases of a random candidate of theirs that name them: most are compared only with the
// people who were likelier after others of the same person. The list is read for all of these people together.
func (c *crowd) name(ctx context.Context, hits []int, noise release.Noise, some []int, releases int, o Options) {
	one, rivals := make([]float64, c.n), map[int][]int{}
	chance := make([]*rand.Rand, len(some))
	place := map[int]int{}
	for i, p := range some {
		chance[i], place[p] = run.Rand(o.Seed, p, streamNearest), i
	}
	var left []facing
	count := func(most int) { // what is left, if it is more than that
		if len(left) <= most {
			return
		}
		for _, f := range c.all(ctx, left, rivals) {
			if i := place[f.own]; chance[i].IntN(1+f.equal) == 0 {
				hits[i]++
			}
		}
		left = nil
	}
	most := crowdKept / c.n
	first := (releases + firstOf - 1) / firstOf
	for i, p := range some {
		for k := 0; k < first && ctx.Err() == nil; k++ {
			left = append(left, c.face(p, noise, o.Queries, one, chance[i]))
		}
		count(most)
	}
	count(0)
	for i, p := range some {
		known := slices.Clone(rivals[p][:min(mostRivals, len(rivals[p]))])
		var values, half []float32
		for _, g := range known {
			from, to := c.start[g], c.start[g+1]
			values, half = append(values, c.values[from*c.n:to*c.n]...), append(half, c.half[from:to]...)
		}
		var own []facing
		for k := first; k < releases && ctx.Err() == nil; k++ {
			own = append(own, c.face(p, noise, o.Queries, one, chance[i]))
		}
		if len(known) > 0 && len(own) > 0 {
			own = c.against(own, known, values, half, rivals)
		}
		left = append(left, own...)
		count(most)
	}
	count(0)
}
