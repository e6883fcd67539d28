package audit

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/must"
	"tattle/internal/reveal/curious"
	"tattle/internal/shared"
)

// What is affordable: everything, fewer epochs, and in the end fewer examples, whose
// passes never take more than was asked for.
func TestAffordable(t *testing.T) {
	p := &dataset.Parts{Train: tinyTask(6000, 1), Validation: tinyTask(3000, 2), Test: tinyTask(10, 3)}
	each := trainingWork(p, tinyNet) // 3·16 + 16·2 multiply-adds, and what an example takes by itself
	if each != exampleWork+80 {
		t.Fatalf("an example takes %v", each)
	}
	for _, c := range []struct {
		passes                   float64
		epochs, rows, validation int
		note                     string
	}{
		{6000 * 20, 20, 6000, 3000, ""},
		{6000 * 12.5, 12, 6000, 1500, "on 6000 of 6000 examples for 12 of 20 epochs"},
		{6000 * 2, leastEpochs, 2400, leastValidation, "on 2400 of 6000 examples for 5 of 20 epochs"},
		{0, leastEpochs, 1, leastValidation, "on 1 of 6000 examples for 5 of 20 epochs"},
	} {
		part, epochs, note := affordable(p, tinyNet, 20, (c.passes+.5)*each, rand.New(rand.NewPCG(1, 1)))
		if epochs != c.epochs || part.Train.Len() != c.rows || part.Validation.Len() != c.validation || note != c.note || part.Test != p.Test {
			t.Errorf("%v passes: %d epochs of %d examples, %d to choose by, %q", c.passes, epochs, part.Train.Len(), part.Validation.Len(), note)
		}
	}
	if part, epochs, note := affordable(p, tinyNet, 2, each, rand.New(rand.NewPCG(1, 1))); epochs != 2 || part.Train.Len() != 1 || note == "" {
		t.Errorf("two epochs became %d of %d examples, %q", epochs, part.Train.Len(), note)
	}
}

// limitWork sets what trainings may take.
func limitWork(t *testing.T, reference, planted float64) {
	was, wasPlanted := referenceWork, plantedWork
	t.Cleanup(func() { referenceWork, plantedWork = was, wasPlanted })
	referenceWork, plantedWork = reference, planted
}

// Who learned from a part says so.
func TestBoundedTraining(t *testing.T) {
	ctx := context.Background()
	p := &dataset.Parts{Train: tinyTask(1500, 1), Validation: tinyTask(300, 2), Test: tinyTask(300, 3)}
	work := 500 * 5 * trainingWork(p, tinyNet)
	limitWork(t, work, 4*work)
	honest := must.Get(reference(ctx, p, 1, curious.Raw, curious.Options{Seed: 1, Net: tinyNet}))(t)
	like := &Sample{Kind: curious.Raw, Classes: p.Train.YNames, Sensitive: []Attribute{{Name: "s"}}}
	planted := must.Get(plantIn(ctx, p, like, 200, 0, curious.Options{Seed: 1, Net: tinyNet}))(t)
	for i, s := range []string{planted.Note, strings.Join(honest.Sample.Notes, " ")} {
		if !strings.Contains(s, "of 1500 examples for ") || !strings.Contains(s, "of 20 epochs") {
			t.Errorf("%d: %q", i, s)
		}
	}
	if whole, err := reference(ctx, p, 0, curious.Raw, curious.Options{Epochs: 1, Net: tinyNet}); err != nil || len(whole.Sample.Notes) > 0 {
		t.Errorf("%v, %q", err, whole.Sample.Notes)
	}
}

// Whatever is interrupted says so, and nothing comes of it.
func TestInterrupted(t *testing.T) {
	shared.Long(t, "cancellation of everything that takes long")
	p := &dataset.Parts{Train: tinyTask(300, 1), Validation: tinyTask(50, 2), Test: tinyTask(50, 3)}
	like := &Sample{Kind: curious.Raw, Classes: p.Train.YNames, Sensitive: []Attribute{{Name: "s"}}}
	at := func(part int, stop func()) curious.Options { // stops after so many percent
		return curious.Options{Net: tinyNet, Epochs: 2, Progress: func(done, total int, _ float64) {
			if 100*done >= part*total {
				stop()
			}
		}}
	}
	for name, do := range map[string]func(ctx context.Context, stop func()) (*Trained, error){
		"planting at once": func(ctx context.Context, stop func()) (*Trained, error) {
			stop()
			return plantIn(ctx, p, like, 40, 0, curious.Options{Net: tinyNet})
		},
		"planting at the last step": func(ctx context.Context, stop func()) (*Trained, error) {
			return plantIn(ctx, p, like, 40, 0, at(100, stop))
		},
		"planting on glyphs": func(ctx context.Context, stop func()) (*Trained, error) {
			stop()
			return plantIn(ctx, nil, like, 40, 0, curious.Options{})
		},
		"references": func(ctx context.Context, stop func()) (*Trained, error) {
			return reference(ctx, p, 0, curious.Raw, at(60, stop))
		},
	} {
		ctx, stop := context.WithCancel(context.Background())
		got, err := do(ctx, stop)
		stop()
		if got != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
