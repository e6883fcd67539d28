package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/onnx"
	"tattle/internal/npy"
	"tattle/internal/report"
	"tattle/internal/run"
)

// TestScripts runs the promises of the README, one script each.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:       "testdata/script",
		Condition: func(c string) (bool, error) { return c == "root" && os.Geteuid() == 0, nil },
		Setup:     withRunner,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"tattle":       tattleVerb,
			"fails":        fails,
			"mkmnist":      mkMNIST,
			"mknet":        mkNet,
			"mkthreshold":  mkThreshold,
			"mkcifar":      mkCIFAR,
			"mkceleba":     mkCelebA,
			"mkweights":    mkWeights,
			"mkpictures":   mkPictures,
			"mkscores":     mkScores,
			"mkvectors":    mkVectors,
			"mkcolour":     mkColour,
			"mknpz":        mkNPZ,
			"mkpeople":     mkPeople,
			"mkcovariance": mkCovariance,
			"cut":          cut,
			"released":     released,
			"swap":         swap,
			"rehash":       rehash,
			"flip":         flip,
			"altered":      altered,
			"forge":        forge,
			"mkindices":    mkIndices,
			"interrupt":    interrupt,
			"serving":      serving,
			"stopped":      stopped,
			"fetch":        fetch,
			"begin":        begin,
			"sig":          sig,
			"ended":        ended,
			"await":        await,
			"until":        until,
			"likewise":     likewise,
		},
	})
}

// fails STATUS PATTERN ARG... runs tattle, which must end with that status and
// say why in one line that matches, with at most a hint below it.
func fails(ts *testscript.TestScript, _ bool, args []string) { failed(ts, args) }

func failed(ts *testscript.TestScript, args []string) outcome {
	o := execute(ts, args[2:])
	if strconv.Itoa(o.Status) != args[0] {
		ts.Fatalf("status %d, want %s", o.Status, args[0])
	}
	lines := strings.Split(strings.TrimSuffix(string(o.Stderr), "\n"), "\n")
	if len(lines) > 2 || !strings.HasPrefix(lines[0], "tattle: error: ") || len(lines) == 2 && !strings.HasPrefix(lines[1], "tattle: hint: ") {
		ts.Fatalf("not one line and a hint")
	}
	if !regexp.MustCompile(args[1]).MatchString(lines[0]) {
		ts.Fatalf("%q does not match %q", lines[0], args[1])
	}
	return o
}

// side is how high and wide the digits of mkmnist and the inputs of mknet are, unless another argument
// says 28: a quarter of MNIST's pixels are bounded many times faster.
const side = 14

// mkMNIST DIR TRAIN TEST [28|faint] writes glyphs as MNIST's four files, gzipped; with faint, those for tests
// are less bright.
func mkMNIST(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o777))
	for i, prefix := range []string{"train", "t10k"} {
		n, err := strconv.Atoi(args[1+i])
		ts.Check(err)
		s := drawn[i].first(n)
		labels := make([]byte, n)
		for j, y := range s.Y[:n] {
			labels[j] = byte(y)
		}
		pixels, size := s.Pixels[:n*28*28], 28
		if len(args) < 4 || args[3] == "faint" {
			pixels, size = halved(pixels), side
		}
		for j := range pixels {
			if len(args) > 3 && args[3] == "faint" && i == 1 {
				pixels[j] = byte(int(pixels[j]) * 3 / 4)
			}
		}
		writeIDX(ts, filepath.Join(dir, prefix+"-images-idx3-ubyte.gz"), []int{n, size, size}, pixels)
		writeIDX(ts, filepath.Join(dir, prefix+"-labels-idx1-ubyte.gz"), []int{n}, labels)
	}
}

// drawn are glyphs of two seeds, which scripts share: drawing takes longer than most commands.
var drawn = [2]drawnGlyphs{{seed: 0}, {seed: 1}}

type drawnGlyphs struct {
	seed uint64
	mu   sync.Mutex
	set  *dataset.Set
}

// first returns the first n glyphs.
func (g *drawnGlyphs) first(n int) *dataset.Set {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.set == nil || g.set.Len() < n {
		g.set = dataset.Glyphs(dataset.GlyphOptions{N: max(n, 600), Seed: g.seed})
	}
	return g.set
}

