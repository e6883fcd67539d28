package cli

import (
	"fmt"
	"time"

	"tattle/curious"
	"tattle/internal/progress"
	"tattle/report"
)

// list names the trainings that are chosen, and says what each is given.
func (g *grid) list(e *env) error {
	for _, t := range g.x.Trainings {
		if g.chosen[t.Key] {
			fmt.Fprintln(e.stdout, t.Key)
		}
	}
	examples := "all training examples"
	if g.limit > 0 {
		examples = fmt.Sprintf("at most %d training examples", g.limit)
	}
	_, err := fmt.Fprintf(e.stderr, "tattle: %s: %s; %s, batches of %d, Adam with learning rate %g, %d×%d pictures\n",
		g.x.Name, g.plan(), examples, curious.DefaultBatch, curious.DefaultLearningRate, g.side, g.side)
	return err
}

// plan is how much there is to train.
func (g *grid) plan() string {
	return fmt.Sprintf("%s × %s × %s", report.Count(len(g.chosen), "training"), report.Count(len(g.seeds), "seed"), report.Count(g.epochs, "epoch"))
}

// announce says how much there is to do before it is begun.
func (g *grid) announce(e *env) {
	s := fmt.Sprintf("tattle: %s: %s", g.x.Name, g.plan())
	if found := len(g.chosen)*len(g.seeds) - g.missing; found > 0 {
		s += fmt.Sprintf("; finished already: %d of %d", found, found+g.missing)
	}
	fmt.Fprintf(e.stderr, "%s; %d steps of %d examples to do\n", s, g.total, curious.DefaultBatch)
}

// at notes how many steps of a cell this process has done.
func (g *grid) at(steps int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.bar.Set(int(g.done+steps), int(g.total))
}

// trained notes that a cell of so many steps is there. After the first, where it was
// trained here, it says how long the others will take.
func (g *grid) trained(e *env, steps int64, took time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	first := g.done == 0
	g.done += steps
	g.missing--
	if said := foretold(took, steps, g.total-g.done); first && said != "" {
		g.bar.Close()
		fmt.Fprintf(e.stderr, "tattle: %s: the first training took %v; %d more will take about %s. Ctrl-C keeps those that are finished, --resume goes on with the others\n",
			g.x.Name, took.Round(time.Second), g.missing, said)
		g.bar = progress.New(e.stderr, g.x.Name, int(g.total))
	}
	g.bar.Set(int(g.done), int(g.total))
}

// worthSaying is how long work is before it is announced.
const worthSaying = time.Minute

// foretold is how long the steps left take at the pace of those done, in words: ""
// for what is soon done.
func foretold(took time.Duration, steps, left int64) string {
	if steps <= 0 || left <= 0 {
		return ""
	}
	d := time.Duration(float64(took) / float64(steps) * float64(left))
	switch {
	case d < worthSaying:
		return ""
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f minutes", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f hours", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}
