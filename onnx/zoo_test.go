package onnx

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tattle/internal/must"
	"tattle/nn"
	"tattle/npy"
)

// zooEnv names a folder of exported models, each with NAME.golden.npz beside it:
// input, output, u and jvp = J·u, v and vjp = Jᵀ·v, of a whole batch.
const zooEnv = "TATTLE_MODELS"

// TestZoo holds every model of the folder that can be read to its golden products, in float64 to
// those named output64, jvp64 and vjp64, and every other to a refusal of one line. Differences of
// products in float32 are printed only: rounding alone turns a few rectifiers of a large net the
// other way, in PyTorch as here.
func TestZoo(t *testing.T) {
	dir := os.Getenv(zooEnv)
	if dir == "" {
		t.Skipf("%s names no folder of models with golden products", zooEnv)
	}
	paths, _ := filepath.Glob(filepath.Join(dir, "*.onnx"))
	if len(paths) == 0 {
		t.Fatalf("%s holds no models", dir)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".onnx"), func(t *testing.T) { testModel(t, path) })
	}
}

func testModel(t *testing.T, path string) {
	g, err := Read(path)
	if err != nil {
		var u *UnsupportedError
		var f *FormatError
		if !errors.As(err, &u) && !errors.As(err, &f) || strings.Contains(err.Error(), "\n") {
			t.Fatalf("not a refusal of one line: %v", err)
		}
		t.Log("refused:", err)
		return
	}
	golden, err := npy.Open(strings.TrimSuffix(path, ".onnx") + ".golden.npz")
	if err != nil {
		t.Fatalf("read, but has no golden products: %v", err)
	}
	defer golden.Close()
	net := must.Get(nn.NewNet(g))(t)
	get := func(name string) []float32 {
		x, _, _ := golden.Float32s(name) // absent where nobody could compute it
		return x
	}
	x, y := get("input"), get("output")
	out := make([]float32, len(y))
	net.Forward(out, x)
	report := fmt.Sprintf("%d nodes; forward %.1e", len(g.Nodes), distance(out, y))
	if r := distance(out, y); !(r <= 1e-4) {
		t.Errorf("outputs: relative error %.2e", r)
	}
	lin := net.Linearize(x)
	if u := get("u"); u != nil {
		lin.JVP(out, u)
		report += fmt.Sprintf(", JVP %.1e", distance(out, get("jvp")))
	}
	back := make([]float32, len(x))
	lin.VJP(back, get("v"))
	t.Log(report + fmt.Sprintf(", VJP %.1e", distance(back, get("vjp"))))
	testModel64(t, net, golden)
}

// testModel64 holds the float64 pass to PyTorch's in float64, where no rectifier is
// on the other side for rounding's sake.
func testModel64(t *testing.T, net *nn.Net, golden *npy.File) {
	get := func(name string) []float64 {
		x, _, _ := golden.Float64s(name)
		return x
	}
	near := func(what string, got, want []float64) {
		if r := distance(got, want); !(r <= 1e-6) {
			t.Errorf("%s in float64: relative error %.2e", what, r)
		}
	}
	lin := net.Linearize64(get("input"))
	near("outputs", lin.Features(), get("output64"))
	if u := get("u"); u != nil {
		out := make([]float64, len(lin.Features()))
		lin.JVP(out, u)
		near("JVP", out, get("jvp64"))
	}
	back := make([]float64, len(get("input")))
	lin.VJP(back, get("v"))
	near("VJP", back, get("vjp64"))
}

// distance returns ‖a − b‖/‖b‖.
func distance[T nn.Float](a, b []T) float64 {
	var diff, size float64
	for i := range b {
		d := float64(a[i]) - float64(b[i])
		diff, size = diff+d*d, size+float64(b[i])*float64(b[i])
	}
	return math.Sqrt(diff / size)
}