// halved returns pictures of 28×28 at half the size: each pixel is the mean of four.
func halved(pixels []byte) (small []byte) {
	for at := 0; at < len(pixels); at += 2 * 28 {
		for j := at; j < at+28; j += 2 {
			small = append(small, byte((int(pixels[j])+int(pixels[j+1])+int(pixels[j+28])+int(pixels[j+29]))/4))
		}
	}
	return small
}

// mkCIFAR DIR N writes coloured noise as CIFAR-10's batches, test and training.
func mkCIFAR(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o777))
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	r := rand.New(rand.NewPCG(1, 1))
	records := make([]byte, n*(1+3*32*32))
	for i := range records {
		records[i] = byte(r.Uint32())
		if i%(1+3*32*32) == 0 {
			records[i] %= 10
		}
	}
	ts.Check(os.WriteFile(filepath.Join(dir, "test_batch.bin"), records, 0o666))
	ts.Check(os.WriteFile(filepath.Join(dir, "data_batch_1.bin"), records, 0o666))
}

// mkCelebA DIR N lays drawn faces out as CelebA's, with attributes that they do not show.
func mkCelebA(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	pictures := filepath.Join(dir, "img_align_celeba")
	ts.Check(dataset.WriteFaces(context.Background(), pictures, n, 2))
	faces, err := os.ReadDir(pictures)
	ts.Check(err)
	r := rand.New(rand.NewPCG(2, 2))
	list := fmt.Sprintf("%d\nBlack_Hair Blond_Hair Brown_Hair Male Smiling Attractive Mouth_Slightly_Open Heavy_Makeup Wavy_Hair\n", n)
	parts := ""
	for i, face := range faces {
		name := fmt.Sprintf("%06d.jpg", i+1)
		ts.Check(os.Rename(filepath.Join(pictures, face.Name()), filepath.Join(pictures, name)))
		list += name
		for k := range 9 {
			list += map[bool]string{true: " 1", false: " -1"}[k == i%4 || k > 2 && r.IntN(2) > 0]
		}
		list += "\n"
		parts += fmt.Sprintf("%s %d\n", name, max(0, i*10/n-7))
	}
	ts.Check(os.WriteFile(filepath.Join(dir, "list_attr_celeba.txt"), []byte(list), 0o666))
	ts.Check(os.WriteFile(filepath.Join(dir, "list_eval_partition.txt"), []byte(parts), 0o666))
}

// mkNet FILE WIDTH [28] writes an untrained net of mkmnist's digits with two hidden
// layers of that width, as a trained one quick to bound.
func mkNet(ts *testscript.TestScript, _ bool, args []string) {
	width, err := strconv.Atoi(args[1])
	ts.Check(err)
	size := side
	if len(args) > 2 {
		size = 28
	}
	ts.Check(onnx.Write(ts.MkAbs(args[0]), smallNet(width, size)))
}

// mkThreshold FILE DIR writes a net that answers 1 where the mean of pixels scaled to 0 … 1 is above 0.5 and
// else 0, and plain pictures as MNIST's files for which that is right.
func mkThreshold(ts *testscript.TestScript, _ bool, args []string) {
	const n, p = 512, 4
	d := &nn.Dense{In: p, Out: 10, Weight: &nn.Param{Name: "w", Shape: []int{10, p}, Data: make([]float32, 10*p)}, Bias: &nn.Param{Name: "b", Shape: []int{10}, Data: make([]float32, 10)}}
	for i := range p {
		d.Weight.Data[p+i] = 1. / p
	}
	for i := range d.Bias.Data {
		d.Bias.Data[i] = -100
	}
	d.Bias.Data[0], d.Bias.Data[1] = 0, -.5
	ts.Check(onnx.Write(ts.MkAbs(args[0]), &nn.Graph{Name: "threshold", Input: "x", InputShape: []int{1, 2, 2}, Output: "y", Nodes: []*nn.Node{
		{Name: "flat", Op: nn.Flatten(), Inputs: []string{"x"}, Output: "flat_out"},
		{Name: "dense", Op: d, Inputs: []string{"flat_out"}, Output: "y"},
	}}))
	dir := ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(dir, 0o777))
	var pixels, labels []byte
	for i := range n {
		v := byte(i)
		pixels, labels = append(pixels, v, v, v, v), append(labels, v/128)
	}
	for _, prefix := range []string{"train", "t10k"} {
		writeIDX(ts, filepath.Join(dir, prefix+"-images-idx3-ubyte.gz"), []int{n, 2, 2}, pixels)
		writeIDX(ts, filepath.Join(dir, prefix+"-labels-idx1-ubyte.gz"), []int{n}, labels)
	}
}

