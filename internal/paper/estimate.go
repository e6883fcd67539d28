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

// timed is how many steps an estimate is made from. One more goes before them, in which buffers are made.
const timed = 5

// WritePlan lists the trainings that are chosen, with the published figures and estimated times. A time is
// the number of steps times that of one step. A short training on random pictures measures one step of each kind.
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
			if took[k], err = step(ctx, c.Seed); err != nil {
				return fmt.Errorf("measuring the speed of %s: %w", c.Key, err)
			}
		}
		one := time.Duration(g.o.Epochs*(examples/curious.DefaultBatch)) * took[k]
		total += one * time.Duration(g.o.Seeds)
		fmt.Fprintf(w, "%s\n  one seed: about %s\n", c.Key, Roughly(one))
		if p := g.publishedOf(c.Key); p != "" {
			fmt.Fprintf(w, "  published: %s\n", p)
		}
	}
	_, err := fmt.Fprintf(w, "together: about %s on this machine, for %d training examples\n", Roughly(total), examples)
	return err
}

// step returns the mean time of a step of a training on random pictures of two classes.
func step(ctx context.Context, s training.Seed) (time.Duration, error) {
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
	const n = (timed + 1) * curious.DefaultBatch
	parts := &dataset.Parts{Train: random(n), Validation: random(n / 9)}
	o := s.Options
	o.Epochs, o.Seed, o.Net = 1, 1, zoo.CuriousOf(parts.Train.Shape, s.Widths)
	if o.Attack != curious.Standard {
		o.Attributes = []int{0}
	}
	var first, last time.Time
	steps := 0
	o.Progress = func(int, int, float64) {
		switch steps++; steps { // those of an attack on a finished classifier come later, and take no time
		case 1:
			first = time.Now()
		case 1 + timed:
			last = time.Now()
		}
	}
	_, err := curious.Train(ctx, parts, o)
	return last.Sub(first) / timed, err
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
