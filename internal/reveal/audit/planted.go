package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/reveal/curious"
	"tattle/internal/run"
)

// smallestPlanted is the excess that a planted model's own attack must reach for the
// model to be a test of an audit.
const smallestPlanted = .10

// plantIn trains a curious classifier with the kind of outputs that like has, and applies it
// to n examples of p's test part, or as many as there are. It trains by the parameterized attack,
// or for soft outputs as the normal mixture, which is the stronger there (B sections 3.2 and 4).
// The classifier hides like's first categorical attribute that p has, in p's task, and learns
// from as many examples as plantedWork pays for. If p is nil, or the planted excess is below ten
// points, it is planted on glyphs instead, which test the pipeline as well and the task
// less: they have at most ten classes of y and two of s, whatever is audited. It then learns from
// that many glyphs, defaultPlantedGlyphs if it is 0. It returns an error when ctx ends.
func plantIn(ctx context.Context, p *dataset.Parts, like *Sample, n, glyphs int, o curious.Options) (*Trained, error) {
	note := ""
	if p != nil {
		planted, err := plantOn(ctx, p, like, n, o)
		switch {
		case ctx.Err() != nil:
			return nil, fmt.Errorf("plant: %w", ctx.Err())
		case err != nil:
			note = fmt.Sprintf("No curious model could be trained on the audited task, as a check (%v). One that was trained on glyphs is used instead.", err)
		case planted.TrueExcess >= smallestPlanted:
			return planted, nil
		default:
			note = fmt.Sprintf("The curious model that was trained on the audited task, as a check, reveals %q by no more than %.1f points. Another one, trained on glyphs, is used instead.",
				planted.Sample.Sensitive[0].Name, 100*planted.TrueExcess)
			if planted.Note != "" {
				note += " " + planted.Note
			}
		}
	}
	planted, err := plantOnGlyphs(ctx, like, n, glyphs, o)
	if err != nil {
		return nil, fmt.Errorf("plant: %w", err)
	}
	planted.Note = note
	return planted, nil
}

// plantOn plants on the data given.
func plantOn(ctx context.Context, p *dataset.Parts, like *Sample, n int, o curious.Options) (*Trained, error) {
	p = trainable(p)
	index := hideable(p, like)
	if index < 0 {
		return nil, errors.New("none of the audited attributes is among the data's classes")
	}
	part, epochs, note := affordable(p, o.Net, cmp.Or(o.Epochs, DefaultReferenceEpochs), plantedWork, run.Rand(o.Seed, trainPlanted, 2))
	if note != "" {
		note = "To bound the time it was planted " + note + "."
	}
	o.Epochs = epochs
	f, attack, err := plant(ctx, part, index, like.Kind, o)
	if err != nil {
		return nil, err
	}
	rows := drawRows(p.Test.Len(), n, rand.New(rand.NewPCG(o.Seed, trainPlanted)))
	q, err := planted(ctx, f, attack, p.Test.Subset(rows), p.Test)
	if err != nil {
		return nil, err
	}
	q.Where, q.Note = "the audited task", note
	return q, nil
}

// hideable returns the index of the first of like's categorical attributes that the training and
// the test part know with the same classes, −1 if there is none.
func hideable(p *dataset.Parts, like *Sample) int {
	for _, a := range like.Sensitive {
		for i, b := range p.Train.Sensitive {
			if !a.Numeric() && a.Name == b.Name && i < len(p.Test.Sensitive) && slices.Equal(b.Values, p.Test.Sensitive[i].Values) {
				return i
			}
		}
	}
	return -1
}

