package verify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tattle/internal/cli"
	"tattle/internal/must"
	"tattle/internal/shared"
	"tattle/nn"
	"tattle/npy"
	"tattle/onnx"
	"tattle/report"
	"tattle/verify"
)

// TestEveryLeaf changes every leaf of the reports of small runs in turn, and removes and
// adds keys: verify must notice each change, or name what was changed among what it did
// not check. Of leaves that differ by their places in arrays alone it changes two, with
// TATTLE_FULL=1 all. With -short it tries every twelfth change, from a place that it prints.
func TestEveryLeaf(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	model, data, learned := filepath.Join(dir, "net.onnx"), filepath.Join(dir, "data.npz"), filepath.Join(dir, "learned.npz")
	writeTiny(t, model, data, learned)
	outputs := filepath.Join(dir, "outputs.csv")
	writeScores(t, outputs, 80)
	covariance := filepath.Join(dir, "noise.npy")
	writeCovariance(t, covariance)
	bound := []string{"bound", "--model", model, "--data", data, "--examples", "2", "--restarts", "2", "--repeats", "2", "--barankin", "3"}
	runs := map[string][]string{
		"features": append(bound[:len(bound):len(bound)], "--far", "1", "--twins", "0", "--attack", "none"),
		"logits": append(bound[:len(bound):len(bound)], "--far", "0", "--twins", "0", "--attack", "none",
			"--surface", "logits", "--temperature", "3", "--keep", "3", "--projection", "random", "--round", "3", "--covariance", covariance),
		"attacked": append(bound[:len(bound):len(bound)], "--barankin", "0", "--far", "0", "--twins", "1", "--training-data", learned, "--list-draws", "100", "--attack", "linear", "--attack-draws", "1",
			"--keep", "4", "--projection", "principal", "--no-cramer-rao"),
		"audit": {"audit", "--outputs", outputs, "--attacks", "logistic", "--no-defences", "--fail-on", "never", "--permutations", "99"},
	}
	for name, args := range runs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "attacked" {
				shared.Long(t, "every leaf of a run with attacks")
			}
			made := filepath.Join(dir, name)
			var said bytes.Buffer
			if status := cli.Execute(t.Context(), append(args, "--out", made), io.Discard, &said); status != 0 {
				t.Fatalf("status %d: %s", status, said.String())
			}
			everyFile(t, made)
			if name == "features" {
				changedTogether(t, made)
			}
			everyLeaf(t, made, verify.Options{}, 1)
			if name == "logits" { // neither model nor data are where they were
				gone := filepath.Join(dir, "gone")
				everyLeaf(t, madeOf(t, made, gone, model, data), verify.Options{}, 8)
			}
		})
	}
}

// madeOf copies a run to a folder, with a report that names files that are not there in
// the place of these.
func madeOf(t *testing.T, run, to string, missing ...string) string {
	t.Helper()
	must.Do(t, os.CopyFS(to, os.DirFS(run)))
	path := filepath.Join(to, report.FileJSON)
	b, err := os.ReadFile(path)
	for _, file := range missing {
		b = bytes.ReplaceAll(b, []byte(`"path": "`+file), []byte(`"path": "`+filepath.Join(filepath.Dir(file), "nowhere", filepath.Base(file))))
	}
	if err == nil {
		err = os.WriteFile(path, b, 0o666)
	}
	must.Do(t, err)
	return to
}

// writeCovariance writes the covariance of noise on 3 numbers.
func writeCovariance(t *testing.T, path string) {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, npy.Write(&b, []int{3, 3}, []float64{2, 1, 0, 1, 2, .5, 0, .5, 1}))
	must.Do(t, os.WriteFile(path, b.Bytes(), 0o666))
}

// writeScores writes a CSV with the scores of n examples, which depend on y alone.
func writeScores(t *testing.T, path string, n int) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	b := []byte("y,s1,score:0,score:1,score:2\n")
	for range n {
		y, z := r.IntN(3), [3]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		z[y] += 4
		b = fmt.Appendf(b, "%d,%c,%.4f,%.4f,%.4f\n", y, "ab"[r.IntN(2)], z[0], z[1], z[2])
	}
	must.Do(t, os.WriteFile(path, b, 0o666))
}

