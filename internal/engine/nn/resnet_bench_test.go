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

	"tattle/internal/must"
)

// resnetProducts is what BenchmarkResNet18 times, in the order of PyTorch's program.
var resnetProducts = []string{"forward", "vjp", "jvp"}

// ask has PyTorch compute one product and returns the seconds it took.
func (p *peer) ask(b *testing.B, product string, batch int) float64 {
	fmt.Fprintln(p.in, product, batch)
	return must.Get(strconv.ParseFloat(strings.TrimSpace(p.line(b)), 64))(b)
}

// BenchmarkResNet18 times the features of ResNet-18 at 224×224, and products with
// their Jacobian at kept activations, between PyTorch's own on the same cores, the
// faster of its two ways for the JVP: x-pytorch is the ratio of the medians.
func BenchmarkResNet18(b *testing.B) {
	if exec.Command("/usr/bin/python3", "-c", "import torchvision").Run() != nil {
		b.Skip("needs /usr/bin/python3 with PyTorch and torchvision, which are not here")
	}
	p := startPeer(b, "testdata/pytorch_resnet18.py")
	g := zooNet("resnet18")
	g.Output = "layer4.1.relu2"
	net := mustNet(b, g)
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
