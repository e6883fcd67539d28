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
	"tattle/internal/engine/nn"
	"tattle/internal/engine/onnx"
	"tattle/internal/must"
	"tattle/internal/npy"
	"tattle/internal/report"
	"tattle/internal/shared"
	"tattle/internal/verify"
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
			"--surface", "logits", "--keep", "3", "--covariance", covariance),
		"attacked": append(bound[:len(bound):len(bound)], "--barankin", "0", "--far", "0", "--twins", "1", "--training-data", learned, "--list-draws", "100", "--exposed-people", "5", "--attack", "linear", "--attack-draws", "1",
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
		{Name: "flat", Op: nn.Flatten(), Inputs: []string{"x"}, Output: "flat_out"},
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
	path := filepath.Join(dir, report.FileJSON)
	whole := must.Get(os.ReadFile(path))(t)
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
		if noticed == "" {
			must.Do(t, os.WriteFile(path, c.document, 0o666))
			res, err := verify.Run(t.Context(), dir, o)
			must.Do(t, os.WriteFile(path, whole, 0o666))
			if err != nil || len(res.Found) > 0 {
				continue
			}
			now = res.Unchecked
		}
		if noticed == "" && !covered(t, c, append(now, left...)) {
			t.Errorf("%s: %s was neither noticed nor is on the list of what was not checked", c.path, c.what)
		}
	}
	t.Logf("%d changes, %d recomputations", len(changes), len(v.known))
}

const sought = "how witnesses were sought, what attacks and the prior learned from, and where labels were read"

// covered reports whether what was changed is on the list of what was not checked.
func covered(t *testing.T, c change, left []report.Difference) bool {
	t.Helper()
	var part string
	var at int
	if _, err := fmt.Sscanf(c.path, "claims[%d]", &at); err == nil {
		r := must.Get(report.Parse(c.document))(t)
		part = "claim " + r.Claims[min(at, len(r.Claims)-1)].ID
	} else if _, err := fmt.Sscanf(c.path, "findings[%d]", &at); err == nil {
		r := must.Get(report.Parse(c.document))(t)
		part = "finding " + r.Findings[min(at, len(r.Findings)-1)].Code
	} else {
		if strings.HasSuffix(c.path, ".list.path") || strings.HasSuffix(c.path, ".list.split") {
			part = "where lists of inputs were read"
		}
		for _, x := range [][2]string{
			{"version", "the version of tattle"}, {"timing", "timing"}, {"request.settings", "what the command line asked for"}, {"request.asked", "what the command line asked for"},
			{"request.bounds.search", sought}, {"request.bounds.reasons", sought}, {"request.attacks", sought}, {"request.prior", sought}, {"request.learned_from", sought}, {"request.reading", sought},
		} {
			if strings.HasPrefix(c.path, x[0]) {
				part = x[1]
			}
		}
	}
	return part != "" && slices.ContainsFunc(left, func(d report.Difference) bool { return strings.HasPrefix(d.What, part) })
}

// verifiedOften verifies reports on one run. What is recomputed depends on the head of a report and on the claims
// that are taken as they are, so it is recomputed once for each.
type verifiedOften struct {
	options verify.Options
	dir     string
	known   map[string]outcome
}

type outcome struct {
	again  *report.Report
	absent string
	err    error
}

// verify says what is noticed of a report, empty for nothing, and what is not checked.
func (o *verifiedOften) verify(t *testing.T, document []byte) (noticed string, left []report.Difference) {
	r, err := report.Parse(document)
	if err != nil {
		return err.Error(), nil
	}
	decides := report.Report{Head: r.Head}
	decides.Version, decides.Command, decides.Rendered, decides.Timing = "", "", nil, nil
	for i := range r.Claims {
		if c := &r.Claims[i]; c.Taken() {
			decides.Claims = append(decides.Claims, *c)
		}
	}
	key := string(must.Get(json.Marshal(decides))(t))
	out, ok := o.known[key]
	if !ok {
		out.again, out.absent, out.err = o.options.Recompute(context.Background(), o.dir, r)
		o.known[key] = out
	}
	if out.err != nil {
		return out.err.Error(), nil
	}
	if out.again == nil {
		return "the bounds differ", nil
	}
	var said []string
	found, left := r.Compare(out.again, out.absent)
	for _, d := range found {
		said = append(said, d.String())
	}
	return strings.Join(said, "\n"), left
}

// A change is a report that differs from another at one place.
type change struct {
	path, what string
	document   []byte
}

// added are keys that a report may have and these mostly have not, by the object.
var added = map[string]map[string]any{
	"":                 {"layout": "demo", "target": "y", "series": []any{map[string]any{"id": "x"}}, "pictures": []any{map[string]any{"group": "x"}}, "files": []any{}},
	"model":            {"path": "x"},
	"data":             {"name": "x", "part": "train"},
	"claims[0]":        {"subject": "x", "group": "x", "p": .5, "taken": string(report.Searched)},
	"findings[0]":      {"subject": "x", "args": []any{"x"}},
	"request":          {"learned_from": map[string]any{"name": "x", "sha256": "0"}, "figure": "figure1", "attacks": []any{map[string]any{"name": "x"}}, "asked": map[string]any{"folds": "3"}, "folds": 3, "notes": []any{"x"}},
	"request.release":  {"queries": 3, "covariance": true, "noise_from_training": true, "label": true, "projection": "first", "keep": 3},
	"request.reading":  {"limit": "5", "target": "y", "labels": "labels.csv", "preprocessing": "resize=6,6", "preprocessing_beside_model": true},
	"request.bounds":   {"vectors": map[string]any{"file": "x", "sha256": "0"}},
	"request.settings": {"folds": 3},
}

// others are values that a leaf could have as well.
var others = map[string][]any{
	"request.release.surface":           {"features", "logits", "probabilities", "label"},
	"request.release.projection":        {"first", "principal", "discriminant"},
	"request.release.noise":             {"laplace", "none", "lattice", "table:x.csv"},
	"request.bounds.coordinates":        {"dct", "pixels", "vectors"},
	"request.bounds.domain":             {"free", "legal", "stored"},
	"request.bounds.far.domain":         {"free", "legal", "stored"},
	"request.bounds.far.starts":         {-1, 1 << 40},
	"request.bounds.runtime_error.from": {"given", "measured", "derived", "x"},
	"request.bounds.rounding":           {"proved", "pairs", "measured"},
	"request.bounds.search.method":      {"direct", "algorithm1", "published"},
	"request.bounds.barankin.witnesses": {-1, 1 << 40},
	"request.bounds.twins.domain":       {"free", "legal", "stored"},
	"request.bounds.twins.examples":     {-1, 1 << 40},
	"request.settings.attacks":          {[]string{}, nil},
	"request.data.range":                {nil, [][2]float64{{1, 0}, {0, 1}}},
	"data.part":                         {"x", "train"},
	"data.shape":                        {[]int{1, 36, 1}, []int{}, []int{1 << 40, 1 << 40}},
	"data.shape[0]":                     {0, -1},
	"files[0].name":                     {"../arrays.npz"},
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

// within is the path of a key of an object.
func within(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
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
		was, at := v[k], within(path, k)
		w.value(at, was, func(x any) { v[k] = x })
		delete(v, k)
		w.note(at, "absence", "its absence")
		v[k] = was
	}
	for k, x := range added[path] {
		if _, ok := v[k]; !ok {
			v[k] = x
			w.note(within(path, k), "addition", fmt.Sprintf("%v, which was not there", x))
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
