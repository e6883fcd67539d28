package onnx

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"tattle/internal/must"
)

func sumOver(f func(float64) float64) func([]float64) float64 {
	return func(x []float64) (sum float64) {
		for _, v := range x {
			sum += f(v)
		}
		return sum
	}
}

// reductions by their definitions.
var reductions = map[string]func([]float64) float64{
	"L1":        sumOver(math.Abs),
	"L2":        func(x []float64) float64 { return math.Sqrt(sumOver(func(v float64) float64 { return v * v })(x)) },
	"LogSum":    func(x []float64) float64 { return math.Log(sumOver(func(v float64) float64 { return v })(x)) },
	"LogSumExp": func(x []float64) float64 { return math.Log(sumOver(math.Exp)(x)) },
	"Max":       func(x []float64) float64 { return slices.Max(x) },
	"Mean":      func(x []float64) float64 { return sumOver(func(v float64) float64 { return v })(x) / float64(len(x)) },
	"Min":       func(x []float64) float64 { return slices.Min(x) },
	"Prod": func(x []float64) float64 {
		p := 1.
		for _, v := range x {
			p *= v
		}
		return p
	},
	"Sum":       sumOver(func(v float64) float64 { return v }),
	"SumSquare": sumOver(func(v float64) float64 { return v * v }),
}

// Reductions over every choice of axes, as an attribute and as an input, kept and
// not.
func TestReadReduce(t *testing.T) {
	var cases []readCase
	for f, reduce := range reductions {
		for i, s := range [][]int{{1, 3, 4}, {3, 1, 4}, {1}, {5}} {
			x := positive(random(uint64(i), s...))
			for bits := range 1 << len(s) {
				var axes []int
				for d := range s {
					if bits>>d&1 != 0 {
						axes = append(axes, d)
					}
				}
				all := axes
				if bits == 0 {
					all = []int{0, 1, 2}[:len(s)]
				}
				shape, entries := x.over(all...)
				want := fill(shape, func(at []int) float64 { return reduce(entries(at)) })
				gone := want
				gone.shape = nil
				for d, k := range s {
					if !slices.Contains(all, d) {
						gone.shape = append(gone.shape, k)
					}
				}
				name := fmt.Sprint("Reduce", f, s, axes)
				var list [][]byte
				if bits != 0 {
					list = append(list, numbers("axes", axes...))
				}
				negative := make([]int64, len(axes))
				for k, a := range axes {
					negative[k] = int64(a - len(s))
				}
				slices.Reverse(negative)
				ints := map[string][]int64{"a": negative}
				old := int64(17)
				if f == "Sum" {
					old = 12
				}
				cases = append(cases,
					readCase{name, old, x, nil, nil, apply("Reduce"+f, list...), want},
					readCase{name + " dropped", old, x, nil, nil, apply("Reduce"+f, append(list, number("keepdims", 0))...), gone},
					readCase{name + " of an input", 18, x, nil, ints, between("Reduce"+f, in("x", "a"), number("keepdims", 0)), gone})
			}
		}
	}
	x := random(3, 1, 3, 4)
	none := number("noop_with_empty_axes", 1)
	cases = append(cases, readCase{"no axes", 18, x, nil, nil, apply("ReduceMean", none), x},
		readCase{"an empty list of axes", 18, x, nil, map[string][]int64{"a": {}}, between("ReduceMax", in("x", "a"), none), x})
	holdReads(t, cases)
	_, err := newFile(2).node("ReduceSumSquare", "y", in("x"), none).decode()
	unsupportedParts(t, err)
}

// TestReadProductOfZeros: the derivative by each factor is the product of the others, also where some are 0.
func TestReadProductOfZeros(t *testing.T) {
	g := must.Get(newFile(5).node("ReduceProd", "y", in("x"), numbers("axes", 1)).decode())(t)
	for _, c := range [][2][]float32{{{3, 0, 2, 5, 1}, {0, 30, 0, 0, 0}}, {{0, 2, 0, 2, 1}, {0, 0, 0, 0, 0}}} {
		d := make([]float32, 5)
		if net(t, g).Linearize(c[0]).VJP(d, []float32{1}); !slices.Equal(d, c[1]) {
			t.Errorf("%v: slopes %v, want %v", c[0], d, c[1])
		}
	}
}

