package nn

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/must"
)

// operatorBenchmarks are operators of the papers' nets, of ResNet-18, and of Swin-T and ViT, at their
// batch sizes.
func operatorBenchmarks() (cases []operatorBenchmark) {
	add := func(name string, batch int, op Op, in ...[]int) {
		cases = append(cases, operatorBenchmark{name, batch, op, in})
	}
	for _, c := range []struct {
		name  string
		batch int
		conv  convCase
	}{
		{"cifar1", 32, convCase{in: 3, out: 32, kernel: [2]int{3, 3}, height: 32, width: 32}},
		{"cifar2", 32, convCase{in: 32, out: 1024, kernel: [2]int{5, 5}, height: 15, width: 15}},
		{"cifar3", 32, convCase{in: 1024, out: 3072, kernel: [2]int{3, 3}, height: 3, width: 3}},
		{"curious1", 100, convCase{in: 3, out: 128, kernel: [2]int{2, 2}, stride: [2]int{2, 2}, height: 64, width: 64}},
		{"curious2", 100, convCase{in: 128, out: 128, kernel: [2]int{2, 2}, stride: [2]int{2, 2}, height: 32, width: 32}},
		{"curious3", 100, convCase{in: 128, out: 64, kernel: [2]int{2, 2}, stride: [2]int{2, 2}, height: 16, width: 16}},
		{"resnetstem", 8, convCase{in: 3, out: 64, kernel: [2]int{7, 7}, stride: [2]int{2, 2}, pad: [4]int{3, 3, 3, 3}, height: 224, width: 224}},
		{"resnet3x3s2", 8, convCase{in: 128, out: 256, kernel: [2]int{3, 3}, stride: [2]int{2, 2}, pad: [4]int{1, 1, 1, 1}, height: 28, width: 28}},
		{"resnet3x3", 16, convCase{in: 32, out: 32, kernel: [2]int{3, 3}, pad: [4]int{1, 1, 1, 1}, height: 16, width: 16}},
		{"pointwise", 8, convCase{in: 256, out: 64, kernel: [2]int{1, 1}, height: 56, width: 56}},
		{"depthwise", 16, convCase{in: 64, out: 64, groups: 64, kernel: [2]int{3, 3}, pad: [4]int{1, 1, 1, 1}, height: 28, width: 28}},
		{"depthwise3s2", 8, convCase{in: 96, out: 96, groups: 96, kernel: [2]int{3, 3}, stride: [2]int{2, 2}, pad: [4]int{1, 1, 1, 1}, height: 112, width: 112}},
		{"depthwise5", 8, convCase{in: 480, out: 480, groups: 480, kernel: [2]int{5, 5}, pad: [4]int{2, 2, 2, 2}, height: 14, width: 14}},
		{"depthwise7", 8, convCase{in: 192, out: 192, groups: 192, kernel: [2]int{7, 7}, pad: [4]int{3, 3, 3, 3}, height: 28, width: 28}},
	} {
		add("conv/"+c.name, c.batch, c.conv.op(), c.conv.shape())
	}
	add("pool/2", 32, &MaxPool{Kernel: [2]int{2, 2}, Stride: [2]int{2, 2}}, []int{32, 30, 30})
	add("pool/3", 32, &MaxPool{Kernel: [2]int{3, 3}, Stride: [2]int{3, 3}}, []int{1024, 11, 11})
	add("matmul/swin-qk", 1, &MatMul{TransB: true}, []int{64, 3, 49, 32}, []int{64, 3, 49, 32})
	add("matmul/swin-av", 1, &MatMul{}, []int{64, 3, 49, 49}, []int{64, 3, 49, 32})
	add("matmul/vit-qk", 1, &MatMul{TransB: true}, []int{12, 197, 64}, []int{12, 197, 64})
	add("matmul/vit-av", 1, &MatMul{}, []int{12, 197, 197}, []int{12, 197, 64})
	for name, in := range map[string][]int{"swin-96": {3136, 96}, "swin-768": {49, 768}, "vit": {197, 768}} {
		op := &LayerNorm{}
		op.Scale, op.Shift = normParams(rand.New(rand.NewPCG(1, 1)), in[1])
		add("layernorm/"+name, 1, op, in)
	}
	for name, in := range map[string][]int{"swin": {64 * 3 * 49, 49}, "vit": {12 * 197, 197}, "classes": {64, 1000}} {
		add("softmax/"+name, 1, &Softmax{}, in)
	}
	for _, f := range []string{"Mean", "Max"} {
		add("reduce/"+f+"/rows", 1, &Reduce{Function: f, Axes: []int{1}}, []int{3136, 96})
		add("reduce/"+f+"/columns", 1, &Reduce{Function: f, Axes: []int{0}}, []int{3136, 96})
		add("reduce/"+f+"/middle", 1, &Reduce{Function: f, Axes: []int{1}}, []int{64, 49, 96})
	}
	roll := slices.Concat(Indices(56)[3:], Indices(3))
	add("windows", 8, &Transpose{[]int{0, 2, 1, 3, 4}}, []int{8, 7, 8, 7, 96})
	add("unwindows", 8, &Transpose{[]int{0, 2, 1, 3, 4}}, []int{8, 8, 7, 7, 96})
	add("heads", 8, &Transpose{[]int{2, 0, 3, 1, 4}}, []int{64, 49, 3, 3, 32})
	add("unheads", 8, &Transpose{[]int{0, 2, 1, 3}}, []int{64, 3, 49, 32})
	add("rollrows", 8, &Gather{0, roll, []int{56}}, []int{56, 56, 96})
	add("rollcolumns", 8, &Gather{1, roll, []int{56}}, []int{56, 56, 96})
	add("merge", 8, &Transpose{[]int{0, 2, 3, 1, 4}}, []int{28, 2, 28, 2, 96})
	add("channelslast", 8, &Transpose{[]int{1, 2, 0}}, []int{96, 56, 56})
	add("channelsfirst", 8, &Transpose{[]int{2, 0, 1}}, []int{56, 56, 96})
	for _, op := range unaryCases() {
		if !isStep(op) {
			add("unary/"+op.Function, 8, op, []int{96, 56 * 56})
		}
	}
	in := []int{96, 56, 56}
	for _, shape := range [][]int{{}, {96, 1, 1}, {56}, in} {
		c := &Param{Shape: shape, Data: slices.Repeat([]float32{2}, Size(shape))}
		for _, o := range []string{"Add", "Sub", "Mul", "Div", "Pow"} {
			add(fmt.Sprint("arithmetic/", o, shape), 8, &Binary{Operator: o, Constant: c}, in)
		}
	}
	return cases
}

