package reproduce

import (
	"fmt"
	"time"

	"tattle/curious"
)

// say prints a line for people.
func (g *Grid) say(format string, a ...any) {
	if g.o.Say != nil {
		g.o.Say(format, a...)
	}
}

func (g *Grid) progress(what string, done, total int) {
	if g.o.Progress != nil && !g.o.Serve {
		g.o.Progress(what, done, total)
	}
}

// announce says how much there is to do before it is begun.
func (g *Grid) announce() {
	found, finished := len(g.chosen)*len(g.seeds)-g.missing, ""
	if found > 0 {
		finished = fmt.Sprintf("; finished already: %d of %d", found, found+g.missing)
	}
	g.say("%s: %s%s; %d steps of %d examples to do", g.Name, g.plan(), finished, g.total, curious.DefaultBatch)
}

// at notes how many steps of a cell this process has done.
func (g *Grid) at(steps int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.progress(g.Name+": training", g.done+steps, g.total)
}

// trained notes that a cell of so many steps is there. After the first, where it was
// trained here, it says how long the others will take.
func (g *Grid) trained(steps int, took time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	first := g.done == 0
	g.done += steps
	g.missing--
	if left := timeLeft(took, steps, g.total-g.done); first && left != "" {
		g.say("%s: the first training took %v; %d more will take about %s. Ctrl-C keeps those that are finished, --resume continues with the others",
			g.Name, took.Round(time.Second), g.missing, left)
	}
	g.progress(g.Name+": training", g.done, g.total)
}

// shortest is the shortest time that is announced.
const shortest = time.Minute

// timeLeft is how long the steps left take at the pace of those done, in words: ""
// for what is soon done.
func timeLeft(took time.Duration, steps, left int) string {
	if steps <= 0 || left <= 0 {
		return ""
	}
	d := time.Duration(float64(took) / float64(steps) * float64(left))
	switch {
	case d < shortest:
		return ""
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f minutes", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f hours", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}
