package cli

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"tattle/internal/must"
	"tattle/internal/npy"
)

var writeExample = flag.Bool("example", false, "write the files of docs/example again: half a minute")

// mostExample is the largest size of a file of docs/example, in bytes.
const mostExample = 300_000

// TestExampleFiles writes docs/example if it is asked to, and checks that the vectors are those that are written.
func TestExampleFiles(t *testing.T) {
	dir := must.Get(filepath.Abs("../../docs/example"))(t)
	var vectors bytes.Buffer
	must.Do(t, writeEmbeddings(&vectors, 700))
	if *writeExample {
		writeFile(t, filepath.Join(dir, "scores.csv"), string(exampleScores(t)), 0o666)
		writeFile(t, filepath.Join(dir, "vectors.npz"), vectors.String(), 0o666)
	}
	if !bytes.Equal(must.Get(os.ReadFile(filepath.Join(dir, "vectors.npz")))(t), vectors.Bytes()) {
		t.Error("vectors.npz is not what is written: make example")
	}
	for _, f := range must.Get(os.ReadDir(dir))(t) {
		if info := must.Get(f.Info())(t); info.Size() > mostExample {
			t.Errorf("%s has %d bytes, at most %d", f.Name(), info.Size(), mostExample)
		}
	}
}

// exampleScores trains the README's curious net on drawn faces, and returns its outputs for faces that it has not seen as a CSV.
func exampleScores(t *testing.T) []byte {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"data", "make", "utkface", "--examples", "3000", "--out", "faces"},
		{"train", "utkface", "--data", "faces", "--target", "age2", "--sensitive", "gender", "--size", "16", "--widths", "32-48-48-48-48", "--batch", "20", "--epochs", "25", "--seeds", "1", "--hold-out", "--out", "curious"},
		{"audit", "--model", "curious/model.onnx", "--attacks", "logistic", "--no-defences", "--permutations", "99", "--fail-on", "never", "--out", "audited"},
	} {
		if status := Execute(context.Background(), args, io.Discard, os.Stderr); status != statusDone {
			t.Fatalf("%v: status %d", args, status)
		}
	}
	f := must.Get(npy.Open("audited/outputs.npz"))(t)
	defer f.Close()
	logits := must.Get(f.Array("logits"))(t).Data.([]float32)
	y, s := must.Get(f.Array("y"))(t).Data.([]int64), must.Get(f.Array("s1"))(t).Data.([]int64)
	genders := must.Get(f.Array("s1_about"))(t).Data.([]string)[1:]
	ages := []string{"young", "old"} // up to 30, and older
	var b bytes.Buffer
	b.WriteString("age,gender,score:young,score:old\n")
	for i := range y {
		fmt.Fprintf(&b, "%s,%s,%v,%v\n", ages[y[i]], genders[s[i]], logits[2*i], logits[2*i+1])
	}
	return b.Bytes()
}
