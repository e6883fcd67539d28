package curious

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/shared"
)

// TestDivergence holds eq. (11) to a slow form and its gradient to differences, with
// temperatures and with a teacher that gives some classes no probability.
func TestDivergence(t *testing.T) {
	const batch, n, h = 3, 4, 1e-6
	for _, temperature := range []float64{1, 4} {
		l := &divergence[float64]{temperature: temperature}
		scores, grad := make([]float64, batch*n), make([]float64, batch*n)
		teacher := normals(2, batch*n)
		temper(teacher, n, temperature)
		copy(teacher[n:], []float32{.8, 0, .2, 0})
		for i, v := range normals(3, batch*n) {
			scores[i] = float64(v)
		}
		want := 0.0
		for k := range batch {
			sum := 0.0
			for i := range n {
				sum += math.Exp(scores[k*n+i] / temperature)
			}
			for i := range n {
				if p := float64(teacher[k*n+i]); p > 0 {
					want += temperature * temperature / batch * p * math.Log(p*sum/math.Exp(scores[k*n+i]/temperature))
				}
			}
		}
		scratch := make([]float64, batch*n)
		if got := l.at(grad, scores, teacher, batch); math.Abs(got-want) > 1e-12*(1+want) {
			t.Errorf("T = %v: loss %v, want %v", temperature, got, want)
		}
		for i := range scores {
			at := scores[i]
			scores[i] = at + h
			up := l.at(scratch, scores, teacher, batch)
			scores[i] = at - h
			down := l.at(scratch, scores, teacher, batch)
			scores[i] = at
			if want := (up - down) / (2 * h); math.Abs(grad[i]-want) > 1e-8*(1+math.Abs(want)) {
				t.Errorf("T = %v: gradient %v, differences %v", temperature, grad[i], want)
			}
		}
	}
	l, same := &divergence[float32]{temperature: 2}, normals(4, 5)
	p := slices.Clone(same)
	temper(p, 5, 2)
	if loss := l.at(make([]float32, 5), same, p, 1); math.Abs(loss) > 1e-5 {
		t.Errorf("a student as good as its teacher has loss %v", loss)
	}
}

func TestSplitTeacher(t *testing.T) {
	p := Plane(1000, 1)
	teacher, student := SplitTeacher(p, 7)
	if teacher.Train.Len() != 800 || student.Train.Len() != 200 || teacher.Test != p.Test || student.Validation != p.Validation {
		t.Errorf("%d and %d examples", teacher.Train.Len(), student.Train.Len())
	}
	count := map[[2]float32]int{}
	for _, s := range []*dataset.Set{p.Train, teacher.Train, student.Train} {
		for i := range s.Len() {
			count[[2]float32(s.Values[2*i:])]++
		}
	}
	for x, n := range count {
		if n != 2 {
			t.Errorf("sample %v is in %d parts", x, n-1)
		}
	}
	_, again := SplitTeacher(p, 7)
	_, other := SplitTeacher(p, 8)
	if again.Train.Sum() != student.Train.Sum() || other.Train.Sum() == student.Train.Sum() {
		t.Error("the split does not follow the seed")
	}
}

// unlabelled returns the parts with wrong labels in the training part, and no
// sensitive attribute.
func unlabelled(p *dataset.Parts) *dataset.Parts {
	c, train := *p, *p.Train
	train.Y, train.Sensitive = make([]int, train.Len()), nil
	c.Train = &train
	return &c
}

