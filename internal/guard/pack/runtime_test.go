package pack

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/engine/onnx"
	"tattle/internal/must"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/lattice"
	"tattle/internal/protect/release"
	"tattle/internal/shared"
)

// inNode releases inputs by front.onnx in onnxruntime: the arguments are the file, the numbers of
// inputs and of noises in a batch, and the files of inputs, noise and released integers.
const inNode = `
const fs = require('fs'), ort = require('onnxruntime-node');
const [file, xs, zs, inputs, noises, out] = process.argv.slice(1);
(async () => {
	const front = await ort.InferenceSession.create(file);
	const [input, noise] = front.inputMetadata.map(m => m.shape.slice(1));
	const size = shape => shape.reduce((a, b) => a * b, 1), p = size(input), n = size(noise);
	const x = new Float32Array(new Uint8Array(fs.readFileSync(inputs)).buffer);
	const z = new BigInt64Array(new Uint8Array(fs.readFileSync(noises)).buffer);
	const f = fs.openSync(out, 'w');
	for (let i = 0, j = 0; i * p < x.length; i += +xs, j += +zs) {
		const a = x.slice(i * p, (i + +xs) * p), b = z.slice(j * n, (j + +zs) * n);
		const y = await front.run({
			input: new ort.Tensor('float32', a, [a.length / p, ...input]),
			noise: new ort.Tensor('int64', b, [b.length / n, ...noise]),
		});
		const r = y.release.data;
		fs.writeSync(f, new Uint8Array(r.buffer, r.byteOffset, r.byteLength));
	}
})().catch(e => { console.error(e.message); process.exit(1); });
`

// node returns the program that runs inNode, or skips the test.
func node(t *testing.T) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil || exec.Command(node, "-e", "require('onnxruntime-node')").Run() != nil {
		t.Skip("there is no node with onnxruntime-node: run npm install onnxruntime-node in a folder, and set NODE_PATH to its node_modules")
	}
	return node
}

// byNode returns what front.onnx of a pack releases in onnxruntime, with its complaint if it fails.
func byNode(t *testing.T, dir string, xs, zs string, x []float32, noise []int64) (released []int64, complaint string) {
	t.Helper()
	program, work := node(t), t.TempDir()
	at := func(name string) string { return filepath.Join(work, name) }
	for name, data := range map[string]any{"x": x, "noise": noise} {
		b := must.Get(binary.Append(nil, binary.LittleEndian, data))(t)
		must.Do(t, os.WriteFile(at(name), b, 0o666))
	}
	var stderr strings.Builder
	cmd := exec.Command(program, "-e", inNode, filepath.Join(dir, FrontFile), xs, zs, at("x"), at("noise"), at("out"))
	cmd.Stderr = &stderr
	if cmd.Run() != nil {
		return nil, stderr.String()
	}
	b := must.Get(os.ReadFile(at("out")))(t)
	released = make([]int64, len(b)/8)
	must.Do(t, binary.Read(bytes.NewReader(b), binary.LittleEndian, released))
	return released, ""
}

// TestOtherRuntime: front.onnx in onnxruntime releases the integers that a guard releases, but where
// its features are rounded otherwise; they stay within the drift that the certificate allows.
func TestOtherRuntime(t *testing.T) {
	shared.Long(t, "a pack in ONNX Runtime")
	generated := func(t *testing.T) (*nn.Graph, *dataset.Set) {
		return zoo.MNIST(3), dataset.Glyphs(dataset.GlyphOptions{N: 10000, Seed: 1})
	}
	trained := func(t *testing.T) (*nn.Graph, *dataset.Set) {
		g := must.Get(onnx.Read(shared.Path(t, "models/mnist-mlp.onnx")))(t)
		set, _ := must.Get2(dataset.OpenInputs(t.Context(), shared.Path(t, "data/mnist"), dataset.Options{Part: dataset.Test}))(t)
		return g, set
	}
	for name, from := range map[string]func(*testing.T) (*nn.Graph, *dataset.Set){"generated": generated, "MNIST": trained} {
		t.Run(name, func(t *testing.T) {
			node(t)
			g, set := from(t)
			l := lattice.Lattice{Delta: 1. / 64, Sigma: 1.7, Clip: 64}
			p, dir := packed(t, g, CertifiedLattice{Delta: l.Delta, Sigma: l.Sigma, Clip: l.Clip}, stated(t, g, set))
			sameRelease(t, p, dir, inputs(set))
		})
	}
}

