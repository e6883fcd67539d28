package reproduce

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"tattle/curious"
	"tattle/dataset"
	"tattle/internal/report"
)

// trainingExamples are how many the paper trains on: of UTKFace 72 % of 23,705 (section 5.1.3); of
// CelebA about four fifths of the 115,000 pictures with one hair colour (appendix F.1).
var trainingExamples = map[Data]int{UTKFace: 17068, CelebA: 92000}

// A planned is a training of a grid that is listed and not run.
type planned struct {
	Key       string
	Published string        // the paper's figures of it, with their units; empty if it prints none
	Cell      time.Duration // estimate of the time for one seed on this machine
}

// timed is how many examples an estimate trains on.
const timed = 2 * curious.DefaultBatch

// estimate lists the trainings that are chosen, with the published figures. The times are those of a
// short training of each kind on random pictures, in proportion to examples and epochs.
func (g *Grid) estimate(ctx context.Context) ([]planned, error) {
	type kind struct {
		standard bool
		widths   [5]int
	}
	took := map[kind]time.Duration{}
	var all []planned
	for _, t := range g.Trainings {
		if !g.chosen[t.Key] {
			continue
		}
		k := kind{t.Kind == curious.Standard, t.Widths}
		if _, known := took[k]; !known {
			g.progress("measuring the speed", len(took), len(took)+1)
			d, err := g.short(ctx, t)
			if err != nil {
				return nil, err
			}
			took[k] = d
		}
		epochs := float64(g.Examples()) / timed * float64(g.epochs)
		all = append(all, planned{t.Key, g.publishedOf(t.Key), time.Duration(epochs * float64(took[k]))})
	}
	return all, nil
}

// Examples is the number of training examples: the paper's, or the limit.
func (g *Grid) Examples() int {
	n := trainingExamples[g.Data]
	if g.limit > 0 {
		n = min(n, g.limit)
	}
	return n
}

// short takes the time of an epoch of a training on a few random pictures of two classes.
func (g *Grid) short(ctx context.Context, t Training) (time.Duration, error) {
	random := func(n int) *dataset.Set {
		r := rand.New(rand.NewPCG(1, uint64(n)))
		s := &dataset.Set{Name: "random", Shape: []int{3, g.side, g.side}, YName: "y", YNames: []string{"0", "1"}, Pixels: make([]uint8, n*3*g.side*g.side),
			Mean: []float32{.5, .5, .5}, Std: []float32{.5, .5, .5}}
		for i := range s.Pixels {
			s.Pixels[i] = uint8(r.Uint32())
		}
		a := dataset.Attribute{Name: "s", Values: []string{"0", "1"}}
		for i := range n {
			s.Y, a.Labels = append(s.Y, i%2), append(a.Labels, i/2%2)
		}
		s.Sensitive = []dataset.Attribute{a}
		return s
	}
	parts := &dataset.Parts{Train: random(timed), Validation: random(timed / 9), Test: random(timed / 4)}
	o := g.options(t, parts, TrainOptions{Epochs: 1, Seed: 1})
	if o.Attributes != nil {
		o.Attributes = []int{0}
	}
	started := time.Now()
	f, err := curious.Train(ctx, parts, o)
	if err == nil {
		_, err = curious.Evaluate(ctx, f.Classifier, f.Attacks, parts.Train, parts.Test)
	}
	if err != nil {
		return 0, fmt.Errorf("measuring the speed of %s: %w", t.Key, err)
	}
	return time.Since(started), nil
}

// publishedOf are the figures that the paper prints of a training.
func (g *Grid) publishedOf(key string) string {
	var words []string
	for _, t := range g.Tables {
		for _, c := range t.Cells {
			if c.Training == key {
				words = append(words, c.published())
			}
		}
	}
	return strings.Join(words, ", ")
}

// published names a cell and the figure that the paper prints in it.
func (c Cell) published() string {
	print := func(x float64) string { return strings.TrimSuffix(report.Exactly(x, c.Quantity.unit()).Figure(), " %") }
	s := print(c.Published.Mean)
	if c.Published.Known {
		s += " ±" + print(c.Published.Std)
	}
	return strings.TrimSpace(c.Column + " " + c.Quantity.Head() + " " + s)
}

// ListPublished returns a line for each figure that the paper prints of the experiment.
func (x *Experiment) ListPublished() []string {
	var lines []string
	for _, t := range x.Tables {
		for _, c := range t.Cells {
			lines = append(lines, strings.Join(c.Row, ", ")+": "+c.published())
		}
	}
	return lines
}

// ListPublished returns a line for each figure that paper A prints of the experiment, or that
// can be read off its pictures.
func (f Figure) ListPublished() []string {
	var lines []string
	if f.Clean > 0 {
		lines = append(lines, fmt.Sprintf("accuracy, clean: %.3g", f.Clean), fmt.Sprintf("accuracy, with noise: %.3g", f.Noisy))
	}
	for _, p := range f.Peaks {
		lines = append(lines, fmt.Sprintf("peak of the bounds at s = 1/%.0f, read off a picture: %.2f over all modes, %.2f over the 8×8 coarsest", 1/p.Size, p.All, p.Low))
	}
	return lines
}