// writeTiny writes a net of 36 inputs, 6 features and 4 classes, and data for it.
func writeTiny(t *testing.T, model, data, learned string) {
	t.Helper()
	dense := func(name string, in, out int) *nn.Dense {
		return &nn.Dense{In: in, Out: out, Weight: &nn.Param{Name: name + ".weight", Shape: []int{out, in}, Data: make([]float32, out*in)}}
	}
	g := &nn.Graph{Name: "tiny", Input: "x", InputShape: []int{1, 6, 6}, Output: "scores", Nodes: []*nn.Node{
		{Name: "flat", Op: &nn.Flatten{}, Inputs: []string{"x"}, Output: "flat_out"},
		{Name: "hidden", Op: dense("hidden", 36, 6), Inputs: []string{"flat_out"}, Output: "hidden_out"},
		{Name: "relu", Op: &nn.ReLU{}, Inputs: []string{"hidden_out"}, Output: "relu_out"},
		{Name: "last", Op: dense("last", 6, 4), Inputs: []string{"relu_out"}, Output: "scores"},
	}}
	g.Init(1)
	must.Do(t, onnx.Write(model, g))
	r := rand.New(rand.NewPCG(1, 1))
	for path, n := range map[string]int{data: 12, learned: 60} {
		x, y := make([]float32, n*36), make([]int64, n)
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		for i := range y {
			y[i] = int64(i % 4)
		}
		var b bytes.Buffer
		w := npy.NewWriter(&b)
		for _, err := range []error{w.Add("x", []int{n, 1, 6, 6}, x), w.Add("y", []int{n}, y), w.Close(), os.WriteFile(path, b.Bytes(), 0o666)} {
			must.Do(t, err)
		}
	}
}

// everyFile changes a byte of each file of a run in turn: verify must object.
func everyFile(t *testing.T, dir string) {
	t.Helper()
	for _, entry := range must.Get(os.ReadDir(dir))(t) {
		path := filepath.Join(dir, entry.Name())
		whole := must.Get(os.ReadFile(path))(t)
		changed := bytes.Clone(whole)
		changed[len(changed)/2] ^= 1
		must.Do(t, os.WriteFile(path, changed, 0o666))
		if res, err := verify.Run(t.Context(), dir, verify.Options{}); err == nil && len(res.Found) == 0 {
			t.Errorf("a change of %s is not noticed", entry.Name())
		}
		must.Do(t, os.WriteFile(path, whole, 0o666))
	}
}

// changedTogether changes the files that say how a run was begun, with their digests, in the report too: verify
// must object all the same.
func changedTogether(t *testing.T, run string) {
	t.Helper()
	for name, change := range map[string]struct{ file, old, new string }{
		"command":  {"run.json", `"--examples",`, `"--examples=3",`},
		"search":   {"manifest.json", `"repeats": 2`, `"repeats": 200`},
		"strength": {"manifest.json", `"sigma": `, `"sigma": 1`},
		"model":    {"manifest.json", `"model": "`, `"model": "0`},
		"arrays":   {"results.sha256", "arrays.npz", "manifest.json"},
	} {
		dir := madeOf(t, run, filepath.Join(t.TempDir(), "changed"))
		alter := func(file, old, new string) {
			path := filepath.Join(dir, file)
			was := must.Get(os.ReadFile(path))(t)
			is := bytes.Replace(was, []byte(old), []byte(new), 1)
			if bytes.Equal(was, is) {
				t.Fatalf("%s: %s has no %s", name, file, old)
			}
			must.Do(t, os.WriteFile(path, is, 0o666))
			for _, sums := range []string{"manifest.sha256", report.FileJSON} {
				b := must.Get(os.ReadFile(filepath.Join(dir, sums)))(t)
				b = bytes.ReplaceAll(b, []byte(report.Digest(was)), []byte(report.Digest(is)))
				must.Do(t, os.WriteFile(filepath.Join(dir, sums), b, 0o666))
			}
		}
		sums := must.Get(os.ReadFile(filepath.Join(dir, "manifest.sha256")))(t)
		alter(change.file, change.old, change.new)
		if now := must.Get(os.ReadFile(filepath.Join(dir, "manifest.sha256")))(t); !bytes.Equal(sums, now) {
			path := filepath.Join(dir, report.FileJSON)
			b := must.Get(os.ReadFile(path))(t)
			must.Do(t, os.WriteFile(path, bytes.ReplaceAll(b, []byte(report.Digest(sums)), []byte(report.Digest(now))), 0o666))
		}
		res, err := verify.Run(t.Context(), dir, verify.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if len(res.Found) != 1 || !strings.Contains(res.Found[0], change.file) {
			t.Errorf("%s: found %q", name, res.Found)
		}
	}
}

// everyLeaf changes the report of a run, and verifies every so many changes.
func everyLeaf(t *testing.T, dir string, o verify.Options, step int) {
	t.Helper()
	whole := must.Get(os.ReadFile(filepath.Join(dir, report.FileJSON)))(t)
	v := &verifiedOften{options: o, dir: dir, known: map[string]outcome{}}
	noticed, left := v.verify(t, whole)
	if noticed != "" {
		t.Fatalf("the report as it is: %s", noticed)
	}
	changes := changesOf(t, whole)
	at := 0
	if testing.Short() {
		step *= 12
		at = rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0)).IntN(step)
		t.Logf("every %dth change from number %d", step, at)
	}
	for ; at < len(changes); at += step {
		c := changes[at]
		noticed, now := v.verify(t, c.document)
		if noticed == "" && !slices.ContainsFunc(append(now, left...), func(u report.Unchecked) bool { return u.Covers(c.path) }) {
			t.Errorf("%s: %s was neither noticed nor is on the list of what was not checked", c.path, c.what)
		}
	}
	t.Logf("%d changes, %d recomputations", len(changes), len(v.known))
}

