package nn

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// convNormed appends a convolution without bias, for inference with its BatchNorm
// folded in.
func (b *builder) square(in string, inC, out, kernel, stride int) string {
	name := b.name("conv")
	pad := kernel / 2
	b.g.node(name, &Conv2D{
		InChannels: inC, OutChannels: out,
		Kernel: [2]int{kernel, kernel}, Stride: [2]int{stride, stride}, Pad: [4]int{pad, pad, pad, pad},
		Weight: newParam(name+".weight", out, inC, kernel, kernel),
		Bias:   newParam(name+".bias", out),
	}, in)
	return name
}

func (b *builder) relu(in string) string {
	name := b.name("relu")
	b.g.node(name, &ReLU{}, in)
	return name
}

// resNet18Features is torchvision's ResNet-18 up to the last ReLU, with its batch
// norms folded into the convolutions.
func resNet18Features(seed uint64) *Graph {
	b := newBuilder("resnet18", 3, 224, 224)
	x := b.relu(b.square("input", 3, 64, 7, 2))
	b.g.node("pool", &MaxPool{Kernel: [2]int{3, 3}, Stride: [2]int{2, 2}, Pad: [4]int{1, 1, 1, 1}}, x)
	x = "pool"
	in := 64
	for _, out := range []int{64, 128, 256, 512} {
		for range 2 {
			stride := out / in
			y := b.relu(b.square(x, in, out, 3, stride))
			y = b.square(y, out, out, 3, 1)
			if stride != 1 {
				x = b.square(x, in, out, 1, stride)
			}
			sum := b.name("add")
			b.g.node(sum, &Add{}, y, x)
			x, in = b.relu(sum), out
		}
	}
	b.g.Output = x
	return b.graph(seed)
}

// resnetProducts is what BenchmarkResNet18 times, in the order of PyTorch's program.
var resnetProducts = []string{"forward", "vjp", "jvp"}

// ask has PyTorch compute one product and returns the seconds it took.
func (p *peer) ask(b *testing.B, product string, batch int) float64 {
	fmt.Fprintln(p.in, product, batch)
	s, err := strconv.ParseFloat(strings.TrimSpace(p.line(b)), 64)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// BenchmarkResNet18 times the features of ResNet-18 at 224×224, and products with
// their Jacobian at kept activations, between PyTorch's own on the same cores, the
// faster of its two ways for the JVP: x-pytorch is the ratio of the medians.
func BenchmarkResNet18(b *testing.B) {
	if exec.Command("/usr/bin/python3", "-c", "import torchvision").Run() != nil {
		b.Skip("needs /usr/bin/python3 with PyTorch and torchvision, which are not here")
	}
	p := startPeer(b, "testdata/pytorch_resnet18.py")
	net := mustNet(b, resNet18Features(1))
	inputs, outputs := net.Dims()
	for _, batch := range []int{8, 1} {
		r := rand.New(rand.NewPCG(1, 1))
		x, u := randomSlice[float32](r, batch*inputs, 1), randomSlice[float32](r, batch*outputs, 1)
		y, g := make([]float32, len(u)), make([]float32, len(x))
		at := net.Linearize(x)
		for _, product := range resnetProducts {
			f := map[string]func(){
				"forward": func() { net.Forward(y, x) },
				"vjp":     func() { at.VJP(g, u) },
				"jvp":     func() { at.JVP(y, x) },
			}[product]
			b.Run(fmt.Sprintf("%s/batch%d", product, batch), func(b *testing.B) {
				f()
				p.ask(b, product, batch)
				var ours, theirs []float64
				for b.Loop() {
					start := time.Now()
					f()
					ours = append(ours, time.Since(start).Seconds())
					b.StopTimer()
					theirs = append(theirs, p.ask(b, product, batch))
					b.StartTimer()
				}
				slices.Sort(ours)
				slices.Sort(theirs)
				mid := len(ours) / 2
				b.ReportMetric(ours[mid]/theirs[mid], "x-pytorch")
				b.ReportMetric(1e3*theirs[mid], "pytorch-ms")
				b.ReportMetric(1e3*ours[mid], "ms")
			})
		}
	}
}
