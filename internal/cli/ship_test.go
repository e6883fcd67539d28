package cli

import (
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"tattle/curious/training"
	"tattle/internal/file"
	"tattle/internal/must"
	"tattle/nn"
	"tattle/onnx"
)

func parsed(t *testing.T, args ...string) *kong.Context {
	t.Helper()
	return must.Get(parse(args, io.Discard, io.Discard))(t)
}

// Whatever names a file, of the commands that machines can share, says so.
func TestEveryFileIsShipped(t *testing.T) {
	parser := kong.Must(new(commands))
	notRead := map[string]bool{ // what they write, who they are, and what stays where it is
		"out": true, "evidence": true, "sarif": true, "junit": true, "markdown": true, "write-baseline": true,
		"cluster-token-file": true, "cluster-nkey-file": true, "cluster-ca": true, "cluster-cert": true, "cluster-key": true,
	}
	shared := 0
	for _, n := range parser.Model.Leaves(true) {
		if _, ok := n.Target.Addr().Interface().(interface{ spread() *clusterFlags }); !ok {
			continue
		}
		shared++
		for _, f := range n.Flags {
			names := regexp.MustCompile(`FILE|PATH|DIR`).MatchString(f.PlaceHolder)
			if (names && !notRead[f.Name]) != (f.Tag.Get("input") != "") && f.Name != "noise" {
				t.Errorf("%s --%s %s: input is %q", n.Path(), f.Name, f.PlaceHolder, f.Tag.Get("input"))
			}
		}
	}
	if shared != 5 {
		t.Errorf("%d commands can be shared", shared)
	}
}

// shippable is a folder with a model, what is read beside it, and data.
func shippable(t *testing.T) (dir string) {
	dir = t.TempDir()
	for name, text := range map[string]string{
		"net/model.preprocess.toml": "crop = 28\n", "noise.csv": "0,1\n", "idx.npy": "…", "faces/a.png": "…", "labels.csv": "…",
		"net/source.json": `{"path": "` + filepath.Join(dir, "faces") + `", "seed": 18446744073709551615}`,
	} {
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
		must.Do(t, os.WriteFile(path, []byte(text), 0o666))
	}
	g := &nn.Graph{Name: "g", Input: "x", InputShape: []int{4}, Output: "y", Nodes: []*nn.Node{{Name: "n", Op: &nn.ReLU{}, Inputs: []string{"x"}, Output: "y"}}}
	must.Do(t, onnx.Write(filepath.Join(dir, "net/model.onnx"), g))
	return dir
}

func TestInputsOf(t *testing.T) {
	dir := shippable(t)
	t.Chdir(dir)
	k := parsed(t, "bound", "--model", "net/model.onnx", "--data", "faces", "--examples", "idx.npy", "--noise", "table:noise.csv",
		"--preprocess", "imagenet", "--labels", filepath.Join(dir, "labels.csv"), "--limit", "20", "--training-data", "nowhere", "--coordinates", "dct")
	var got []string
	for _, i := range inputsOf(k) {
		path, err := filepath.Rel(dir, i.Path)
		must.Do(t, err)
		got = append(got, i.Name+" "+path)
	}
	slices.Sort(got)
	want := []string{
		"--data faces", "--examples idx.npy", "--labels labels.csv", "--model (beside it) net/model.preprocess.toml",
		"--model (beside it) net/source.json", "--model net/model.onnx", "--noise noise.csv",
	}
	if !slices.Equal(got, want) {
		t.Errorf("ships %q\nwant %q", got, want)
	}
	if in := inputsOf(parsed(t, "train", "glyphs", "--sensitive", "x")); len(in) != 0 {
		t.Errorf("generated data are shipped as %v", in)
	}
}

// What a worker was brought stands in the place of what the submitter named, files that
// lay beside one another beside one another.
func TestSettlePaths(t *testing.T) {
	dir, brought := shippable(t), t.TempDir()
	t.Chdir(dir)
	args := []string{"audit", "--model", "net/model.onnx", "--data", "faces", "--labels", "nowhere.csv", "--reference", filepath.Join(dir, "faces"), "--sensitive", "faces"}
	inputs := inputsOf(parsed(t, args...))
	paths := map[string]string{}
	for i, in := range inputs {
		to := filepath.Join(brought, string('a'+rune(i)), filepath.Base(in.Path))
		if info, _ := os.Stat(in.Path); info.IsDir() {
			inputs[i].Folder = true
		} else if err := file.LinkOrCopy(in.Path, to); err != nil {
			t.Fatal(err)
		}
		paths[in.Path] = to
	}
	t.Chdir(brought)
	k := parsed(t, args...)
	must.Do(t, settlePaths(k, dir, inputs, paths, filepath.Join(brought, "together")))
	c := k.Selected().Target.Addr().Interface().(*auditCmd)
	faces := paths[filepath.Join(dir, "faces")]
	if c.Data != faces || c.Reference != faces || c.Labels != "nowhere.csv" || !reflect.DeepEqual(c.Sensitive, []string{"faces"}) {
		t.Errorf("data %s, reference %s, labels %s, sensitive %v", c.Data, c.Reference, c.Labels, c.Sensitive)
	}
	if !strings.HasPrefix(c.Model, filepath.Join(brought, "together")) || !exists(preprocessFile(c.Model)) {
		t.Errorf("the model is %s, without what lay beside it", c.Model)
	}
	result, err := os.ReadFile(filepath.Join(filepath.Dir(c.Model), training.SourceFile))
	if want := `{"kind":"","path":"` + faces + `","seed":18446744073709551615}`; err != nil || string(result) != want {
		t.Errorf("source.json beside it is %s, %v", result, err)
	}
	if was, _ := os.ReadFile(filepath.Join(dir, "net", training.SourceFile)); strings.Contains(string(was), brought) {
		t.Error("the submitter's source.json was changed")
	}
}

func TestWithoutAside(t *testing.T) {
	for given, want := range map[string]string{
		"bound --model m --out o --details --resume --data d":               "bound --model m --data d",
		"bound --cluster=nats://h --model m --out=o --lease 3s --prepare":   "bound --model m",
		"train glyphs --cluster-token-file t --shared --replicas 3 --json":  "train glyphs --json",
		"bound --model m -- --out o":                                        "bound --model m -- --out o",
		"audit --outputs out --cluster-nkey-file=n --cluster-ca c --shared": "audit --outputs out",
	} {
		if got := strings.Join(withoutAside(strings.Fields(given)), " "); got != want {
			t.Errorf("%s: %s, want %s", given, got, want)
		}
	}
	for _, n := range kong.Must(new(commands)).Model.Leaves(true) { // every flag of clusterFlags is among them
		if n.Name == "bound" {
			for _, f := range n.Flags {
				value, aside := asideFlags[f.Name]
				if mine := f.Group != nil && f.Group.Title == "Runs over several machines"; mine != (aside && f.Name != "out" && f.Name != "resume" && f.Name != "details") || aside && value == f.IsBool() {
					t.Errorf("--%s: aside %v, with a value %v", f.Name, aside, value)
				}
			}
		}
	}
	if got := strings.Join(resumeArgs(strings.Fields("bound --model m --cluster u -- x"), "d"), " "); got != "bound --model m --cluster u --out d --resume -- x" {
		t.Errorf("goes on with %s", got)
	}
}