// verifiedOften verifies reports on one run. What is recomputed depends on the claims of
// a report alone, so it is recomputed once for each.
type verifiedOften struct {
	options verify.Options
	dir     string
	known   map[string]outcome
}

type outcome struct {
	v   *verify.Recomputed
	err error
}

// verify says what is noticed of a report, empty for nothing, and what is not checked.
func (o *verifiedOften) verify(t *testing.T, document []byte) (noticed string, left []report.Unchecked) {
	r, err := report.ParseJSON(document)
	if err == nil {
		err = verify.Complete(o.dir, r)
	}
	if err != nil {
		return err.Error(), nil
	}
	claims := verify.ClaimsOf(r)
	key := must.Get(json.Marshal(claims))(t)
	out, ok := o.known[string(key)]
	if !ok {
		out.v, out.err = verify.Recompute(&o.options, context.Background(), o.dir, claims)
		o.known[string(key)] = out
	}
	if out.err != nil {
		return out.err.Error(), nil
	}
	found, left, err := verify.Compare(out.v, document, r)
	if err != nil {
		return err.Error(), nil
	}
	named := slices.DeleteFunc(verify.Uncompared(out.v, r), func(u report.Unchecked) bool { // all that a printed name stands for
		return !slices.ContainsFunc(left, func(l report.Unchecked) bool { return l.Name == u.Name })
	})
	return strings.Join(found, "\n"), named
}

// A change is a report that differs from another at one place.
type change struct {
	path, what string
	document   []byte
}

// added are keys that a report may have and these mostly have not, by the object.
var added = map[string]map[string]any{
	"": {"training": map[string]any{"task": "x"}, "breaches": []any{map[string]any{"rule": "x"}}, "figure": "figure1", "learned_from": map[string]any{"file": "x", "sha256": "0"}, "reading": map[string]any{"target": "y"}, "published": []any{map[string]any{"quantity": "x"}}, "told": 1},
	"release": {"temperature": 2, "queries": 3, "no_bounds": "none holds", "note": "it holds", "post": map[string]any{"digits": 1},
		"projection": map[string]any{"kind": "first", "keep": 3}},
	"release.noise":  {"covariance": "covariance.npy"},
	"reading":        {"limit": "5", "target": "y", "labels": "labels.csv", "model_output": "scores", "input_shape": "1x6x6", "preprocessing": "resize=6,6", "preprocessing_beside_model": true},
	"asked":          {"folds": 3},
	"data.stored":    {"mean": []any{.5}, "std": []any{.5}, "channels_last": true},
	"experiment":     {"vectors": map[string]any{"file": "x", "sha256": "0"}},
	"model":          {"architecture": "x"},
	"audit.settings": {"told": 1},
}

