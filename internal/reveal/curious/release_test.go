package curious

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/must"
)

// TestSaveAndOpen wants what is opened to give the very outputs of what was saved.
func TestSaveAndOpen(t *testing.T) {
	p := trainingParts(200)
	dir := filepath.Join(t.TempDir(), "a[b]", "run")
	for _, o := range []Options{
		{Attack: Parameterized, Seed: 7},
		{Attack: Regularized, Attributes: []int{0}, PerExample: true},
		{Attack: Overlearning, Outputs: Soft, Attributes: []int{1}},
		{Attack: MixtureKind, Attributes: []int{0}},
		{Attack: MixtureKind, Attributes: []int{0}, Normal: true},
		{},
	} {
		o.Epochs = 2
		r := trained(t, p, o)
		must.Do(t, Save(nil, dir, r))
		read := must.Get(Open(dir))(t)
		if len(read.Attacks) != len(r.Attacks) || released(read.Classifier) != released(r.Classifier) {
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
			got.Graph, want.Graph, want.Best, want.Validation = nil, nil, 0, 0
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
	must.Fail(t, must.Err(Open(dir)), "is "+dir+" the folder of a training?") // an empty folder
	r := trained(t, trainingParts(50), Options{Attack: Parameterized, Attributes: []int{0}, Epochs: 1})
	must.Do(t, Save(nil, dir, r))
	attack := filepath.Join(dir, attackFile)
	must.Fail(t, must.Err(readAttack(filepath.Join(dir, modelFile))), "is it a classifier?") // a classifier as attack
	data := must.Get(os.ReadFile(attack))(t)
	must.Do(t, os.WriteFile(attack, data[:len(data)/2], 0o666))
	must.Fail(t, must.Err(Open(dir)), attackFile) // half an attack
	r.Attacks = append(r.Attacks, r.Attacks[0], r.Attacks[0])
	r.Attacks[1].Attribute, r.Attacks[2].Attribute = "a b", "a/b"
	must.Fail(t, Save(nil, dir, r), "rename one") // two attacks of one name
}

// TestSaveAgain wants the attacks of an earlier training gone.
func TestSaveAgain(t *testing.T) {
	dir := t.TempDir()
	two := trained(t, trainingParts(50), Options{Attack: Parameterized, Epochs: 1})
	must.Do(t, Save(nil, dir, two))
	one := trained(t, trainingParts(50), Options{Attack: Parameterized, Attributes: []int{0}, Epochs: 1, Seed: 1})
	must.Do(t, Save(nil, dir, one))
	if read, err := Open(dir); err != nil || len(read.Attacks) != 1 || len(must.Get(os.ReadDir(dir))(t)) != 2 {
		t.Errorf("%+v, %v", read, err)
	}
}

// TestRelease wants a softmax to come and go, metadata that follow, and the net that
// was given as it was.
func TestRelease(t *testing.T) {
	f := trained(t, trainingParts(50), Options{Epochs: 1}).Classifier
	soft := Release(f, Soft)
	raw := Release(soft, Raw)
	for _, c := range []struct {
		g    *nn.Graph
		want Outputs
	}{{f, Raw}, {soft, Soft}, {raw, Raw}} {
		if released(c.g) != c.want || c.g.Metadata[metaOutputs] != string(c.want) {
			t.Errorf("outputs %q, said to be %q, want %q", released(c.g), c.g.Metadata[metaOutputs], c.want)
		}
		if Release(c.g, c.want) != c.g {
			t.Errorf("%s outputs are made %s", c.want, c.want)
		}
	}
	x := trainingParts(9).Test
	scores, errA := Predict(context.Background(), raw, x)
	want, errB := Predict(context.Background(), f, x)
	if errA != nil || errB != nil || !slices.Equal(scores, want) {
		t.Errorf("scores differ (%v, %v)", errA, errB)
	}
	p, err := Predict(context.Background(), soft, x)
	if err != nil || !areDistributions(p, 3) {
		t.Errorf("soft outputs are no distributions (%v)", err)
	}
	named := zoo.Table(6, 3, 1)
	named.Nodes[0].Name = "softmax"
	must.Get(Release(named, Soft).Shapes())(t)
}
