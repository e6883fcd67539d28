package nn

import "math/big"

// The weights of Resize are rational functions of its settings. They are computed
// as such and rounded once: one rounding is all that a weight is off.

func rational(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
func ratio(a, b int) *big.Rat     { return big.NewRat(int64(a), int64(b)) }

func half() *big.Rat { return ratio(1, 2) }

// resizeCoordinates say where the centre of entry o of out lies among the in entries
// of the input, entry 0 being at 0 (ONNX Resize-19, coordinate_transformation_mode).
func resizeCoordinates() map[string]func(o, out, in int, scale *big.Rat) *big.Rat {
	return map[string]func(o, out, in int, scale *big.Rat) *big.Rat{
		"half_pixel": halfPixel,
		"pytorch_half_pixel": func(o, out, in int, scale *big.Rat) *big.Rat {
			if out <= 1 {
				return new(big.Rat)
			}
			return halfPixel(o, out, in, scale)
		},
		"half_pixel_symmetric": func(o, out, in int, scale *big.Rat) *big.Rat {
			// The centres of the two coincide where out is not scale·in.
			x := new(big.Rat).Mul(scale, ratio(in, 1))
			x.Sub(ratio(1, 1), x.Quo(ratio(out, 1), x))
			x.Mul(x, ratio(in, 2))
			return x.Add(x, halfPixel(o, out, in, scale))
		},
		"align_corners": func(o, out, in int, _ *big.Rat) *big.Rat {
			if out <= 1 {
				return new(big.Rat)
			}
			x := ratio(o, 1)
			x.Mul(x, ratio(in-1, 1))
			return x.Quo(x, ratio(out-1, 1))
		},
		"asymmetric": func(o, _, _ int, scale *big.Rat) *big.Rat {
			return new(big.Rat).Quo(ratio(o, 1), scale)
		},
	}
}

func halfPixel(o, _, _ int, scale *big.Rat) *big.Rat {
	x := ratio(2*o+1, 2)
	x.Quo(x, scale)
	return x.Sub(x, half())
}

// resizeRounding say which entry is nearest to a place (nearest_mode).
func resizeRounding() map[string]func(x *big.Rat) int {
	return map[string]func(x *big.Rat) int{
		"floor":              floorOf,
		"ceil":               ceilOf,
		"round_prefer_floor": func(x *big.Rat) int { return ceilOf(new(big.Rat).Sub(x, half())) },
		"round_prefer_ceil":  func(x *big.Rat) int { return floorOf(new(big.Rat).Add(x, half())) },
	}
}

// floorOf returns ⌊x⌋: the denominator is positive, and Div rounds down then.
func floorOf(x *big.Rat) int {
	return int(new(big.Int).Div(x.Num(), x.Denom()).Int64())
}

func ceilOf(x *big.Rat) int { return -floorOf(new(big.Rat).Neg(x)) }

// nearest lists which of n entries each of out outputs takes.
func (o *Resize) nearest(out, n int, scale *big.Rat) []int {
	index := make([]int, out)
	for i := range index {
		x := resizeCoordinates()[o.Coordinates](i, out, n, scale)
		index[i] = min(max(resizeRounding()[o.Nearest](x), 0), n-1)
	}
	return index
}

// weights returns the weights, [out, n], of n entries: for each output those of the neighbours of its
// place x within the radius of the mode's kernel, which is stretched by 1/scale where shrinking is
// to avoid aliases.
func (o *Resize) weights(out, n int, scale *big.Rat) []float32 {
	radius, weigh := 1, linearWeight
	if o.Mode == "cubic" {
		a := rational(o.CubicA)
		weigh, radius = func(x *big.Rat) *big.Rat { return cubicWeight(x, a) }, 2
	}
	narrow := ratio(1, 1)
	if o.Antialias && scale.Cmp(narrow) < 0 {
		narrow = scale
	}
	reach := new(big.Rat).Quo(ratio(radius, 1), narrow)
	all := make([]float32, out*n)
	for i := range out {
		x := resizeCoordinates()[o.Coordinates](i, out, n, scale)
		first, w := o.neighbours(x, reach, narrow, n, weigh)
		for j, v := range w {
			all[i*n+first+j], _ = v.Float32()
		}
	}
	return all
}

// neighbours returns the weights of the entries around x.
func (o *Resize) neighbours(x, reach, narrow *big.Rat, n int, weigh func(*big.Rat) *big.Rat) (first int, w []*big.Rat) {
	from := floorOf(new(big.Rat).Sub(x, reach)) + 1
	to := ceilOf(new(big.Rat).Add(x, reach)) // not included
	first, last := min(max(from, 0), n-1), min(max(to-1, 0), n-1)
	w = make([]*big.Rat, last-first+1)
	for i := range w {
		w[i] = new(big.Rat)
	}
	sum := new(big.Rat)
	for i := from; i < to; i++ {
		if o.ExcludeOutside && (i < 0 || i >= n) {
			continue
		}
		by := new(big.Rat).Sub(ratio(i, 1), x)
		v := weigh(by.Mul(by, narrow))
		sum.Add(sum, v)
		at := w[min(max(i, 0), n-1)-first]
		at.Add(at, v)
	}
	if sum.Sign() != 0 {
		for _, v := range w {
			v.Quo(v, sum)
		}
	}
	return first, w
}

// linearWeight is max(0, 1 − |x|).
func linearWeight(x *big.Rat) *big.Rat {
	x.Sub(ratio(1, 1), x.Abs(x))
	if x.Sign() < 0 {
		x.SetInt64(0)
	}
	return x
}

// cubicWeight is Keys's kernel with coefficient a: (a+2)|x|³ − (a+3)|x|² + 1 up to 1,
// a(|x|³ − 5|x|² + 8|x| − 4) up to 2, then 0.
func cubicWeight(x, a *big.Rat) *big.Rat {
	x.Abs(x)
	one, two := ratio(1, 1), ratio(2, 1)
	horner := func(c ...*big.Rat) *big.Rat {
		y := new(big.Rat)
		for _, v := range c {
			y.Add(y.Mul(y, x), v)
		}
		return y
	}
	switch {
	case x.Cmp(one) <= 0:
		a3 := new(big.Rat).Add(a, ratio(3, 1))
		return horner(new(big.Rat).Add(a, two), a3.Neg(a3), new(big.Rat), one)
	case x.Cmp(two) < 0:
		y := horner(one, ratio(-5, 1), ratio(8, 1), ratio(-4, 1))
		return y.Mul(y, a)
	}
	return new(big.Rat)
}