// plantOnGlyphs plants on drawn digits, in as many groups as like has classes, ten at
// most.
func plantOnGlyphs(ctx context.Context, like *Sample, n, glyphs int, o curious.Options) (*Trained, error) {
	y, learned := min(max(len(like.Classes), 2), 10), cmp.Or(glyphs, defaultPlantedGlyphs)
	n = min(n, plantedExamples)
	seed := run.Rand(o.Seed, trainPlanted, 1).Uint64()
	train := boldOrItalic(learned+learned/10, y, seed, dataset.Train)
	test := boldOrItalic(n+learned, y, seed, dataset.Test)
	p := &dataset.Parts{Train: train.Subset(span(0, learned)), Validation: train.Subset(span(learned, train.Len()))}
	o.Net, o.Epochs = zoo.Perceptron(train.Shape, hiddenUnits), plantedEpochs
	f, attack, err := plant(ctx, p, 0, like.Kind, o)
	if err != nil {
		return nil, err
	}
	q, err := planted(ctx, f, attack, test.Subset(span(0, n)), test.Subset(span(n, test.Len())))
	if err != nil {
		return nil, err
	}
	q.Where = fmt.Sprintf("glyphs: digits in %d groups, in bold or italic type", y)
	return q, nil
}

// plant trains a classifier that hides attribute index, and its attack.
func plant(ctx context.Context, p *dataset.Parts, index int, kind curious.Outputs, o curious.Options) (*nn.Graph, curious.Attack, error) {
	o.Attack, o.Outputs, o.Attributes = curious.Parameterized, kind, []int{index}
	o.Seed = run.Rand(o.Seed, trainPlanted, 0).Uint64()
	if kind == curious.Soft && len(p.Train.Sensitive[index].Values) <= len(p.Train.YNames) {
		o.Attack, o.Normal = curious.MixtureKind, true
	}
	r, err := curious.Train(ctx, p, o)
	if err != nil {
		return nil, curious.Attack{}, err
	}
	return r.Classifier, r.Attacks[0], nil
}

// planted applies the classifier to the examples, and measures its attack on others or the
// same; it learned from none of them.
func planted(ctx context.Context, f *nn.Graph, attack curious.Attack, asked, measured *dataset.Set) (*Trained, error) {
	e, err := curious.Evaluate(ctx, f, []curious.Attack{attack}, nil, measured)
	if err != nil {
		return nil, err
	}
	s, err := released(ctx, "planted", f, asked)
	if err != nil {
		return nil, err
	}
	s.Sensitive = s.Sensitive[attack.Index : attack.Index+1]
	return &Trained{Sample: s, Name: s.Name, TrueExcess: e.Sensitive[0].Excess}, nil
}

const (
	// defaultPlantedGlyphs is the number of drawn digits that a planted model learns from. Its own
	// excess is measured on as many others, to less than a point.
	defaultPlantedGlyphs = 5000
	// plantedExamples is the largest number of examples of a planted model that are audited, and that codes are planted
	// into. A sample of this size, or a larger one, has two folds, and attacks are fitted on DefaultMaxFit examples of each. So
	// they learn as much as in any larger audit, and more examples would only take time.
	plantedExamples = 2 * DefaultMaxFit * besideHeld / 8
	// plantedEpochs is the number of passes over the glyphs: half a second on two cores.
	plantedEpochs = 10
)

// hiddenUnits is the width of the net that is planted on drawn digits: enough for
// 97 to 98 % of them, trained in half a second.
const hiddenUnits = 64

// boldOrItalic draws glyphs whose target is the digit, in y groups of neighbours, and whose
// sensitive attribute is whether the type is bold or italic. The families are as easy to tell
// apart as digits: a planted model has an excess of 34 to 40 points, more than defaultBlind, so
// that a working audit finds it.
func boldOrItalic(n, y int, seed uint64, split dataset.Split) *dataset.Set {
	const bold, italic = 1, 2 // of regular, bold, italic, mono and small caps
	set := dataset.Glyphs(dataset.GlyphOptions{N: n, Seed: seed, Split: split, Families: []int{bold, italic}})
	set.YNames = make([]string, y)
	for digit := range 10 {
		name := &set.YNames[digit*y/10]
		*name = strings.TrimSpace(*name + " " + strconv.Itoa(digit))
	}
	for i, digit := range set.Y {
		set.Y[i] = digit * y / 10
	}
	s := set.Sensitive[0]
	labels := make([]int, len(s.Labels))
	for i, family := range s.Labels {
		labels[i] = family - bold
	}
	set.Sensitive = []dataset.Attribute{{Name: s.Name, Values: []string{"bold", "italic"}, Labels: labels}}
	return set
}
