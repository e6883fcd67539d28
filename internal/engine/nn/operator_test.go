package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/must"
)

// testOperator holds an operator on random inputs to what every kernel promises,
// in both precisions: products adjoint to each other, for one and several vectors
// per example, JVP and gradients as finite differences, unwanted cotangents left out, and in
// training the gradients of inputs and parameters.
func testOperator(t *testing.T, op Op, inputShapes ...[]int) {
	t.Helper()
	testOperatorAt(t, op, itself, inputShapes...)
}

// testOperatorAt is testOperator at inputs whose entries draw makes from normal ones.
func testOperatorAt(t *testing.T, op Op, draw func(float64) float64, inputShapes ...[]int) {
	t.Helper()
	shape := must.Get(op.Shape(inputShapes...))(t)
	c := opCase{op, inputShapes, Size(shape), draw}
	t.Run("adjoint32", func(t *testing.T) { testAdjoint(t, c, op.kernel32(inputShapes...), 2e-5) })
	t.Run("adjoint64", func(t *testing.T) { testAdjoint(t, c, op.kernel64(inputShapes...), 1e-13) })
	t.Run("difference", func(t *testing.T) { testDifference(t, c) })
	t.Run("absent", func(t *testing.T) { testAbsent(t, c) })
	t.Run("precision", func(t *testing.T) { testPrecision(t, c) })
	t.Run("train", func(t *testing.T) { testTrainGradients(t, c) })
}

type opCase struct {
	op  Op
	in  [][]int
	out int
	// draw makes entries of the inputs from normal ones; nil for these themselves.
	draw func(float64) float64
}

const testBatch = 3

func randomSlice[T Float](r *rand.Rand, n int, scale float64) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(scale * r.NormFloat64())
	}
	return x
}

// inputs returns random inputs of n rows per example.
func inputs[T Float](c opCase, r *rand.Rand, n int, scale float64) [][]T {
	xs := make([][]T, len(c.in))
	for i, s := range c.in {
		xs[i] = randomSlice[T](r, testBatch*n*Size(s), scale)
	}
	return xs
}

// points returns the inputs of each example at which an operator is tested.
func points[T Float](c opCase, r *rand.Rand) [][]T {
	xs := inputs[T](c, r, 1, 1)
	for _, x := range xs {
		for i, v := range x {
			if c.draw != nil {
				x[i] = T(c.draw(float64(v)))
			}
		}
	}
	return xs
}

// forwardFrame runs the kernel forward on x.
func forwardFrame[T Float](k kernel[T], c opCase, x [][]T, train bool) *frame[T] {
	f := &frame[T]{batch: testBatch, x: x, y: make([]T, testBatch*c.out), train: train, seed: 5}
	k.forward(f)
	return f
}

func dot64[T Float](x, y []T) float64 {
	s := 0.0
	for i := range x {
		s += float64(x[i]) * float64(y[i])
	}
	return s
}

func norm64[T Float](x []T) float64 { return math.Sqrt(dot64(x, x)) }

func testAdjoint[T Float](t *testing.T, c opCase, kern kernel[T], tolerance float64) {
	r := rand.New(rand.NewPCG(1, 2))
	f := forwardFrame(kern, c, points[T](c, r), false)
	for _, k := range []int{1, 4} {
		v := inputs[T](c, r, k, 1)
		u := randomSlice[T](r, testBatch*k*c.out, 1)
		dy := randomSlice[T](r, testBatch*k*c.out, 1) // overwritten
		dx := inputs[T](c, r, k, 1)                   // overwritten
		kern.jvp(f, dy, v, k)
		kern.vjp(f, dx, u, k)
		left, right, size := dot64(dy, u), 0.0, norm64(dy)*norm64(u)
		for i := range v {
			right += dot64(v[i], dx[i])
			size += norm64(v[i]) * norm64(dx[i])
		}
		if size == 0 || !(math.Abs(left-right) <= tolerance*size) {
			t.Errorf("k = %d: ⟨Jv, u⟩ = %v, ⟨v, Jᵀu⟩ = %v", k, left, right)
		}
	}
}

