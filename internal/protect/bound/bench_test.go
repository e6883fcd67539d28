package bound

import (
	"cmp"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/must"
	"tattle/internal/protect/release"
)

// BenchmarkRun is paper A's Figure 1 on 100 of its 10,000 images: both sizes, 25
// restarts, 10 repeats, certificates and Cramér-Rao figures, arrays written.
func BenchmarkRun(b *testing.B) {
	o := loadOracle(b)
	e := o.experiment(Direct)
	e.Sizes = []float64{1. / 200, 1. / 1000}
	dir, n := b.TempDir(), 0
	for b.Loop() {
		n++
		must.Get(Run(context.Background(), o.net, o.data, upTo(100), e, RunOptions{Dir: filepath.Join(dir, strconv.Itoa(n))}))(b)
	}
	b.ReportMetric(float64(100*b.N)/b.Elapsed().Seconds(), "examples/s")
}

// cpu is the CPU time of this process.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkImageNet is paper A's Algorithm 1 as its figures 5 and 6 have it, on one
// image of 91 × 91 pixels that the model enlarges to 224 × 224, with 25 restarts of 10
// repeats, combined witnesses and the estimate of the spectrum: ResNet-18 at 2 times the RMS of
// its 25,088 features, Swin-T at 3 times that of 37,632. With parameters drawn at random,
// not trained, and a random image. It prints times and the largest memory. A run takes
// long: go test ./internal/protect/bound -run '^$' -bench ImageNet -benchtime 1x -timeout 0. In the environment,
// METHOD, RESTARTS, REPEATS, PIXELS (for 91) and MEMORY (in MiB, for 12,288) change it, and DIR
// is a folder that keeps an interrupted run.
func BenchmarkImageNet(b *testing.B) {
	for _, c := range []struct {
		graph *nn.Graph
		node  string
		scale float64
	}{{zoo.ResNet18(1000, 1), zoo.ResNet18Features, 2}, {zoo.SwinT(1000, 1), zoo.SwinTFeatures, 3}} {
		b.Run(c.graph.Name, func(b *testing.B) { benchmarkImageNet(b, c.graph, c.node, c.scale) })
	}
}

func benchmarkImageNet(b *testing.B, g *nn.Graph, node string, scale float64) {
	pixels := setting("PIXELS", 91)
	m, data := enlarged(b, g, node, pixels)
	rms, _ := must.Get2(release.FeatureScale(context.Background(), m, data))(b)
	e := Experiment{Noise: release.Gaussian{Sigma: scale * rms}, Coordinates: DCT([]int{3, pixels, pixels}), Memory: int64(setting("MEMORY", 12<<10)) << 20,
		Settings: Settings{Band: 8, Search: SearchOptions{
			Search: cmp.Or(os.Getenv("METHOD"), Auto), Restarts: setting("RESTARTS", DefaultRestarts), Repeats: setting("REPEATS", DefaultRepeats), Seed: 1,
		}, Barankin: BarankinOptions{Witnesses: DefaultWitnesses}},
	}
	for b.Loop() {
		r := must.Get(Run(b.Context(), m, data, upTo(1), e, RunOptions{Dir: cmp.Or(os.Getenv("DIR"), b.TempDir()), Resume: os.Getenv("DIR") != ""}))(b)
		b.Log(r.Experiment.Reasons, r.Warnings, r.Experiment.Rounding)
		for _, s := range r.Summaries {
			b.Log(s.Method, s.Band, s.Status, s.Quantile(.5))
		}
	}
	b.ReportMetric(peakMemory(), "MiB-peak")
	b.ReportMetric(cpu().Seconds(), "CPU-s")
}

// setting returns a number of the environment, or the default.
func setting(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// enlarged returns the net up to its features behind a resize of pixels × pixels, and
// an image of normal noise.
func enlarged(tb testing.TB, g *nn.Graph, node string, pixels int) (*nn.Net, nn.Rows) {
	tb.Helper()
	front, _, err := g.Cut(node)
	if err == nil {
		front, err = front.Upsampled("linear", pixels)
	}
	must.Do(tb, err)
	m := must.Get(nn.NewNet(front))(tb)
	r := rand.New(rand.NewPCG(91, 1))
	return m, nn.Rows{X: normals(r, 3*pixels*pixels, 1), P: 3 * pixels * pixels, Labels: make([]int, 1)}
}

// peakMemory returns the most memory that the process has held, in MiB; 0 if the
// system does not tell.
func peakMemory() float64 {
	status, _ := os.ReadFile("/proc/self/status")
	found := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(status)
	if found == nil {
		return 0
	}
	kib, _ := strconv.ParseFloat(string(found[1]), 64)
	return kib / 1024
}
