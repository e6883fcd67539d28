//go:build unix

package onnx

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/must"
	"tattle/internal/shared"
)

// forwardModels are the nets whose forward passes are timed: built in, with random parameters, or
// a file among the shared models.
var forwardModels = []struct {
	name  string
	batch int
	file  func(b *testing.B) string
}{
	{"resnet18", 1, builtIn(zoo.ResNet18)},
	{"resnet18", 8, builtIn(zoo.ResNet18)},
	{"swin-t", 1, builtIn(zoo.SwinT)},
	{"swin-mini", 1, sharedModel("swin-mini.onnx")},
	{"resnet20-cifar10", 8, sharedModel("resnet20-cifar10.onnx")},
	{"mcunet", 1, sharedModel("mcunet.onnx")},
	{"mcunet", 8, sharedModel("mcunet.onnx")},
	{"mobilenet-v3", 1, builtIn(mobileNetV3)},
	{"vit-b-32", 1, builtIn(vitB32)},
}

func builtIn(make func(classes int, seed uint64) *nn.Graph) func(*testing.B) string {
	return func(b *testing.B) string {
		data := must.Get(Encode(make(1000, 1)))(b)
		path := filepath.Join(b.TempDir(), "model.onnx")
		must.Do(b, os.WriteFile(path, data, 0o600))
		return path
	}
}

func sharedModel(name string) func(*testing.B) string {
	return func(b *testing.B) string { return shared.Path(b, "models/"+name) }
}

// BenchmarkONNXRuntime times forward passes between those of ONNX Runtime on the same file and
// the same cores: x-onnxruntime is the ratio of the least times, as other work on the machine only adds to them.
func BenchmarkONNXRuntime(b *testing.B) {
	peer := startONNXRuntime(b)
	for _, m := range forwardModels {
		b.Run(fmt.Sprintf("%s/batch%d", m.name, m.batch), func(b *testing.B) {
			file := m.file(b)
			g := must.Get(Read(file))(b)
			net := must.Get(nn.NewNet(g))(b)
			inputs, outputs := net.Dims()
			x, y := make([]float32, m.batch*inputs), make([]float32, m.batch*outputs)
			for i := range x {
				x[i] = float32(i*7919%2001)/1000 - 1
			}
			net.Forward(y, x)
			line := fmt.Sprint("load ", file, " ", m.batch)
			for _, d := range g.InputShape {
				line += fmt.Sprint(" ", d)
			}
			if n := peer.ask(b, line)[0]; int(n) != len(y) {
				b.Fatalf("ONNX Runtime has %g outputs, not %d", n, len(y))
			}
			compareForward(b, func() { net.Forward(y, x) }, peer)
		})
	}
}

// compareForward times f and the peer's passes in turn. Each turn takes a fifth of a second or
// more, after a rest in which the threads of the other side go to sleep. On a machine with other
// work only the times of the processor with GOMAXPROCS=1 can be compared.
func compareForward(b *testing.B, f func(), peer *runtimePeer) {
	const rest = 100 * time.Millisecond
	start := time.Now()
	f()
	times := 1 + int(.2/time.Since(start).Seconds())
	least := [4]float64{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)} // our times, by the clock and of the processor, and theirs
	for b.Loop() {
		time.Sleep(rest)
		start, used := time.Now(), processorTime(b)
		for range times {
			f()
		}
		our, ourCPU := time.Since(start).Seconds(), processorTime(b)-used
		time.Sleep(rest)
		their := peer.ask(b, fmt.Sprint("run ", times))
		for i, v := range [4]float64{our, ourCPU, their[0], their[1]} {
			least[i] = min(least[i], v)
		}
	}
	b.ReportMetric(1e3*least[0]/float64(times), "ms")
	b.ReportMetric(1e3*least[2]/float64(times), "onnxruntime-ms")
	b.ReportMetric(least[0]/least[2], "x-onnxruntime")
	b.ReportMetric(least[1]/least[3], "x-onnxruntime-cpu")
	b.ReportMetric(0, "ns/op")
}

// processorTime returns the seconds that this process has taken of the processors.
func processorTime(b *testing.B) float64 {
	var u syscall.Rusage
	must.Do(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// runtimePeer is ONNX Runtime in a process of its own.
type runtimePeer struct {
	in  io.Writer
	out *bufio.Scanner
}

// startONNXRuntime starts it with as many threads as Go's.
func startONNXRuntime(b *testing.B) *runtimePeer {
	if exec.Command("node", "-e", "require('onnxruntime-node')").Run() != nil {
		b.Skip("needs node, and onnxruntime-node in a folder that NODE_PATH names; npm install onnxruntime-node gets it")
	}
	cmd := exec.Command("node", "testdata/onnxruntime.cjs", fmt.Sprint(runtime.GOMAXPROCS(0)))
	cmd.Stderr = os.Stderr
	in := must.Get(cmd.StdinPipe())(b)
	out := must.Get(cmd.StdoutPipe())(b)
	must.Do(b, cmd.Start())
	b.Cleanup(func() { in.Close(); cmd.Wait() })
	return &runtimePeer{in, bufio.NewScanner(out)}
}

// ask returns the numbers that the peer answers.
func (p *runtimePeer) ask(b *testing.B, line string) (answer []float64) {
	fmt.Fprintln(p.in, line)
	if !p.out.Scan() {
		b.Fatal("ONNX Runtime's program ended: ", p.out.Err())
	}
	for word := range strings.FieldsSeq(p.out.Text()) {
		v := must.Get(strconv.ParseFloat(word, 64))(b)
		answer = append(answer, v)
	}
	return answer
}