func smallNet(width, size int) *nn.Graph {
	g := &nn.Graph{Name: "small", Input: "input", InputShape: []int{1, size, size}, Output: "input"}
	add := func(op nn.Op) {
		name := fmt.Sprintf("layer%d", len(g.Nodes))
		g.Nodes = append(g.Nodes, &nn.Node{Name: name, Op: op, Inputs: []string{g.Output}, Output: name + "_out"})
		g.Output = name + "_out"
	}
	dense := func(in, out int) nn.Op {
		name := fmt.Sprintf("%d.", len(g.Nodes))
		return &nn.Dense{In: in, Out: out,
			Weight: &nn.Param{Name: name + "weight", Shape: []int{out, in}, Data: make([]float32, out*in)},
			Bias:   &nn.Param{Name: name + "bias", Shape: []int{out}, Data: make([]float32, out)}}
	}
	add(nn.Flatten())
	add(dense(size*size, width))
	add(&nn.ReLU{})
	add(dense(width, width))
	add(&nn.ReLU{})
	add(dense(width, 10))
	g.Init(1)
	return g
}

func writeIDX(ts *testscript.TestScript, path string, dims []int, data []byte) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	head := []byte{0, 0, 8, byte(len(dims))}
	for _, d := range dims {
		head = binary.BigEndian.AppendUint32(head, uint32(d))
	}
	z.Write(head)
	z.Write(data)
	ts.Check(z.Close())
	ts.Check(os.WriteFile(path, b.Bytes(), 0o666))
}

// cut FILE N shortens a file to its first N bytes.
func cut(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), n))
}

// swap FILE PATTERN NEW replaces the first match in a file; ${1} in NEW is what
// the first parentheses matched.
func swap(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	b, err := os.ReadFile(path)
	ts.Check(err)
	re := regexp.MustCompile(args[1])
	at := re.FindSubmatchIndex(b)
	if at == nil {
		ts.Fatalf("%s does not contain %s", args[0], args[1])
	}
	out := re.Expand(slices.Clone(b[:at[0]]), []byte(args[2]), b, at)
	ts.Check(os.WriteFile(path, append(out, b[at[1]:]...), 0o666))
}

// rehash RUN FILE PATTERN NEW is swap for a rendered file of a run, and puts its new
// digest into report.json.
func rehash(ts *testscript.TestScript, _ bool, args []string) {
	digest := func() string {
		b, err := os.ReadFile(ts.MkAbs(filepath.Join(args[0], args[1])))
		ts.Check(err)
		return report.Digest(b)
	}
	was := digest()
	swap(ts, false, append([]string{filepath.Join(args[0], args[1])}, args[2:]...))
	swap(ts, false, []string{filepath.Join(args[0], reportJSON), was, digest()})
}

// flip FILE AFTER OFFSET changes one bit of the byte OFFSET bytes after the
// first occurrence of a text.
func flip(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	b, err := os.ReadFile(path)
	ts.Check(err)
	at := bytes.Index(b, []byte(args[1]))
	off, err := strconv.Atoi(args[2])
	ts.Check(err)
	if at < 0 || at+off >= len(b) {
		ts.Fatalf("%s has no byte %d after %q", args[0], off, args[1])
	}
	b[at+off] ^= 1
	ts.Check(os.WriteFile(path, b, 0o666))
}

// altered KEY WHAT changes a digit of the first number after a key (or text) of
// whole.json, and expects verify to name what it is about.
func altered(ts *testscript.TestScript, _ bool, args []string) {
	b := []byte(ts.ReadFile("whole.json"))
	at := bytes.Index(b, []byte(args[0]))
	if at < 0 {
		ts.Fatalf("the report says nothing of %s", args[0])
	}
	at += len(args[0])
	at += bytes.IndexAny(b[at:], "0123456789")
	first := at
	for at+1 < len(b) && at-first < 12 && (b[at+1] == '.' || b[at+1] >= '0' && b[at+1] <= '9') {
		at++ // to its last digit, or one that makes another float64
	}
	b[at] = '0' + (b[at]-'0'+1)%10
	ts.Check(os.WriteFile(ts.MkAbs("run/report.json"), b, 0o666))
	if o := failed(ts, []string{"1", "do(es)? not hold", "verify", "run"}); !strings.Contains(string(o.Stdout), args[1]) {
		ts.Fatalf("%s was changed, and verify does not name it", args[0])
	}
}

