package nn

import "math"

// wideRectifier is ReLU, with zero, and LeakyReLU in double words.
type wideRectifier struct {
	zero  bool
	slope float64
}

// wide: as in rectifier's roundoff, the bound is that of the linear piece where all of
// x̂ ± ex lies on one side of 0, and max(1, |Slope|) times ex otherwise.
func (k wideRectifier) wide(y wideTensor, x []wideTensor, _ int) {
	s, up := math.Abs(k.slope), roundUp(4)
	for i, h := range x[0].hi {
		l, e := x[0].lo[i], x[0].e[i]
		sure := math.Abs(h) * (1 - 0x1p-50) // ≤ |h + l|
		switch {
		case h > 0:
			y.hi[i], y.lo[i], y.e[i] = h, l, e
			if !(e < sure) && s > 1 {
				y.e[i] = s * e * up
			}
		case k.zero:
			y.hi[i], y.lo[i], y.e[i] = 0, 0, e
			if e < sure {
				y.e[i] = 0
			}
		default:
			y.hi[i], y.lo[i] = mulFloat(h, l, k.slope)
			reach := s
			if !(e < sure) {
				reach = max(1, s)
			}
			y.e[i] = up*(reach*e+addError*math.Abs(y.hi[i])) + underflow
		}
	}
}

// wideCopy is an operator whose outputs are copies of inputs or constants. Its float64 kernel
// copies each part; its Jacobian products put zeros where outputs are constants.
type wideCopy struct {
	kernel kernel[float64]
	frame  frame[float64]
	dx     [][]float64
}

// newWideCopy returns nil for operators that compute.
func newWideCopy(s *step[float64]) wideKernel {
	switch op := s.op.(type) {
	case *Resize:
		if op.Mode != "nearest" {
			return nil
		}
	case *Transpose, *Slice, *Gather, *Pad, *Expand, *Tile, *Concat, *Constant:
	default:
		return nil
	}
	return &wideCopy{kernel: s.kernel}
}

func (k *wideCopy) wide(y wideTensor, x []wideTensor, batch int) {
	f := &k.frame
	f.batch, f.y, f.x = batch, y.hi, f.x[:0]
	for _, t := range x {
		f.x = append(f.x, t.hi)
	}
	k.kernel.forward(f)
	k.product(y.lo, x, func(t wideTensor) []float64 { return t.lo })
	k.product(y.e, x, func(t wideTensor) []float64 { return t.e })
}

func (k *wideCopy) product(dy []float64, x []wideTensor, part func(wideTensor) []float64) {
	k.dx = k.dx[:0]
	for _, t := range x {
		k.dx = append(k.dx, part(t))
	}
	k.kernel.jvp(&k.frame, dy, k.dx, 1)
}