type operatorBenchmark struct {
	name  string
	batch int
	op    Op
	in    [][]int
}

// BenchmarkOperators times the forward pass, in training and not, and the products of operators:
// against products of matrices where those dominate, and elsewhere against copies of the first input.
func BenchmarkOperators(b *testing.B) {
	for _, c := range operatorBenchmarks() {
		r := rand.New(rand.NewPCG(1, 1))
		x, dx := make([][]float32, len(c.in)), make([][]float32, len(c.in))
		for i, s := range c.in {
			x[i], dx[i] = randomSlice[float32](r, c.batch*Size(s), 1), make([]float32, c.batch*Size(s))
		}
		out := must.Get(c.op.Shape(c.in...))(b)
		y, dy := make([]float32, c.batch*Size(out)), randomSlice[float32](r, c.batch*Size(out), 1)
		k := c.op.kernel32(c.in...)
		f := &frame[float32]{batch: c.batch, x: x, y: y}
		train := &frame[float32]{batch: c.batch, x: x, y: y, train: true}
		against := func(b *testing.B, f func()) {
			(&copier{to: make([]float32, len(x[0])), from: x[0]}).against(b, 2, f)
		}
		if terms := productTerms(c); terms > 0 {
			against = func(b *testing.B, f func()) { newYardstick().against(b, 2*float64(len(y)*terms), c.batch, f) }
		}
		k.forward(f)
		for name, f := range map[string]func(){
			"forward": func() { k.forward(train) },
			"infer":   func() { k.forward(f) },
			"jvp":     func() { k.jvp(f, dy, x, 1) },
			"vjp":     func() { k.vjp(f, dx, dy, 1) },
			"grad":    func() { k.(learner).grad(f, dy, 0) },
		} {
			if _, learns := k.(learner); !learns && name == "grad" {
				continue
			}
			for _, p := range paramsOf(c.op) {
				p.Grad = make([]float32, len(p.Data))
			}
			b.Run(c.name+"/"+name, func(b *testing.B) { against(b, f) })
		}
	}
}

// productTerms returns how many products an output of a convolution or a MatMul adds; 0 of others.
func productTerms(c operatorBenchmark) int {
	switch op := c.op.(type) {
	case *Conv2D:
		return Size(op.Weight.Shape[1:])
	case *MatMul:
		return c.in[0][len(c.in[0])-1]
	}
	return 0
}
