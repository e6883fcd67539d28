package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tattle/internal/must"
	"tattle/internal/run"
	"tattle/internal/shared"
)

// spreadInputs makes data and models for every command whose shards others may compute.
func spreadInputs(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	var people bytes.Buffer
	writeTable(&people, 200)
	must.Do(t, os.WriteFile(filepath.Join(dir, "people.csv"), people.Bytes(), 0o666))
	script := new(testscript.TestScript) // absolute paths need no folder of a script's
	mkMNIST(script, false, []string{filepath.Join(dir, "mnist"), "20", "10", "28"})
	mkNet(script, false, []string{filepath.Join(dir, "net.onnx"), "8", "28"})
	done(t, "data", "make", "utkface", "--examples", "40", "--out", filepath.Join(dir, "faces"))
	done(t, "train", "table", "--data", filepath.Join(dir, "people.csv"), "--target", "income", "--sensitive", "sex", "--curious", "standard", "--epochs", "1", "--seeds", "1", "--out", filepath.Join(dir, "trained"))
	return dir
}

// TestManifests looks at the manifest of every command that can be spread: it says what is
// computed, of what, by which program and from which seed; the same command has the same
// bytes, and another seed another manifest.
func TestManifests(t *testing.T) {
	shared.Long(t, "the manifests of a run of every kind")
	t.Parallel()
	dir := spreadInputs(t)
	for _, c := range []struct {
		args   string // DIR/ is where the inputs are
		stage  string
		hashes []string // that there are at least
		seed   string   // the path of the setting that holds it
		value  any      // where the seed is 7
	}{
		{"bound --model DIR/net.onnx --data DIR/mnist --examples 2 --restarts 1", "shards", []string{"model", "data"}, "search.seed", 7.},
		{"design --model DIR/net.onnx --data DIR/mnist --bits 1 --methods discriminant --examples 2", "search/places", []string{"model", "data", "training data"}, "options.Seed", 7.},
		{"audit --model DIR/trained/model.onnx --reference DIR/people.csv --kind table --references 2 --reference-epochs 1", "shards", []string{"model", "asked", "examples", "training", "validation"}, "seed", 7.},
		{"train table --data DIR/people.csv --target income --sensitive sex --curious mixture --epochs 1 --seeds 2", "shards", []string{"data of income"}, "trainings", []any{"seed-7", "seed-8"}},
		{"reproduce figure1 --data DIR/mnist --model DIR/net.onnx --examples 2", "shards", []string{"model", "data"}, "search.seed", 7.},
		{"reproduce figure2 --data DIR/mnist", "training", []string{"data"}, "seed", 7.},
		{"reproduce table5 --data DIR/faces --quick --only age3-standard", "shards", []string{"data of age3"}, "trainings", []any{"cells/age3-standard/seed-7"}},
	} {
		args := strings.Fields(strings.ReplaceAll(c.args, "DIR", dir))
		t.Run(strings.TrimSuffix(strings.Join(args[:2], " "), " --model"), func(t *testing.T) {
			t.Parallel()
			data, m := prepared(t, c.stage, append(args, "--seed", "7"))
			if m.Command == "" || m.Shards < 1 || m.Program.Version == "" || m.Program.Kernels == "" {
				t.Errorf("command %q, %d shards, program %+v", m.Command, m.Shards, m.Program)
			}
			for _, role := range c.hashes {
				if len(m.Hashes[role]) != 64 {
					t.Errorf("of %s it says %q", role, m.Hashes[role])
				}
			}
			if got := setting(m, c.seed); !slices.Equal(encoded(t, got), encoded(t, c.value)) {
				t.Errorf("%s is %v, want %v", c.seed, got, c.value)
			}
			if again, _ := prepared(t, c.stage, append(args, "--seed", "7")); !bytes.Equal(again, data) {
				t.Errorf("the same command, another manifest:\n%s\n%s", data, again)
			}
			other, o := prepared(t, c.stage, append(args, "--seed", "8"))
			if bytes.Equal(other, data) || slices.Equal(encoded(t, setting(o, c.seed)), encoded(t, c.value)) {
				t.Errorf("another seed, and %s is %v", c.seed, setting(o, c.seed))
			}
		})
	}
}

// prepared returns the manifest that a command has its stage begin with.
func prepared(t *testing.T, stage string, args []string) ([]byte, run.Manifest) {
	t.Helper()
	out := t.TempDir()
	done(t, append(slices.Clone(args), "--prepare", "--out", out)...)
	if r := must.Get(run.ReadRecord(out))(t); !r.Program.Definite() && len(r.Program.Executable) != 64 {
		t.Errorf("program %+v may be any", r.Program)
	}
	data := must.Get(run.ReadManifest(filepath.Join(out, filepath.FromSlash(stage))))(t)
	m := must.Get(run.ParseManifest(data))(t)
	return data, m
}

// setting returns one of a manifest's settings, nil if there is none.
func setting(m run.Manifest, path string) any {
	v := m.Settings
	for key := range strings.SplitSeq(path, ".") {
		of, _ := v.(map[string]any)
		v = of[key]
	}
	return v
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	return must.Get(json.Marshal(v))(t)
}
