package reproduce

import (
	"fmt"

	"tattle/curious"
)

// say prints a line for people.
func (g *Grid) say(format string, a ...any) {
	if g.o.Say != nil {
		g.o.Say(format, a...)
	}
}

func (g *Grid) progress(what string, done, total int) {
	if g.o.Progress != nil {
		g.o.Progress(what, done, total)
	}
}

// announce says how much there is to do before it is begun, where so many cells are missing.
func (g *Grid) announce(missing int) {
	found, finished := len(g.chosen)*len(g.seeds)-missing, ""
	if found > 0 {
		finished = fmt.Sprintf("; finished already: %d of %d", found, found+missing)
	}
	g.say("%s: %s%s; %d steps of %d examples to do", g.Name, g.plan(), finished, g.total, curious.DefaultBatch)
}

// at notes how many steps of a cell this process has done.
func (g *Grid) at(steps int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.progress(g.Name+": training", g.done+steps, g.total)
}

// trained notes that a cell of so many steps is there.
func (g *Grid) trained(steps int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.done += steps
	g.progress(g.Name+": training", g.done, g.total)
}