// inputs returns all inputs of a set.
func inputs(set *dataset.Set) []float32 {
	indices := make([]int, set.Len())
	for i := range indices {
		indices[i] = i
	}
	x := make([]float32, set.Len()*28*28)
	set.Examples(x, indices)
	return x
}

// stated returns the drift allowance that package bound states for the features of a net.
func stated(t *testing.T, g *nn.Graph, set *dataset.Set) float64 {
	t.Helper()
	node := must.Get(g.FeatureNode())(t)
	cut, _ := must.Get2(g.Cut(node))(t)
	front := must.Get(nn.NewNet(cut))(t)
	noise := must.Get(release.NewLattice(lattice.Lattice{Delta: 1. / 64, Sigma: 1.7, Clip: 64, Dim: 784}))(t)
	x := make([]float32, 784)
	set.Examples(x, []int{0})
	one := must.Get(bound.Vectors("one pixel", append([]float64{1}, make([]float64, 783)...), 784))(t)
	e := bound.Experiment{Noise: noise, Coordinates: one}
	e.Search.Repeats, e.Search.Restarts = 1, 1
	res := must.Get(bound.Certify(t.Context(), front, x, e))(t)
	return res.Experiment.Runtime.Error
}

// sameRelease compares what onnxruntime releases of inputs with what a guard does.
func sameRelease(t *testing.T, p *Pack, dir string, x []float32) {
	t.Helper()
	const batch = 250
	net := must.Get(nn.NewNet(p.Front))(t)
	in, n := net.Dims()
	count := len(x) / in
	r := rand.New(rand.NewPCG(1, 2))
	noise := make([]int64, count*n)
	for i := range noise {
		noise[i] = int64(math.Round(100 * r.NormFloat64()))
	}
	theirs, complaint := byNode(t, dir, fmt.Sprint(batch), fmt.Sprint(batch), x, noise)
	if complaint != "" || len(theirs) != len(noise) {
		t.Fatalf("%d integers, want %d: %s", len(theirs), len(noise), complaint)
	}
	l, drift := p.Lattice(), p.Certificate.Drift
	features, exact, ours := make([]float32, batch*n), make([]float64, batch*n), make([]int64, batch*n)
	var differ, most, beyond int64
	for first := 0; first < count; first += batch {
		some := x[first*in : (first+batch)*in]
		net.Forward(features, some)
		net.Forward64(exact, wide(some))
		z, y := noise[first*n:], theirs[first*n:]
		copy(ours, z)
		for i := range batch {
			must.Get(l.AddRounded(ours[i*n:(i+1)*n], features[i*n:(i+1)*n]))(t)
		}
		for j, k := range ours {
			if d := y[j] - k; d != 0 {
				differ, most = differ+1, max(most, d, -d)
			}
			low, high := l.Points(exact[j], drift)
			if v := float64(y[j]-z[j]) * l.Delta; v < low || v > high {
				beyond++
			}
		}
	}
	t.Logf("%d inputs: %d of %d integers differ, by at most %d; %d are further than the drift of %.3g from real arithmetic allows", count, differ, len(noise), most, beyond, drift)
	if beyond > 0 {
		t.Errorf("%d of %d integers are not within the drift", beyond, len(noise))
	}
}

// wide returns x in float64.
func wide(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// TestOneNoiseForTwoInputs: front.onnx refuses fewer noises than inputs. A runtime that repeated them
// would release the difference of two inputs' features without noise.
func TestOneNoiseForTwoInputs(t *testing.T) {
	p, dir := written(t)
	in, n := nn.Size(p.Front.InputShape), p.Lattice().Dim
	if released, _ := byNode(t, dir, "2", "1", make([]float32, 2*in), make([]int64, n)); released != nil {
		t.Errorf("the same noise is added to two inputs: %v, %v", released[:3], released[n:n+3])
	}
	if _, complaint := byNode(t, dir, "2", "2", make([]float32, 2*in), make([]int64, 2*n)); complaint != "" {
		t.Error(complaint)
	}
}
