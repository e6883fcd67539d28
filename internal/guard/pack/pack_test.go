package pack

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/guard/ledger"
	"tattle/internal/must"
	"tattle/internal/report"
	"tattle/internal/run"
	"tattle/internal/shared"
)

// written writes a pack of an untrained net with noise of σ/Δ = 3.
func written(t *testing.T) (p *Pack, dir string) {
	t.Helper()
	return packed(t, zoo.MNIST(3), CertifiedLattice{Delta: .25, Sigma: .75, Clip: 8}, 0)
}

// packed writes a pack of a net with a drift allowance. Dim is that of the net.
func packed(t *testing.T, g *nn.Graph, l CertifiedLattice, drift float64) (p *Pack, dir string) {
	t.Helper()
	node := must.Get(g.FeatureNode())(t)
	front, head := must.Get2(g.Cut(node))(t)
	shapes := must.Get(front.Shapes())(t)
	l.Dim = nn.Size(shapes[front.Output])
	c := &Certificate{Schema: CertificateSchema, Version: run.Current().Version, Title: "test", Sentences: []string{"nothing is proved"},
		Lattice: l, Budget: ledger.Budget{Releases: 1}, Drift: drift}
	p = must.Get(New(front, head, c))(t)
	dir = t.TempDir()
	must.Do(t, p.Write(dir))
	return p, dir
}

// TestOpen: a pack can be read back, and a change of any file is found.
func TestOpen(t *testing.T) {
	shared.Long(t, "a change of any file of a pack")
	p, dir := written(t)
	again := must.Get(Open(dir))(t)
	if again.Lattice() != p.Lattice() || again.Certificate.Budget != p.Certificate.Budget {
		t.Errorf("lattice %v, budget %v", again.Lattice(), again.Certificate.Budget)
	}
	must.Do(t, again.Same(dir))
	files := must.Get(p.Files())(t)
	for name, content := range files {
		path := filepath.Join(dir, name)
		for what, changed := range map[string][]byte{"cut": content[:len(content)-1], "longer": append(content[:len(content):len(content)], '\n')} {
			must.Do(t, os.WriteFile(path, changed, 0o666))
			var wrong *MismatchError
			if _, err := Open(dir); !errors.As(err, &wrong) || filepath.Base(wrong.Path) != name {
				t.Errorf("%s %s: %v", name, what, err)
			}
		}
		must.Do(t, os.WriteFile(path, content, 0o666))
	}
}

// TestOpenOfAnotherVersion: its page may be worded otherwise, and nothing else may differ.
func TestOpenOfAnotherVersion(t *testing.T) {
	shared.Long(t, "a pack of another version")
	p, dir := written(t)
	p.Certificate.Version = "v0.0.9"
	must.Do(t, p.Write(dir))
	change := func(name string) {
		before := must.Get(os.ReadFile(filepath.Join(dir, name)))(t)
		after := append(before[:len(before):len(before)], '\n')
		settings := must.Get(os.ReadFile(filepath.Join(dir, SettingsFile)))(t)
		for path, content := range map[string][]byte{name: after, SettingsFile: bytes.Replace(settings, []byte(report.Digest(before)), []byte(report.Digest(after)), 1)} {
			must.Do(t, os.WriteFile(filepath.Join(dir, path), content, 0o666))
		}
	}
	change(CertificatePageFile)
	must.Get(Open(dir))(t)
	change(pythonFile)
	must.Fail(t, must.Err(Open(dir)), "v0.0.9") // another program
}

// TestGoSnippet: the program has the noise of the certificate, and rounds as package lattice does.
func TestGoSnippet(t *testing.T) {
	shared.Long(t, "builds and runs the Go program")
	for _, ball := range []bool{false, true} {
		p, dir := packed(t, zoo.MNIST(3), CertifiedLattice{Delta: .25, Sigma: .75, Clip: 60, Ball: ball}, 0)
		goSnippetRuns(t, p, dir)
	}
}

