package nn

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tattle/internal/must"
)

// peer is PyTorch in a process of its own, which makes one step for each request.
type peer struct {
	in  io.Writer
	out *bufio.Scanner
}

// startPeer runs the program with the first Python that has PyTorch, tuned: as many
// threads as Go's for the convolutions, one for OpenBLAS beside them, and an
// allocator that keeps large activations instead of faulting them in each step.
func startPeer(b *testing.B, program string) *peer {
	cores := fmt.Sprint(runtime.GOMAXPROCS(0))
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import torch").Run() != nil {
			continue
		}
		cmd := exec.Command(python, program)
		cmd.Env = append(os.Environ(), "OMP_NUM_THREADS="+cores, "OPENBLAS_NUM_THREADS=1",
			"MALLOC_MMAP_THRESHOLD_=4294967296", "MALLOC_TRIM_THRESHOLD_=17179869184", "MALLOC_TOP_PAD_=268435456")
		in := must.Get(cmd.StdinPipe())(b)
		out := must.Get(cmd.StdoutPipe())(b)
		must.Do(b, cmd.Start())
		b.Cleanup(func() { in.Close(); cmd.Wait() })
		p := &peer{in, bufio.NewScanner(out)}
		b.Log(p.line(b))
		return p
	}
	b.Skip("needs a Python with PyTorch, and there is none here")
	return nil
}

func (p *peer) line(b *testing.B) string {
	if !p.out.Scan() {
		b.Fatal("PyTorch's program ended: ", p.out.Err())
	}
	return p.out.Text()
}

// step has PyTorch make one step and returns the seconds it took.
func (p *peer) step(b *testing.B) float64 {
	fmt.Fprintln(p.in)
	return must.Get(strconv.ParseFloat(strings.TrimSpace(p.line(b)), 64))(b)
}

// BenchmarkPyTorch times training steps of paper B's classifier, batch 100 of 64×64
// with Adam, between PyTorch's own steps on the same cores: x-pytorch is the ratio
// of the medians.
func BenchmarkPyTorch(b *testing.B) {
	p := startPeer(b, "testdata/pytorch_step.py")
	g := zooNet("curious")
	step := TrainStep(g)
	inputs, _ := mustNet(b, g).Dims()
	r := rand.New(rand.NewPCG(2, 2))
	x, y := randomSlice[float32](r, 100*inputs, 1), make([]int, 100)
	for i := range y {
		y[i] = r.IntN(2)
	}
	step(x, y)
	var ours, theirs []float64
	for b.Loop() {
		start := time.Now()
		step(x, y)
		ours = append(ours, time.Since(start).Seconds())
		b.StopTimer()
		theirs = append(theirs, p.step(b))
		b.StartTimer()
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	mid := len(ours) / 2
	b.ReportMetric(ours[mid]/theirs[mid], "x-pytorch")
	b.ReportMetric(1e3*theirs[mid], "pytorch-ms")
	b.ReportMetric(1e3*ours[mid], "ms")
}
