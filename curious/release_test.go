package curious

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSaveAndOpen wants what is opened to give the very outputs of what was saved.
func TestSaveAndOpen(t *testing.T) {
	p := trainingParts(200)
	dir := filepath.Join(t.TempDir(), "a[b]", "run")
	for _, o := range []Options{
		{Attack: Parameterized, Seed: 7},
		{Attack: Regularized, Attributes: []int{0}, PerExample: true},
		{Attack: Overlearning, Outputs: Soft, Attributes: []int{1}},
		{},
	} {
		o.Epochs = 2
		r := trained(t, p, o)
		if err := Save(dir, r); err != nil {
			t.Fatal(err)
		}
		read, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if read.Best != r.Best || len(read.Attacks) != len(r.Attacks) || Released(read.Classifier) != Released(r.Classifier) {
			t.Fatalf("%s: %+v, want %+v", o.Attack, read, r)
		}
		for key, want := range r.Classifier.Metadata {
			if got := read.Classifier.Metadata[key]; got != want {
				t.Errorf("%s: %s is %q, want %q", o.Attack, key, got, want)
			}
		}
		a, errA := Predict(context.Background(), r.Classifier, p.Test)
		b, errB := Predict(context.Background(), read.Classifier, p.Test)
		if errA != nil || errB != nil || !slices.Equal(a, b) {
			t.Errorf("%s: outputs differ (%v, %v)", o.Attack, errA, errB)
		}
		for i, want := range r.Attacks {
			got := read.Attacks[i]
			if !slices.Equal(parameters(got.Graph), parameters(want.Graph)) {
				t.Errorf("%s: attack %d has other parameters", o.Attack, i)
			}
			got.Graph, want.Graph = nil, nil
			if got != want {
				t.Errorf("%s: attack %+v, want %+v", o.Attack, got, want)
			}
		}
		_, before := reached(t, r, p.Test)
		if _, after := reached(t, read, p.Test); !slices.Equal(before, after) {
			t.Errorf("%s: attacks reach %v, and %v once read", o.Attack, before, after)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "is "+dir+" the folder of a training?") {
		t.Errorf("an empty folder: %v", err)
	}
	r := trained(t, trainingParts(50), Options{Attack: Parameterized, Attributes: []int{0}, Epochs: 1})
	if err := Save(dir, r); err != nil {
		t.Fatal(err)
	}
	attack := filepath.Join(dir, attackFile)
	if _, err := ReadAttack(filepath.Join(dir, modelFile)); err == nil || !strings.Contains(err.Error(), "is it a classifier?") {
		t.Errorf("a classifier as attack: %v", err)
	}
	data, err := os.ReadFile(attack)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(attack, data[:len(data)/2], 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), attackFile) {
		t.Errorf("half an attack: %v", err)
	}
	r.Attacks = append(r.Attacks, r.Attacks[0], r.Attacks[0])
	r.Attacks[1].Attribute, r.Attacks[2].Attribute = "a b", "a/b"
	if err := Save(dir, r); err == nil || !strings.Contains(err.Error(), "rename one") {
		t.Errorf("two attacks of one name: %v", err)
	}
}
