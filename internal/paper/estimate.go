package paper

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/report"
	"tattle/internal/reveal/curious"
	"tattle/internal/reveal/curious/training"
)

// trainingExamples are how many the paper trains on: of UTKFace 72 % of 23,705 (section 5.1.3); of
// CelebA about four fifths of the 115,000 pictures with one hair colour (appendix F.1).
var trainingExamples = map[Data]int{UTKFace: 17068, CelebA: 92000}

// timed is how many examples an estimate trains on.
const timed = 2 * curious.DefaultBatch

// WritePlan lists the trainings that are chosen, with the published figures and estimated times. These
// are of a short training of each kind on random pictures, in proportion to examples and epochs.
func (g *Grid) WritePlan(ctx context.Context, w io.Writer) error {
	examples := trainingExamples[g.Data]
	if g.limited() {
		examples = min(examples, g.o.Limit.Most)
	}
	type kind struct {
		standard bool
		widths   [5]int
	}
	took := map[kind]time.Duration{}
	var total time.Duration
	for _, c := range g.cells[:len(g.Trainings)] {
		if !g.chosen[c.Key] {
			continue
		}
		k := kind{c.Kind == curious.Standard, c.Training.Widths}
		if took[k] == 0 {
			var err error
			if took[k], err = short(ctx, c.Seed); err != nil {
				return fmt.Errorf("measuring the speed of %s: %w", c.Key, err)
			}
		}
		one := time.Duration(float64(examples) / timed * float64(g.o.Epochs) * float64(took[k]))
		total += one * time.Duration(g.o.Seeds)
		fmt.Fprintf(w, "%s\n  one seed: about %s\n", c.Key, Roughly(one))
		if p := g.publishedOf(c.Key); p != "" {
			fmt.Fprintf(w, "  published: %s\n", p)
		}
	}
	_, err := fmt.Fprintf(w, "together: about %s on this machine, for %d training examples\n", Roughly(total), examples)
	return err
}

// short takes the time of an epoch of a training on a few random pictures of two classes.
func short(ctx context.Context, s training.Seed) (time.Duration, error) {
	side := s.Source.Side
	random := func(n int) *dataset.Set {
		r := rand.New(rand.NewPCG(1, uint64(n)))
		s := &dataset.Set{Name: "random", Shape: []int{3, side, side}, YName: "y", YNames: []string{"0", "1"}, Pixels: make([]uint8, n*3*side*side),
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
	o := s.Options
	o.Epochs, o.Seed, o.Net = 1, 1, zoo.CuriousOf(parts.Train.Shape, s.Widths)
	if o.Attack != curious.Standard {
		o.Attributes = []int{0}
	}
	started := time.Now()
	f, err := curious.Train(ctx, parts, o)
	if err == nil {
		_, err = curious.Evaluate(ctx, f.Classifier, f.Attacks, parts.Train, parts.Test)
	}
	return time.Since(started), err
}

// Roughly writes a time to about two digits.
func Roughly(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", max(1, d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 10*time.Hour:
		return fmt.Sprintf("%.1f h", d.Hours())
	case d < 100*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}

// publishedOf are the figures that the paper prints of a training.
func (g *Grid) publishedOf(key string) string {
	var words []string
	for _, t := range g.Tables {
		for _, l := range t.Lines {
			for _, p := range l.Figures {
				if l.Training == key {
					words = append(words, l.printed(p))
				}
			}
		}
	}
	return strings.Join(words, ", ")
}

// printed names a figure of a line, and says what the paper prints.
func (l Line) printed(p Published) string {
	head, u := p.Shown()
	print := func(x float64) string { return strings.TrimSuffix(report.Exactly(x, u).Figure(), " %") }
	s := print(p.Mean)
	if p.Known {
		s += " ±" + print(p.Std)
	}
	return strings.TrimSpace(l.Column + " " + head + " " + s)
}

// ListPublished returns a line for each figure that the paper prints of the experiment.
func (x *Experiment) ListPublished() []string {
	var lines []string
	for _, t := range x.Tables {
		for _, l := range t.Lines {
			for _, p := range l.Figures {
				lines = append(lines, t.row(l)+": "+l.printed(p))
			}
		}
	}
	return lines
}