// closeTo fails if got and want differ by more than tolerance times the
// largest magnitude of want.
func closeTo[T Float](t *testing.T, what string, got, want []T, tolerance float64) {
	t.Helper()
	top := 0.0
	for _, w := range want {
		top = math.Max(top, math.Abs(float64(w)))
	}
	for i := range want {
		if !(math.Abs(float64(got[i])-float64(want[i])) <= tolerance*top) {
			t.Fatalf("%s: entry %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

func moved[T Float](x, d [][]T, h T) [][]T {
	out := make([][]T, len(x))
	for i := range x {
		out[i] = make([]T, len(x[i]))
		for j := range x[i] {
			out[i][j] = x[i][j] + h*d[i][j]
		}
	}
	return out
}

// testDifference holds the JVP of several vectors per example to differences of the outputs.
func testDifference(t *testing.T, c opCase) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	kern := c.op.kernel64(c.in...)
	f := forwardFrame(kern, c, points[float64](c, r), false)
	const k, h = 3, 1e-6
	v := inputs[float64](c, rand.New(rand.NewPCG(5, 6)), k, 1)
	got := make([]float64, k*len(f.y))
	kern.jvp(f, got, v, k)
	for j := range k {
		vj := rowsOf(c, v, k, j)
		up := forwardFrame(kern, c, moved(f.x, vj, h), false).y
		down := forwardFrame(kern, c, moved(f.x, vj, -h), false).y
		want := make([]float64, len(up))
		for i := range want {
			want[i] = (up[i] - down[i]) / (2 * h)
		}
		one := rowsOf(opCase{in: [][]int{{c.out}}}, [][]float64{got}, k, j)[0]
		closeTo(t, "jvp against differences", one, want, 1e-7)
	}
}

func narrow(x [][]float64) [][]float32 {
	out := make([][]float32, len(x))
	for i := range x {
		out[i] = Float32s(x[i])
	}
	return out
}

func wide(x []float32) []float64 { return Float64s(x) }

// rowsOf returns vector j of the k of each example.
func rowsOf[T Float](c opCase, d [][]T, k, j int) [][]T {
	out := make([][]T, len(d))
	for i, s := range c.in {
		n := Size(s)
		for b := range testBatch {
			out[i] = append(out[i], d[i][(b*k+j)*n:][:n]...)
		}
	}
	return out
}

// testAbsent holds that a nil cotangent is left out.
func testAbsent(t *testing.T, c opCase) {
	r := rand.New(rand.NewPCG(7, 8))
	kern := c.op.kernel64(c.in...)
	f := forwardFrame(kern, c, points[float64](c, r), false)
	u := randomSlice[float64](r, len(f.y), 1)
	full := inputs[float64](c, r, 1, 1)
	kern.vjp(f, full, u, 1)
	for i := range c.in {
		dx := make([][]float64, len(c.in))
		dx[i] = make([]float64, len(full[i]))
		kern.vjp(f, dx, u, 1)
		closeTo(t, "lone cotangent", dx[i], full[i], 0)
	}
}

// testPrecision holds the float32 kernel to the float64 one.
func testPrecision(t *testing.T, c opCase) {
	r := rand.New(rand.NewPCG(9, 10))
	narrowKernel, wideKernel := c.op.kernel32(c.in...), c.op.kernel64(c.in...)
	x := points[float32](c, r)
	wideX := make([][]float64, len(x))
	for i := range x {
		wideX[i] = wide(x[i])
	}
	f := forwardFrame(narrowKernel, c, x, false)
	closeTo(t, "float32 forward", wide(f.y), forwardFrame(wideKernel, c, wideX, false).y, 1e-5)
}

// testTrainGradients compares, in training, the gradients of ⟨u, y⟩ with respect
// to inputs and parameters with differences of the float32 forward pass along one
// random direction each.
func testTrainGradients(t *testing.T, c opCase) {
	r := rand.New(rand.NewPCG(11, 12))
	kern := c.op.kernel32(c.in...)
	if norm, ok := kern.(*batchNorm[float32]); ok {
		kern = newNormChain(norm)
	}
	x := points[float32](c, r)
	f := forwardFrame(kern, c, x, true)
	u := randomSlice[float32](r, len(f.y), 1)
	value := func(x [][]float32) float64 { return dot64(u, forwardFrame(kern, c, x, true).y) }
	compare := func(what string, got, size float64, up, down float64, h float64) {
		t.Helper()
		want := (up - down) / (2 * h)
		if !(math.Abs(got-want) <= .01*(size+math.Abs(want))) {
			t.Errorf("%s: gradient gives %v, differences %v", what, got, want)
		}
	}
	dx := points[float32](c, r)
	kern.vjp(f, dx, u, 1)
	for i := range c.in {
		const h = 1.0 / (1 << 14)
		d := make([][]float32, len(x))
		for j := range x {
			d[j] = make([]float32, len(x[j]))
		}
		d[i] = randomSlice[float32](r, len(x[i]), 1)
		compare(fmt.Sprintf("input %d", i), dot64(dx[i], d[i]), norm64(dx[i]), value(moved(x, d, h)), value(moved(x, d, -h)), h)
	}
	params := paramsOf(c.op)
	if len(params) == 0 {
		return
	}
	for _, p := range params {
		p.Grad = make([]float32, len(p.Data))
	}
	f = forwardFrame(kern, c, x, true)
	kern.(learner).grad(f, u, 1)
	kern.(learner).grad(f, u, 1) // adds: twice the gradient
	for _, p := range params {
		const h = 1.0 / 64
		d, own := randomSlice[float32](r, len(p.Data), 1), p.Data
		at := func(h float32) float64 {
			p.Data = moved([][]float32{own}, [][]float32{d}, h)[0]
			p.Changed()
			return value(x)
		}
		up, down := at(h), at(-h)
		p.Data = own
		p.Changed()
		compare(p.Name, dot64(p.Grad, d)/2, norm64(p.Grad)/2, up, down, h)
		p.Grad = nil
	}
}

// testParam returns a parameter of normal entries divided by the square root of
// the entries per row.
func testParam(r *rand.Rand, name string, shape ...int) *Param {
	scale := 1 / math.Sqrt(float64(Size(shape[1:])))
	return &Param{Name: name, Shape: shape, Data: randomSlice[float32](r, Size(shape), scale)}
}