// softmaxOf returns the softmax of a vector at index i.
func softmaxOf(x []float64, i int) float64 {
	return math.Exp(x[i]) / sumOver(math.Exp)(x)
}

// Over each axis from opset 13 on, over all from an axis on before.
func TestReadSoftmax(t *testing.T) {
	functions := map[string]func(x []float64, i int) float64{
		"Softmax":    softmaxOf,
		"LogSoftmax": func(x []float64, i int) float64 { return math.Log(softmaxOf(x, i)) },
		"Hardmax":    func(x []float64, i int) float64 { return truth(slices.Index(x, slices.Max(x)) == i) },
	}
	var cases []readCase
	for op, f := range functions {
		for i, s := range [][]int{{1, 3, 4}, {3, 2, 4}, {1, 5}, {4, 1}} {
			x := random(uint64(i), s...)
			for axis := range s {
				_, entries := x.over(axis)
				want := fill(s, func(at []int) float64 { return f(entries(at), at[axis]) })
				var rest []int
				for d := axis; d < len(s); d++ {
					rest = append(rest, d)
				}
				_, all := x.over(rest...)
				block := fill(s, func(at []int) float64 {
					k := 0
					for _, d := range rest {
						k = k*s[d] + at[d]
					}
					return f(all(at), k)
				})
				name := fmt.Sprint(op, s, axis)
				cases = append(cases,
					readCase{name, 13, x, nil, nil, apply(op, number("axis", int64(axis-len(s)))), want},
					readCase{name + " before opset 13", 11, x, nil, nil, apply(op, number("axis", int64(axis))), block})
				if axis == 1 {
					cases = append(cases, readCase{name + " by default before opset 13", 12, x, nil, nil, apply(op), block})
				}
				if axis == len(s)-1 {
					cases = append(cases, readCase{name + " by default", 13, x, nil, nil, apply(op), want})
				}
			}
		}
	}
	holdReads(t, cases)
}

// standardised subtracts the mean over axes and divides by the deviation.
func standardised(x array, epsilon float64, axes ...int) array {
	_, entries := x.over(axes...)
	return fill(x.shape, func(at []int) float64 {
		v := entries(at)
		mean := reductions["Mean"](v)
		variance := sumOver(func(a float64) float64 { return (a - mean) * (a - mean) })(v) / float64(len(v))
		return (x.at(at...) - mean) / math.Sqrt(variance+epsilon)
	})
}

// times multiplies by what broadcasts.
func times(a, b array) array {
	shape := broadcast(a.shape, b.shape)
	return fill(shape, func(at []int) float64 { return a.at(at...) * b.at(at...) })
}

