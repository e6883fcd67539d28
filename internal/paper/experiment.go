package paper

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tattle/internal/reveal/curious"
)

// published has the papers' experiments, and the figures that paper B prints, by table.
//
//go:embed published
var published embed.FS

// load reads one of the published files, which are part of the program.
func load[T any](name string) (v T) {
	b, err := published.ReadFile("published/" + name)
	if err == nil {
		err = json.Unmarshal(b, &v)
	}
	if err != nil {
		panic(fmt.Sprintf("published/%s: %v", name, err))
	}
	return v
}

// experiments has paper B's, without what their tables print.
var experiments = load[[]Experiment]("paper_b.json")

// Data names what an experiment is trained on.
type Data string

// The data of paper B's experiments.
const (
	CelebA  Data = "celeba"
	UTKFace Data = "utkface"
	Plane   Data = "plane" // B Figure 2: nothing to read and no nets to train
)

// An Experiment is one table or figure of paper B.
type Experiment struct {
	Name      string // such as "table1"
	Title     string
	Data      Data
	Tables    []Table
	Pruned    []float64  // fractions of the weights of every training to set to zero (B Figure 9)
	Trainings []Training // that the tables need
}

// A Table has the figures that an experiment fills in, and those published.
type Table struct {
	Name    string // of the file with the published figures; the experiment's where empty
	Title   string // likewise
	Caption string
	Labels  []string // of a row: names of labels of a line
	Lines   []Line   // in the paper's order
	Notes   []string // what is odd about the printed figures
}

// Names returns the names of paper B's experiments, tables first.
func Names() []string {
	var names []string
	for _, x := range experiments {
		names = append(names, x.Name)
	}
	return names
}

// Get returns one of paper B's experiments by its name.
func Get(name string) (*Experiment, error) {
	i := slices.Index(Names(), name)
	if i < 0 {
		return nil, fmt.Errorf("no experiment %q: want %s", name, strings.Join(Names(), ", "))
	}
	x := experiments[i]
	x.Tables = slices.Clone(x.Tables)
	for i := range x.Tables {
		if err := x.fill(&x.Tables[i]); err != nil {
			return nil, err
		}
	}
	x.order()
	return &x, nil
}

// fill reads the published figures of a table, and adds the trainings that it needs.
func (x *Experiment) fill(t *Table) (err error) {
	if t.Name == "" {
		t.Name, t.Title = x.Name, x.Title
	}
	if t.Lines, err = readLines(t.Name); err != nil {
		return err
	}
	t.Notes = slices.Clone(t.Notes)
	for i := range t.Lines {
		l := &t.Lines[i]
		if l.Target != "" {
			l.Training = x.add(l.training())
		}
		if l.Note != "" {
			t.Notes = append(t.Notes, joined(l.Group, l.Column, l.label("setting"))+": "+l.Note)
		}
	}
	return nil
}

// order keeps trainings on one target together, the standard net first: its data are
// opened once.
func (x *Experiment) order() {
	var targets []string
	for _, t := range x.Trainings {
		targets = union(targets, t.Target)
	}
	place := func(t Training) int {
		n := 2 * slices.Index(targets, t.Target)
		if t.Kind != curious.Standard {
			n++
		}
		return n
	}
	slices.SortStableFunc(x.Trainings, func(a, b Training) int { return place(a) - place(b) })
}

// subject names a table in a report: what stands before the colon of its title.
func (t Table) subject() string {
	name, _, _ := strings.Cut(t.Title, ":")
	return name
}

// row names the row of a line.
func (t Table) row(l Line) string {
	var labels []string
	for _, name := range t.Labels {
		labels = append(labels, l.label(name))
	}
	return joined(labels...)
}

// joined joins what is not empty by commas.
func joined(words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(s string) bool { return s == "" }), ", ")
}

func union[T comparable](a []T, b ...T) []T {
	for _, x := range b {
		if !slices.Contains(a, x) {
			a = append(a, x)
		}
	}
	return a
}