func goSnippetRuns(t *testing.T, p *Pack, dir string) {
	t.Helper()
	work := t.TempDir()
	snippet := must.Get(os.ReadFile(filepath.Join(dir, goFile)))(t)
	for name, text := range map[string]string{
		"go.mod":             "module snippet\n\ngo 1.24\n",
		"release/release.go": string(snippet),
		"main.go": `package main

import (
	"fmt"

	"snippet/release"
)

func main() {
	for range 20000 {
		k, err := release.Noise()
		if err != nil {
			panic(err)
		}
		fmt.Println(k)
	}
	features := make([]float32, release.Features)
	for i := range features {
		features[i] = 1e9 // clipped, to 60, or to 60/28 = 2.14 of the norm of 784 numbers
	}
	r, err := release.Release(features)
	if err != nil {
		panic(err)
	}
	sum := int64(0)
	for _, k := range r {
		sum += k
	}
	fmt.Println(float64(sum) / release.Features)
}
`} {
		path := filepath.Join(work, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
		must.Do(t, os.WriteFile(path, []byte(text), 0o666))
	}
	cmd := exec.Command("go", "run", ".")
	cmd.Dir, cmd.Env = work, append(os.Environ(), "GOWORK=off") // GOFLAGS as they are: with others, Go builds its library again
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lines := strings.Fields(string(out))
	if len(lines) != 20001 {
		t.Fatalf("%d lines", len(lines))
	}
	gaussian(t, lines[:20000], 3)
	var mean float64
	must.Get(fmt.Sscan(lines[20000], &mean))(t)
	l := p.Lattice()
	points, features := make([]int64, l.Dim), make([]float32, l.Dim)
	for i := range features {
		features[i] = 1e9
	}
	must.Get(l.Round(points, features))(t)
	if most := float64(points[0]); most < 8 || math.Abs(mean-most) > 6*3/math.Sqrt(float64(l.Dim)) { // by chance once in 5·10⁸ times
		t.Errorf("the mean of clipped features is %v, and the clip gives %v", mean, most)
	}
}

// TestPythonSnippet: the program has the noise of the certificate.
func TestPythonSnippet(t *testing.T) {
	shared.Long(t, "runs the Python program")
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	_, dir := written(t)
	cmd := exec.Command(python, "-B", "-c", "import release\nfor _ in range(20000): print(release.noise())")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	gaussian(t, strings.Fields(string(out)), 3)
}

// TestPythonRefuses: the program releases no second input with the noise of the first, and no feature
// that is not a number, which a runtime casts to the least integer.
func TestPythonRefuses(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil || exec.Command(python, "-c", "import numpy").Run() != nil {
		t.Skip("there is no python3 with numpy")
	}
	_, dir := written(t)
	for points, complaint := range map[string]string{
		"z * 0 + 32":                         "", // the clip
		"numpy.zeros((2, 784), numpy.int64)": "more than one input",
		"z * 0 + numpy.int64(-2**63)":        "is not a number",
		"z * 0 + 33":                         "beyond the clip",
	} {
		cmd := exec.Command(python, "-B", "-c", `import numpy, release
release.noise = lambda: -7
class Front:
    def get_inputs(self): return [None, self]
    shape = ["batch", release.FEATURES]
    def run(self, _, feed):
        z = feed["noise"]
        return [`+points+` + z]
release.release(Front(), None)`)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); (err != nil) != (complaint != "") || !strings.Contains(string(out), complaint) {
			t.Errorf("points %s: %v: %s, want %q", points, err, out, complaint)
		}
	}
}

// TestPythonRuntime: front.onnx runs in onnxruntime.
func TestPythonRuntime(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil || exec.Command(python, "-c", "import numpy, onnxruntime").Run() != nil {
		t.Skip("there is no python3 with numpy and onnxruntime")
	}
	p, dir := written(t)
	shape := strings.Join(strings.Fields(fmt.Sprint(p.Front.InputShape)), ",")
	cmd := exec.Command(python, "-B", "-c", "import numpy, runpy, sys; numpy.save('input.npy', numpy.zeros([1]+"+shape+")); sys.argv=['release.py','input.npy']; runpy.run_path('release.py', run_name='__main__')")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// gaussian checks draws against P(k) ∝ exp(−k²/2s²) by Pearson's test, in one group for each integer
// up to ±2.3·s and two for the rest, each of more than 150 expected draws. It fails by chance once in 10⁷ times.
func gaussian(t *testing.T, draws []string, s float64) {
	t.Helper()
	most := int(2.3 * s)
	counts := make([]float64, 2*most+3)
	group := func(k int) int { return max(0, min(2*most+2, k+most+1)) }
	p := make([]float64, len(counts))
	sum := 0.
	for k := -200; k <= 200; k++ {
		v := math.Exp(-float64(k*k) / (2 * s * s))
		p[group(k)] += v
		sum += v
	}
	for _, d := range draws {
		var k int
		must.Get(fmt.Sscan(d, &k))(t)
		counts[group(k)]++
	}
	statistic := 0.
	for i, c := range counts {
		e := p[i] / sum * float64(len(draws))
		if e < 150 {
			t.Fatalf("%v expected draws in group %d", e, i)
		}
		statistic += (c - e) * (c - e) / e
	}
	if limit := (distuv.ChiSquared{K: float64(len(counts) - 1)}).Quantile(1 - 1e-7); statistic > limit {
		t.Errorf("Pearson's statistic is %v, expected at most %v", statistic, limit)
	}
}
