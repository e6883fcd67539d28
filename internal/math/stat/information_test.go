package stat

import (
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/shared"
)

func TestEntropyBits(t *testing.T) {
	for _, c := range []struct {
		p    []float64
		want float64
	}{
		{[]float64{1, 0, 0}, 0},
		{[]float64{.5, .5}, 1},
		{[]float64{.25, .25, .25, .25}, 2},
		{[]float64{.5, .25, .25, 0}, 1.5},
		{[]float64{.9, .1}, 0.46899559358928117},
		{[]float64{1 + 1e-15}, 0},
	} {
		if got := EntropyBits(c.p); !near(got, c.want, 1e-14) {
			t.Errorf("%v: %v, want %v", c.p, got, c.want)
		}
	}
}

// The reference is scipy 1.10: roots of ncx2.cdf.
func TestNoncentral(t *testing.T) {
	for _, c := range []struct{ x, df, low, high float64 }{
		{.2, 5, 0, 12.01038654077373},
		{3.2, 1, 0, 14.053637179222902},
		{12, 1, 2.26241262308966, 29.420487629608143},
		{50, 4, 23.57643367129122, 78.1662394245995},
		{2000, 9, 1820.7142836323048, 2170.9724320066816},
		{46000, 81, 45083.47701540332, 46764.20755092801},
	} {
		low, high := noncentral(c.x, c.df, .95)
		if math.Abs(low-c.low) > 1e-6*(1+c.low) || !near(high, c.high, 1e-6) {
			t.Errorf("%v with %v degrees: %v to %v, want %v to %v", c.x, c.df, low, high, c.low, c.high)
		}
	}
}

