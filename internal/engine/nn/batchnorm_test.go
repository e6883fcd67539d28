package nn

import (
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/must"
)

func testBatchNorm(channels int) *BatchNorm {
	r := rand.New(rand.NewPCG(uint64(channels), 3))
	b := &BatchNorm{
		Channels: channels, Epsilon: 1e-3,
		Scale: testParam(r, "scale", channels), Shift: testParam(r, "shift", channels),
		Mean: testParam(r, "mean", channels), Variance: testParam(r, "variance", channels),
	}
	for i, v := range b.Variance.Data {
		b.Variance.Data[i] = v*v + .1
	}
	return b
}

var batchNormShapes = [][]int{{5}, {3, 4, 5}, {2, 1, 1}, {40, 33, 33}}

// slowBatchNorm standardises by the batch's own statistics, and returns them.
func slowBatchNorm(b *BatchNorm, shape []int, x []float64) (y, mean, variance []float64) {
	hw := Size(shape[1:])
	n := len(x) / b.Channels
	mean, variance = make([]float64, b.Channels), make([]float64, b.Channels)
	for i, v := range x {
		mean[i/hw%b.Channels] += v / float64(n)
	}
	for i, v := range x {
		d := v - mean[i/hw%b.Channels]
		variance[i/hw%b.Channels] += d * d / float64(n)
	}
	y = make([]float64, len(x))
	for i, v := range x {
		c := i / hw % b.Channels
		y[i] = float64(b.Scale.Data[c])*(v-mean[c])/math.Sqrt(variance[c]+b.Epsilon) + float64(b.Shift.Data[c])
	}
	return y, mean, variance
}

func TestBatchNormTraining(t *testing.T) {
	for _, shape := range batchNormShapes {
		const n = 6
		b := testBatchNorm(shape[0])
		r := rand.New(rand.NewPCG(4, 4))
		x := randomSlice[float64](r, n*Size(shape), 2)
		for i := range x {
			x[i] += 7
		}
		want, mean, variance := slowBatchNorm(b, shape, x)
		before := *b
		before.Mean = &Param{Data: append([]float32(nil), b.Mean.Data...)}
		before.Variance = &Param{Data: append([]float32(nil), b.Variance.Data...)}
		f := &frame[float32]{batch: n, x: narrow([][]float64{x}), y: make([]float32, len(x)), train: true}
		k := newNormChain(newBatchNorm[float32](b, shape))
		k.forward(f)
		closeTo(t, "forward", wide(f.y), want, 1e-5)
		count := float64(len(x) / b.Channels)
		for c := range mean {
			moved := .9*float64(before.Mean.Data[c]) + .1*mean[c]
			spread := .9*float64(before.Variance.Data[c]) + .1*variance[c]*count/(count-1)
			if math.Abs(float64(b.Mean.Data[c])-moved) > 1e-6*math.Abs(moved) || math.Abs(float64(b.Variance.Data[c])-spread) > 1e-6*spread {
				t.Errorf("channel %d: running %v and %v, want %v and %v", c, b.Mean.Data[c], b.Variance.Data[c], moved, spread)
			}
		}
	}
}

// TestBatchNormOffset holds the float32 statistics to inputs far from zero.
func TestBatchNormOffset(t *testing.T) {
	b := testBatchNorm(1)
	shape := []int{1, 32, 32}
	r := rand.New(rand.NewPCG(6, 6))
	x := randomSlice[float32](r, 4*1024, 1)
	for i := range x {
		x[i] += 1000
	}
	want, _, _ := slowBatchNorm(b, shape, wide(x))
	f := &frame[float32]{batch: 4, x: [][]float32{x}, y: make([]float32, len(x)), train: true}
	newNormChain(newBatchNorm[float32](b, shape)).forward(f)
	closeTo(t, "forward", wide(f.y), want, 1e-3)
}

func TestBatchNormShapeErrors(t *testing.T) {
	for _, change := range []func(b *BatchNorm){
		func(b *BatchNorm) { b.Channels = 4 },
		func(b *BatchNorm) { b.Mean = nil },
		func(b *BatchNorm) { b.Scale.Shape = []int{2} },
		func(b *BatchNorm) { b.Variance.Data[1] = -1 },
		func(b *BatchNorm) { b.Epsilon = -1 },
		func(b *BatchNorm) { b.Epsilon = math.NaN() },
		func(b *BatchNorm) { b.Epsilon = math.Inf(1) },
		func(b *BatchNorm) { b.Variance.Data[1] = float32(math.NaN()) },
		func(b *BatchNorm) { b.Momentum = 2 },
	} {
		b := testBatchNorm(3)
		change(b)
		must.Fail(t, must.Err(b.Shape([]int{3, 2, 2})))
	}
}