func TestReadNorms(t *testing.T) {
	var cases []readCase
	const epsilon = .01
	e := float("epsilon", epsilon)
	for i, s := range [][]int{{1, 6, 5}, {3, 6, 5}, {1, 6, 2, 4}, {2, 6, 3, 2}, {1, 6, 2, 2, 2}} {
		x := random(uint64(i), s...)
		ones := slices.Repeat([]int{1}, len(s)-2)
		per := func(seed uint64, n int) array { return random(seed, n) }
		spatial := []int{}
		for d := 2; d < len(s); d++ {
			spatial = append(spatial, d)
		}
		column := func(a array) array { return a.as(append([]int{len(a.data)}, ones...)...) }
		a, b := per(20, 6), per(21, 6)
		with := map[string]array{"a": a, "b": b}
		instance := plusAll(times(standardised(x, epsilon, spatial...), column(a)), column(b))
		name := func(op string) string { return fmt.Sprint(op, s) }
		cases = append(cases, readCase{name("InstanceNormalization"), 7, x, with, nil, between("InstanceNormalization", in("x", "a", "b"), e), instance})

		// Groups: as [N, 3, 2, …].
		groups := x.as(slices.Concat([]int{s[0], 3, 2}, s[2:])...)
		standard := standardised(groups, epsilon, append([]int{2}, shifted(spatial, -1)...)...)
		c, d := per(22, 3), per(23, 3)
		each := func(g array) array { return fill([]int{6}, func(at []int) float64 { return g.at(at[0] / 2) }) }
		settings := [][]byte{e, number("num_groups", 3)}
		cases = append(cases,
			readCase{name("GroupNormalization-18"), 18, x, map[string]array{"a": c, "b": d}, nil, between("GroupNormalization", in("x", "a", "b"), settings...),
				plusAll(times(standard.as(s...), column(each(c))), column(each(d)))},
			readCase{name("GroupNormalization-21"), 21, x, with, nil, between("GroupNormalization", in("x", "a", "b"), settings...),
				plusAll(times(standard.as(s...), column(a)), column(b))})

		mean, variance := per(24, 6), positive(per(25, 6))
		stats := map[string]array{"a": a, "b": b, "m": mean, "v": variance}
		batch := fill(s, func(at []int) float64 {
			k := at[1]
			return a.at(k)*(x.at(at...)-mean.at(k))/math.Sqrt(variance.at(k)+epsilon) + b.at(k)
		})
		cases = append(cases, readCase{name("BatchNormalization"), 15, x, stats, nil, between("BatchNormalization", in("x", "a", "b", "m", "v"), e), batch})

		local := fill(s, func(at []int) float64 {
			sum := 0.
			for k := max(0, at[1]-1); k <= min(5, at[1]+2); k++ {
				from := slices.Clone(at)
				from[1] = k
				sum += x.at(from...) * x.at(from...)
			}
			return x.at(at...) / math.Pow(2+.3/4*sum, .6)
		})
		cases = append(cases, readCase{name("LRN"), 13, x, nil, nil, apply("LRN", number("size", 4), float("alpha", .3), float("beta", .6), float("bias", 2)), local})
		for axis := range s {
			var axes []int
			for d := axis; d < len(s); d++ {
				axes = append(axes, d)
			}
			full, row := random(26, s[axis:]...), random(27, s[len(s)-1])
			plain := standardised(x, epsilon, axes...)
			settings := [][]byte{e, number("axis", int64(axis-len(s)))}
			root := fill(s, func(at []int) float64 {
				_, entries := x.over(axes...)
				return x.at(at...) / math.Sqrt(reductions["SumSquare"](entries(at))/float64(len(entries(at)))+epsilon)
			})
			cases = append(cases,
				readCase{name(fmt.Sprint("LayerNormalization ", axis)), 17, x, map[string]array{"a": full, "b": row}, nil,
					between("LayerNormalization", in("x", "a", "b"), settings...), plusAll(times(plain, full), row)},
				readCase{name(fmt.Sprint("LayerNormalization without shift ", axis)), 17, x, map[string]array{"a": row}, nil,
					between("LayerNormalization", in("x", "a"), settings...), times(plain, row)},
				readCase{name(fmt.Sprint("LayerNormalization by activations ", axis)), 17, x, map[string]array{"a": row, "b": row}, nil, func(m *modelFile) {
					m.nought().node("Add", "k", in("a", "nought")).node("LayerNormalization", "y", in("x", "k", "b"), settings...)
				}, plusAll(times(plain, row), row)},
				readCase{name(fmt.Sprint("RMSNormalization ", axis)), 23, x, map[string]array{"a": row}, nil,
					between("RMSNormalization", in("x", "a"), settings...), times(root, row)})
		}
	}
	// Of channels alone.
	x := random(40, 1, 6)
	one := array{[]int{6}, slices.Repeat([]float64{1}, 6)}
	zero := array{[]int{6}, make([]float64, 6)}
	cases = append(cases, readCase{"BatchNormalization of channels", 15, x, map[string]array{"a": one, "b": zero, "m": random(41, 6), "v": one}, nil,
		between("BatchNormalization", in("x", "a", "b", "m", "v"), e), plusAll(x, random(41, 6).each(func(v float64) float64 { return -v })).each(func(v float64) float64 { return v / math.Sqrt(1+epsilon) })})
	holdReads(t, cases)
}
