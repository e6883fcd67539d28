package reproduce

import (
	"fmt"
	"slices"
	"strings"

	"tattle/curious"
	"tattle/internal/report"
)

// Data names what an experiment is trained on.
type Data string

// The data of paper B's experiments.
const (
	CelebA  Data = "celeba"
	UTKFace Data = "utkface"
	Plane   Data = "plane" // B Figure 2: nothing to read and no nets to train
)

// Student is the Measure of a distilled net; that of any other is its outputs.
const Student = "student"

// An Experiment is one table or figure of paper B.
type Experiment struct {
	Name      string // such as "table1"
	Title     string
	Data      Data
	Trainings []Training
	Tables    []Table
	Pruned    []float64 // fractions of the weights of every training to set to zero (B Figure 9)
}

// A Training is one classifier to train, for each seed anew, and its attacks.
type Training struct {
	Key  string       // names it, and its folder
	Kind curious.Kind // Standard, Regularized or Parameterized
	// Outputs has what the attacks see: one entry, but for a standard net, whose raw
	// and soft outputs are attacked afterwards (overlearning).
	Outputs   []curious.Outputs
	Beta      curious.Beta
	Target    string   // a rule of package dataset, or the name of a column
	Sensitive []string // likewise; one, but for a standard net, where none is possible
	Widths    [5]int   // of F's layers; zero means Table 12's
	Distill   bool     // a teacher of 80 % of the training part, then its student of the rest
}

// A Table has the figures that an experiment fills in, and those published.
type Table struct {
	Name    string
	Title   string
	Caption string
	Heads   []string // of the labels of a row
	Cells   []Cell   // in the paper's order
	Notes   []string // what is odd about the printed figures
}

// A Cell is one figure of a table.
type Cell struct {
	Row       []string // a label for each of Heads
	Column    string   // what columns of several quantities have in common, if anything
	Quantity  Quantity
	Training  string // key; empty for what needs none
	Measure   string // which result of the training: its outputs or Student
	Sensitive string // whose curiosity it is; empty if it is no attribute's
	Published Published
}

// Published is a figure as the paper prints it, in the quantity's unit.
type Published struct {
	Mean  float64
	Std   float64
	Known bool // Std is printed, and not only Mean
}

// Quantity is what a cell shows.
type Quantity string

// The quantities of paper B's tables. ShareSY is the share of the training part with
// sensitive class S and target class Y.
const (
	Honesty      Quantity = "honesty"
	Curiosity    Quantity = "curiosity"
	Entropy      Quantity = "entropy" // mean, in bits
	HonestyAUC   Quantity = "honesty_auc"
	CuriosityAUC Quantity = "curiosity_auc"
	Information  Quantity = "information" // between target and sensitive attribute in the training part, in bits
	Share00      Quantity = "p00"
	Share01      Quantity = "p01"
	Share10      Quantity = "p10"
	Share11      Quantity = "p11"
)

// quantities in the order of a table's columns, and how they are headed.
var quantities = []struct {
	Quantity
	head string
	unit report.Unit
}{
	{Share00, "s=0, y=0", report.Percent}, {Share01, "s=0, y=1", report.Percent}, {Share10, "s=1, y=0", report.Percent}, {Share11, "s=1, y=1", report.Percent},
	{Information, "information", report.Bits},
	{Honesty, "δy", report.Percent}, {Curiosity, "δs", report.Percent}, {Entropy, "entropy", report.Bits},
	{HonestyAUC, "AUC of y", report.Number}, {CuriosityAUC, "AUC of s", report.Number},
}

// index is the position among the columns, -1 for no quantity.
func (q Quantity) index() int {
	for i, x := range quantities {
		if x.Quantity == q {
			return i
		}
	}
	return -1
}

// Head returns the heading of a column.
func (q Quantity) Head() string { return quantities[q.index()].head }

// unit returns how figures of the quantity are shown.
func (q Quantity) unit() report.Unit { return quantities[q.index()].unit }

// Sensitive returns the sensitive attributes of all trainings on a target, each once.
func (x *Experiment) Sensitive(target string) []string {
	var all []string
	for _, t := range x.Trainings {
		if t.Target == target {
			all = union(all, t.Sensitive...)
		}
	}
	return all
}

// Training returns the training of a key, nil for none.
func (x *Experiment) Training(key string) *Training {
	i := slices.IndexFunc(x.Trainings, func(t Training) bool { return t.Key == key })
	if i < 0 {
		return nil
	}
	return &x.Trainings[i]
}

// Names returns the names of all experiments, tables first.
func Names() []string {
	names := make([]string, len(catalogue))
	for i, e := range catalogue {
		names[i] = e.name
	}
	return names
}

// Get returns an experiment by its name.
func Get(name string) (*Experiment, error) {
	for _, e := range catalogue {
		if e.name == name {
			return e.build()
		}
	}
	return nil, fmt.Errorf("no experiment %q: want %s", name, strings.Join(Names(), ", "))
}

func union[T comparable](a []T, b ...T) []T {
	for _, x := range b {
		if !slices.Contains(a, x) {
			a = append(a, x)
		}
	}
	return a
}