// forge DIR FILE ARRAY changes every other number of an array of a run, and the
// digest in the report with it.
func forge(ts *testscript.TestScript, _ bool, args []string) {
	path := filepath.Join(ts.MkAbs(args[0]), args[1])
	was, err := run.Digest(path)
	ts.Check(err)
	f, err := npy.Open(path)
	ts.Check(err)
	var b bytes.Buffer
	w, changed := npy.NewWriter(&b), false
	for _, name := range f.Names() {
		a, err := f.Array(name)
		ts.Check(err)
		if name == args[2] {
			changed = true
			switch x := a.Data.(type) {
			case []float64:
				halve(x)
			case []float32:
				halve(x)
			}
		}
		ts.Check(w.Add(name, a.Shape, a.Data))
	}
	ts.Check(w.Close())
	ts.Check(f.Close())
	if !changed {
		ts.Fatalf("%s has no array %s", path, args[2])
	}
	ts.Check(os.WriteFile(path, b.Bytes(), 0o666))
	is, err := run.Digest(path)
	ts.Check(err)
	reportPath := filepath.Join(ts.MkAbs(args[0]), reportJSON)
	said, err := os.ReadFile(reportPath)
	ts.Check(err)
	ts.Check(os.WriteFile(reportPath, bytes.ReplaceAll(said, []byte(was), []byte(is)), 0o666))
}

func halve[T float32 | float64](x []T) {
	for i := 0; i < len(x); i += 2 {
		x[i] /= 2
	}
}

// mkIndices FILE KIND writes indices that are none.
func mkIndices(ts *testscript.TestScript, _ bool, args []string) {
	switch args[1] {
	case "matrix":
		writeNPY(ts, args[0], []int{2, 2}, []int64{0, 1, 2, 3})
	case "mask":
		writeNPY(ts, args[0], []int{2}, []bool{true, false})
	case "halves":
		writeNPY(ts, args[0], []int{2}, []float64{.5, 1})
	case "below":
		writeNPY(ts, args[0], []int{2}, []int64{-1, 1})
	}
}

func writeNPY(ts *testscript.TestScript, path string, shape []int, data any) {
	var b bytes.Buffer
	ts.Check(npy.Write(&b, shape, data))
	ts.Check(os.WriteFile(ts.MkAbs(path), b.Bytes(), 0o666))
}

// writeNPZ writes the arrays that add adds.
func writeNPZ(ts *testscript.TestScript, path string, add func(w *npy.Writer)) {
	var b bytes.Buffer
	w := npy.NewWriter(&b)
	add(w)
	ts.Check(w.Close())
	ts.Check(os.WriteFile(ts.MkAbs(path), b.Bytes(), 0o666))
}

// mkVectors FILE writes two vectors of mkmnist's inputs.
func mkVectors(ts *testscript.TestScript, _ bool, args []string) {
	v := make([]float64, 2*side*side)
	for i := range v {
		v[i] = float64(i%7) - 2
	}
	writeNPZ(ts, args[0], func(w *npy.Writer) { ts.Check(w.Add("w", []int{2, side * side}, v)) })
}

// interrupt GLOB ARG... runs tattle, presses Ctrl-C as soon as a file matches,
// and expects status 3. What it said is left in stderr.
func interrupt(ts *testscript.TestScript, _ bool, args []string) {
	glob := ts.MkAbs(args[0])
	var said bytes.Buffer
	cmd := process(ts, args[1:]...)
	cmd.Stderr = &said
	ts.Check(cmd.Start())
	for range 30000 {
		if m, _ := filepath.Glob(glob); len(m) > 0 {
			break
		}
		time.Sleep(2 * time.Millisecond)
	}
	ts.Check(cmd.Process.Signal(os.Interrupt))
	if cmd.Wait(); cmd.ProcessState.ExitCode() != statusUnfinished {
		ts.Fatalf("status %d, want %d; it said: %s", cmd.ProcessState.ExitCode(), statusUnfinished, said.String())
	}
	fmt.Fprint(ts.Stderr(), said.String())
}