// TestDistill holds that a student of a curious teacher is curious, to the teacher's
// own attack, and one of a standard teacher is not: its G guesses the family at
// chance, .2 give or take what a standard net's scores tell it.
func TestDistill(t *testing.T) {
	shared.Long(t, "trains three nets")
	p := digits(6000, 300)
	o := Options{Attack: Parameterized, Beta: Beta{Y: .5, S: .5}, Net: digitPerceptron, Epochs: 6, Seed: 1}
	teacher := must.Get(Train(t.Context(), p, o))(t)
	o.Attack, o.Beta = Standard, Beta{}
	standard := must.Get(Train(t.Context(), p, o))(t)
	d := Options{Temperature: 4, Net: digitPerceptron, Epochs: 6, Batch: 50, Seed: 2}
	y, s := reached(t, teacher, p.Test)
	student, honest := mustDistill(t, teacher.Classifier, unlabelled(p), d), mustDistill(t, standard.Classifier, unlabelled(p), d)
	student.Attacks, honest.Attacks = teacher.Attacks, teacher.Attacks
	studentY, studentS := reached(t, student, p.Test)
	_, chance := reached(t, honest, p.Test)
	t.Logf("teacher %.3f %.3f, student %.3f %.3f, of a standard teacher %.3f", y, s, studentY, studentS, chance)
	if studentY < .85 || studentS[0] < .42 || s[0] < .5 || chance[0] > .32 {
		t.Errorf("teacher %v %v, student %v %v, of a standard teacher %v", y, s, studentY, studentS, chance)
	}
}

func mustDistill(t *testing.T, teacher *nn.Graph, p *dataset.Parts, o Options) *Result {
	t.Helper()
	return must.Get(Distill(t.Context(), teacher, p, o))(t)
}

// TestDistillSoft distils soft outputs, twice to the same bytes, and stops early.
func TestDistillSoft(t *testing.T) {
	p := Plane(600, 1)
	l := must.Get(newRidgedLoss(p.Train))(t)
	teacher := Release(must.Get(l.graph("teacher", .3))(t), Soft)
	o := Options{Epochs: 10, LearningRate: .01, Seed: 3}
	r, again := mustDistill(t, teacher, unlabelled(p), o), mustDistill(t, teacher, unlabelled(p), o)
	if released(r.Classifier) != Soft || r.Classifier.Metadata[metaOutputs] != string(Soft) {
		t.Error("a student of soft outputs has raw ones")
	}
	x := p.Test.Values
	mine := forward(mustNet(t, r.Classifier), x)
	if !slices.Equal(mine, forward(mustNet(t, again.Classifier), x)) {
		t.Error("one seed gives two students")
	}
	off := 0.0
	for i, v := range forward(mustNet(t, teacher), x) {
		off += math.Abs(float64(v-mine[i])) / float64(len(mine))
	}
	best := r.Epochs[r.Best-1].ValidationY
	for i, e := range r.Epochs {
		if e.ValidationY > best || e.ValidationY == best && i+1 < r.Best {
			t.Errorf("epoch %d was kept, %v", r.Best, r.Epochs)
		}
	}
	if off > .1 || r.Steps != 60 {
		t.Errorf("the student is off by %v on average after %d steps", off, r.Steps)
	}
	ctx, cancel := context.WithCancel(t.Context())
	o.Progress = func(done, total int, _ float64) {
		if done == 20 && total == 60 {
			cancel()
		}
	}
	if r, err := Distill(ctx, teacher, p, o); !errors.Is(err, context.Canceled) || r == nil || len(r.Epochs) != 3 {
		t.Errorf("stopped: %+v, %v", r, err)
	}
}

func TestDistillRefuses(t *testing.T) {
	p := Plane(40, 1)
	raw := identityNet(2, 2)
	called, broken := identityNet(2, 2), Release(identityNet(2, 2), Soft)
	called.Metadata = map[string]string{metaOutputs: string(Soft)}
	broken.Nodes[0].Op.(*nn.Dense).Weight.Data[0] = float32(math.NaN())
	for want, c := range map[string]struct {
		teacher *nn.Graph
		o       Options
	}{
		"temperature 2 of a teacher with soft":   {Release(raw, Soft), Options{Temperature: 2}},
		"3 outputs, but":                         {identityNet(2, 3), Options{}},
		"takes 3 values":                         {identityNet(3, 2), Options{}},
		"do not sum to 1":                        {called, Options{}},
		"output 0 of the teacher is NaN for exa": {broken, Options{}},
	} {
		if _, err := Distill(t.Context(), c.teacher, p, c.o); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "distill: ") {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