func TestMutualInformation(t *testing.T) {
	for name, c := range map[string]struct {
		counts         [][]int
		plugIn, bits   float64
		zero, complete bool // the interval reaches 0, or the most there can be
	}{
		"independent":     {[][]int{{30, 60}, {10, 20}}, 0, 0, true, false},
		"the same":        {[][]int{{500, 0}, {0, 500}}, 1, 1, false, true},
		"four classes":    {[][]int{{9, 0, 0, 0}, {0, 9, 0, 0}, {0, 0, 9, 0}, {0, 0, 0, 9}}, 2, 2, false, true},
		"channel":         {[][]int{{450, 50}, {50, 450}}, 1 - 0.46899559358928117, 1 - 0.46899559358928117 - 1/(2000*math.Ln2), false, false},
		"constant":        {[][]int{{40, 0}, {60, 0}}, 0, 0, true, false},
		"one example":     {[][]int{{0, 1}, {0, 0}}, 0, 0, true, true},
		"an empty column": {[][]int{{450, 0, 50}, {50, 0, 450}}, 1 - 0.46899559358928117, 1 - 0.46899559358928117 - 1/(2000*math.Ln2), false, false},
	} {
		got := MutualInformation(c.counts, .95)
		if math.Abs(got.PlugIn-c.plugIn) > 1e-12 || math.Abs(got.Bits-c.bits) > 1e-12 {
			t.Errorf("%s: %+v, want %v, corrected %v", name, got, c.plugIn, c.bits)
		}
		most := math.Log2(float64(min(len(c.counts), len(c.counts[0]))))
		if (got.Interval.Low == 0) != c.zero || near(got.Interval.High, most, 1e-12) != c.complete || got.Interval.Low > got.Bits || got.Interval.High < got.Bits {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// truth returns the information of a table of probabilities, in bits.
func truth(p [][]float64) float64 {
	row, column := make([]float64, len(p)), make([]float64, len(p[0]))
	for r := range p {
		for c, v := range p[r] {
			row[r] += v
			column[c] += v
		}
	}
	var bits float64
	for r := range p {
		for c, v := range p[r] {
			if v > 0 {
				bits += v * math.Log2(v/row[r]/column[c])
			}
		}
	}
	return bits
}

// draw counts n examples.
func draw(rng *rand.Rand, p [][]float64, n int) [][]int {
	counts := make([][]int, len(p))
	for r := range counts {
		counts[r] = make([]int, len(p[r]))
	}
	for range n {
		u := rng.Float64()
	search:
		for r := range p {
			for c, v := range p[r] {
				if u -= v; u < 0 || r == len(p)-1 && c == len(p[r])-1 {
					counts[r][c]++
					break search
				}
			}
		}
	}
	return counts
}

// mixed returns the table of two uniform labels of k classes, equal with
// probability e and else independent.
func mixed(k int, e float64) [][]float64 {
	p := make([][]float64, k)
	for r := range p {
		p[r] = make([]float64, k)
		for c := range p[r] {
			p[r][c] = (1 - e) / float64(k*k)
		}
		p[r][r] += e / float64(k)
	}
	return p
}

// From independence to equality the interval covers the truth, where its coverage
// is .94 or more, as coverageFloor says; and the correction takes out most of the
// plug-in value's bias, which is a multiple of its standard error here.
func TestMutualInformationCovers(t *testing.T) {
	shared.Long(t, "coverage of limits on mutual information")
	rng := rand.New(rand.NewPCG(4, 4))
	const samples = 400
	floor := coverageFloor(samples, .94)
	for _, c := range []struct {
		name string
		p    [][]float64
		n    int
	}{
		{"independent", mixed(2, 0), 200},
		{"skewed and independent", [][]float64{{.72, .08}, {.18, .02}}, 400},
		{"weak", mixed(2, .1), 300},
		{"weaker", mixed(2, .03), 300},
		{"middling", mixed(2, .5), 300},
		{"strong", mixed(2, .9), 300},
		{"skewed and equal", [][]float64{{.9, 0}, {0, .1}}, 300},
		{"rare and equal", [][]float64{{.99, 0}, {0, .01}}, 100}, // of which none is seen one time in three
		{"five classes", mixed(5, 0), 400},
		{"five classes, weak", mixed(5, .1), 400},
		{"five classes, strong", mixed(5, .7), 400},
	} {
		want, covered := truth(c.p), 0
		var bias, plain float64
		for range samples {
			got := MutualInformation(draw(rng, c.p, c.n), .95)
			if got.Interval.Low <= want+1e-12 && want <= got.Interval.High+1e-12 {
				covered++
			}
			bias, plain = bias+(got.Bits-want)/samples, plain+(got.PlugIn-want)/samples
		}
		if covered < floor {
			t.Errorf("%s: %.4f bits are covered %d times of %d, want %d", c.name, want, covered, samples, floor)
		}
		t.Logf("%s: %.4f bits, covered %.3f, bias %.4f, of the plug-in %.4f", c.name, want, float64(covered)/samples, bias, plain)
		if c.name == "five classes, weak" && !(plain > .01 && math.Abs(bias) < plain/2) {
			t.Errorf("%s: bias %v, of the plug-in value %v", c.name, bias, plain)
		}
	}
}

// The interval reaches as far, at either end, as the wider of the two approximations.
func TestInformationTakesTheWiderEnd(t *testing.T) {
	const n = 500
	for i, label := range [][]int{{2, 498}, {50, 450}, {20, 30, 450}} { // how many have each label, and the answer always equals it
		nats, square, counts := 0., 0., make([][]int, len(label))
		for c, k := range label {
			p := float64(k) / n
			nats, square = nats-p*math.Log(p), square+p*math.Log(p)*math.Log(p)
			counts[c] = make([]int, len(label))
			counts[c][c] = k
		}
		k := float64(len(label) - 1)
		mid, half := nats+k/(2*n), 1.959963984540054*math.Sqrt((square-nats*nats)/n)
		low, high := noncentral(2*n*nats, k*k, .95)
		got, most := MutualInformation(counts, .95).Interval, max(mid+half, high/(2*n))
		if math.Abs(got.Low*math.Ln2-max(0, min(mid-half, low/(2*n)))) > 1e-7 || math.Abs(got.High*math.Ln2-most) > 1e-7 || (mid+half == most) != (i == 0) {
			t.Errorf("%v: %v, up to %v nats", label, got, most)
		}
	}
	// Of one row or column, up to the entropy of a class that 100 examples miss with probability .025.
	p := 1 - math.Pow(.025, .01)
	for _, counts := range [][][]int{{{40, 60}, {0, 0}}, {{40, 0}, {60, 0}}} {
		if got, want := MutualInformation(counts, .95).Interval, EntropyBits([]float64{p, 1 - p}); got.Low != 0 || math.Abs(got.High-want) > 1e-12 {
			t.Errorf("%v: %v, want up to %v bits", counts, got, want)
		}
	}
}
