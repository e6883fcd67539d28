package measure

import (
	"fmt"
	"io"
	"math"
	"slices"

	"tattle/internal/data/dataset"
	"tattle/internal/file"
	"tattle/internal/math/stat"
	"tattle/internal/npy"
	"tattle/internal/protect/attack"
	"tattle/internal/protect/bound"
	"tattle/internal/run"
)

// AttacksFile holds the errors of the attacks and of the prior alone in a run's folder,
// beside the arrays of the bounds.
const AttacksFile = "attacks.npz"

// Attacks are the errors of attacks, as AttacksFile stores them.
type Attacks struct {
	Results    []*attack.Result
	PriorAlone *attack.Result // guessing the mean of the training data, on the same inputs; nil if it was not measured
}

// The names of the arrays.
const (
	rmsSuffix        = "_rms"
	meanSquareSuffix = "_mean_square"
	recognisedSuffix = "_recognised"
	peopleName       = "people"
)

// Write stores the arrays and returns the digest of the file.
func (a *Attacks) Write(files *file.Dir, path string) (digest string, err error) {
	if err := files.Write(path, a.encode); err != nil {
		return "", err
	}
	return run.Digest(path)
}

func (a *Attacks) encode(w io.Writer) error {
	z := npy.NewWriter(w)
	var first error
	add := func(name string, rows int, x []float64) {
		if first == nil && x != nil {
			first = z.Add(name, []int{rows, len(x) / rows}, x)
		}
	}
	for i, r := range a.withPrior() {
		if i == 0 && r.People != nil {
			people := make([]float64, len(r.People))
			for k, p := range r.People {
				people[k] = float64(p)
			}
			add(peopleName, len(people), people)
		}
		add(r.Attack+rmsSuffix, len(r.MeanSquare), r.RMS)
		add(r.Attack+meanSquareSuffix, len(r.MeanSquare), r.MeanSquare)
		if !math.IsNaN(r.Recognised) {
			add(r.Attack+recognisedSuffix, 1, []float64{r.Recognised})
		}
	}
	if first != nil {
		return first
	}
	return z.Close()
}

// CountPeople makes means over attacked examples means over people, if the data name the person of each example.
func (a *Attacks) CountPeople(set *dataset.Set, indices []int) {
	if set.Group == nil {
		return
	}
	people, _ := stat.Numbered(dataset.Pick(set.Group.Labels, 1, indices))
	for _, r := range a.withPrior() {
		r.People = people
	}
}

// withPrior are the attacks and the prior alone.
func (a *Attacks) withPrior() []*attack.Result {
	if a.PriorAlone == nil {
		return a.Results
	}
	return append(slices.Clone(a.Results), a.PriorAlone)
}

// ReadAttacks reads the errors of the claimed attacks in m coordinates. priorAlone is nil
// where the prior alone was not measured.
func ReadAttacks(path string, attacks []AttackRan, priorAlone *AttackRan, m int) (*Attacks, error) {
	f, err := npy.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	read := func(name string, rows, width int) []float64 {
		x, shape, e := f.Float64s(name)
		if e == nil && !slices.Equal(shape, []int{rows, width}) {
			e = fmt.Errorf("%s: array %q has shape %v, expected %v", path, name, shape, []int{rows, width})
		}
		if err == nil {
			err = e
		}
		return x
	}
	a, names := &Attacks{}, f.Names()
	result := func(c AttackRan) *attack.Result {
		recognised := math.NaN()
		if slices.Contains(names, c.Name+recognisedSuffix) {
			if x := read(c.Name+recognisedSuffix, 1, 1); err == nil {
				recognised = x[0]
			}
		}
		return &attack.Result{Attack: c.Name, About: c.About, Draws: c.Draws, Recognised: recognised,
			RMS: read(c.Name+rmsSuffix, c.Examples, m), MeanSquare: read(c.Name+meanSquareSuffix, c.Examples, 1)}
	}
	for _, c := range attacks {
		a.Results = append(a.Results, result(c))
	}
	if priorAlone != nil {
		a.PriorAlone = result(*priorAlone)
	}
	if err == nil && slices.Contains(names, peopleName) && len(a.withPrior()) > 0 {
		all := a.withPrior()
		people := make([]int, len(all[0].MeanSquare))
		next, of := 0., read(peopleName, len(people), 1)
		for k := 0; k < len(people) && err == nil; k++ {
			p := of[k]
			if people[k] = int(p); p == next {
				next++
			} else if !(p >= 0 && p < next && p == math.Trunc(p)) {
				err = fmt.Errorf("%s: array %q: example %d is of person %v, but people are counted as they come", path, peopleName, k, p)
			}
		}
		for _, r := range all {
			r.People = people
		}
	}
	if err != nil {
		return nil, err
	}
	return a, a.check()
}

// check returns an error if errors are not of the same examples, so that they cannot be
// compared.
func (a *Attacks) check() error {
	all := a.withPrior()
	for _, r := range all {
		if len(r.MeanSquare) == 0 || len(r.MeanSquare) != len(all[0].MeanSquare) {
			return fmt.Errorf("%s: %q has errors of %d examples, %q of %d", AttacksFile, r.Attack, len(r.MeanSquare), all[0].Attack, len(all[0].MeanSquare))
		}
	}
	return nil
}

// Best is the attack with the least mean-square error, nil if there is none.
func (a *Attacks) Best() *attack.Result {
	if a == nil {
		return nil
	}
	return attack.Best(a.Results, nil)
}

// MiddleErrors are the errors of guessing the middle of a box for inputs, [examples, p].
func MiddleErrors(inputs []float64, box bound.Domain, c bound.Coordinates) *attack.Result {
	p, m := c.Inputs(), c.Len()
	n := len(inputs) / p
	r := &attack.Result{Attack: "middle", Recognised: math.NaN(), About: "guesses the middle of the data's range", RMS: make([]float64, n*m), MeanSquare: make([]float64, n)}
	miss := make([]float64, p)
	for i := range n {
		for k, x := range inputs[i*p : (i+1)*p] {
			miss[k] = x - (box.Low[k]+box.High[k])/2
			r.MeanSquare[i] += miss[k] * miss[k] / float64(p)
		}
		row := r.RMS[i*m : (i+1)*m]
		c.Apply(row, miss)
		for k, v := range row {
			row[k] = math.Abs(v)
		}
	}
	return r
}