// others are values that a leaf could have as well.
var others = map[string][]any{
	"release.surface":               {"features", "logits", "probabilities", "label"},
	"release.projection.kind":       {"first", "random", "principal", "discriminant"},
	"release.noise.covariance":      {"", "arrays.npz"},
	"coordinates":                   {"dct", "pixels", "vectors"},
	"experiment.domain":             {"free", "legal", "stored"},
	"experiment.far.domain":         {"free", "legal", "stored"},
	"experiment.runtime_error.from": {"given", "measured", "derived", "x"},
	"experiment.rounding":           {"proved", "pairs", "measured"},
	"experiment.search.method":      {"direct", "algorithm1", "published"},
	"data.split":                    {"x"},
	"release.noise.spec":            {"laplace", "none", "lattice", "table:x.csv"},
	"audit.settings.attacks":        {[]string{}, nil},
	"arrays[0].file":                {"../arrays.npz"},
	"data.shape":                    {[]int{1, 36, 1}, []int{}, []int{1 << 40, 1 << 40}},
	"data.shape[0]":                 {0, -1},
	"data.range":                    {nil, [][2]float64{{1, 0}, {0, 1}}},
	"experiment.barankin.witnesses": {-1, 1 << 40},
	"experiment.far.starts":         {-1, 1 << 40},
	"experiment.twins.domain":       {"free", "legal", "stored"},
	"experiment.twins.examples":     {-1, 1 << 40},
}

// changesOf are all changes of a report.
func changesOf(t *testing.T, whole []byte) []change {
	d := json.NewDecoder(bytes.NewReader(whole))
	d.UseNumber()
	var root any
	must.Do(t, d.Decode(&root))
	w := &walk{t: t, root: root, most: 2, seen: map[string]int{}}
	if os.Getenv("TATTLE_FULL") != "" {
		w.most = math.MaxInt
	}
	w.value("", root, func(v any) { w.root = v })
	return w.changes
}

type walk struct {
	t       *testing.T
	root    any
	changes []change
	most    int            // changes of one kind, and
	seen    map[string]int // how many there are
}

// place is that of an element in an array.
var place = regexp.MustCompile(`\[\d+\]`)

// note adds the document as it is now, unless there are enough of its kind.
func (w *walk) note(path, kind, what string) {
	kind += " of " + place.ReplaceAllString(path, "[]")
	if w.seen[kind]++; w.seen[kind] > w.most {
		return
	}
	b := must.Get(json.Marshal(w.root))(w.t)
	w.changes = append(w.changes, change{path, what, b})
}

// value changes what is at a path, and below it; put puts something in its place.
func (w *walk) value(path string, v any, put func(any)) {
	for _, other := range others[path] {
		if fmt.Sprint(other) == fmt.Sprint(v) {
			continue
		}
		put(other)
		what := fmt.Sprint(other, " in its place")
		w.note(path, what, what)
	}
	put(v)
	switch v := v.(type) {
	case map[string]any:
		w.object(path, v)
	case []any:
		for i, e := range v {
			w.value(fmt.Sprintf("%s[%d]", path, i), e, func(x any) { v[i] = x })
		}
	default:
		put(changed(v))
		w.note(path, "change", fmt.Sprintf("%v in the place of %v", changed(v), v))
		put(v)
	}
}

// object changes, removes and adds keys.
func (w *walk) object(path string, v map[string]any) {
	for _, k := range slices.Sorted(maps.Keys(v)) {
		was, at := v[k], report.Within(path, k)
		w.value(at, was, func(x any) { v[k] = x })
		delete(v, k)
		w.note(at, "absence", "its absence")
		v[k] = was
	}
	for k, x := range added[path] {
		if _, ok := v[k]; !ok {
			v[k] = x
			w.note(report.Within(path, k), "addition", fmt.Sprintf("%v, which was not there", x))
			delete(v, k)
		}
	}
}

// changed is another value of the same kind.
func changed(v any) any {
	switch v := v.(type) {
	case string:
		return v + "x"
	case bool:
		return !v
	case nil:
		return .5
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n + 1
		}
		x, _ := v.Float64()
		return x * 1.001
	}
	return v
}
