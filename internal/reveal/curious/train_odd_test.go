package curious

import (
	"context"
	"math"
	"strings"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
)

// TestTrainRefusesNaN wants an error with the fix, and nothing else, when inputs are
// no numbers from the start or after an epoch, and when a step leaps too far.
func TestTrainRefusesNaN(t *testing.T) {
	nan := float32(math.NaN())
	for name, c := range map[string]struct {
		batch, epochs int
		rate          float64
		spoil         func(p *dataset.Parts, done int)
	}{
		"at once":          {30, 2, 0, func(p *dataset.Parts, done int) { p.Train.Values[0] = nan }},
		"in epoch 2":       {10, 3, 0, func(p *dataset.Parts, done int) { spoilAfter(p.Train.Values, done, 4) }},
		"validation":       {10, 3, 0, func(p *dataset.Parts, done int) { spoilAfter(p.Validation.Values, done, 4) }},
		"with a last leap": {30, 1, 1e38, func(*dataset.Parts, int) {}},
	} {
		for _, o := range []Options{
			{}, {Attack: Parameterized}, {Attack: Overlearning}, {Attack: Regularized, Attributes: []int{0}},
			{Attack: MixtureKind, Attributes: []int{0}},
		} {
			p := trainingParts(30)
			c.spoil(p, 0)
			o.Epochs, o.Batch, o.LearningRate = c.epochs, c.batch, c.rate
			o.Progress = func(done, _ int, _ float64) { c.spoil(p, done) }
			r, err := Train(context.Background(), p, o)
			if err == nil || r != nil || !strings.Contains(err.Error(), "lower the learning rate") {
				t.Errorf("%s, %s: %v, %v", name, o.Attack, r, err)
			}
		}
	}
}

// spoilAfter makes NaN of inputs once so many steps are done.
func spoilAfter(values []float32, done, steps int) {
	for i := range values {
		if done >= steps {
			values[i] = float32(math.NaN())
		}
	}
}

// TestTrainOdd wants training where the outputs are fewer than the classes of s, one
// example is all there is to validate on, and the batch is more than all examples; and
// metadata that tell what was done.
func TestTrainOdd(t *testing.T) {
	p := trainingParts(40)
	p.Validation = p.Validation.Subset([]int{7})
	for _, part := range []*dataset.Set{p.Train, p.Validation, p.Test} {
		part.YNames = []string{"<=30", "a, b & c"}
		for i, y := range part.Y {
			part.Y[i] = min(y, 1)
		}
	}
	for _, o := range []Options{
		{}, {Attack: Parameterized, Attributes: []int{1}}, {Attack: Parameterized, Attributes: []int{1}, Outputs: Soft},
		{Attack: Overlearning, Attributes: []int{1}}, {Attack: Regularized, Attributes: []int{0}}, {Attack: MixtureKind, Attributes: []int{0}},
	} {
		o.Epochs, o.Batch = 3, 1000
		r := trained(t, p, o)
		honesty, curiosity := reached(t, r, p.Test)
		for _, v := range append(curiosity, honesty) {
			if !(v > 0 && v < 1) {
				t.Errorf("%s: δy %v, δs %v", o.Attack, honesty, curiosity)
			}
		}
		wantMetadata(t, r.Classifier, map[string]string{metaClasses: `["<=30","a, b & c"]`, metaTarget: "y", metaBatch: "40", metaEpochs: "3", metaSeed: "0"})
		for _, a := range r.Attacks {
			classes := map[int]string{0: `["no","yes"]`, 1: `["u","v","w"]`}[a.Index]
			wantMetadata(t, a.Graph, map[string]string{metaSensitive: a.Attribute, metaClasses: classes, metaBatch: "40", metaEpochs: "3", metaRate: "0.001"})
		}
	}
}

func wantMetadata(t *testing.T, g *nn.Graph, want map[string]string) {
	t.Helper()
	for key, v := range want {
		if got := g.Metadata[key]; got != v {
			t.Errorf("net %q: %s is %q, want %q", g.Name, key, got, v)
		}
	}
}
