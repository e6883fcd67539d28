package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"tattle/attack"
	"tattle/bound"
	"tattle/npy"
	"tattle/report"
	"tattle/run"
	"tattle/stat"
)

// attacksFile holds what the attacks reached and what the prior leaves, beside the
// arrays of the bounds.
const attacksFile = "attacks.npz"

// ceilings are what adversaries are known to reach: the contents of attacks.npz, and
// what else of it is still at hand.
type ceilings struct {
	priorStd           []float64 // [m]; nil where no prior was taken
	vanTreesStd        []float64 // [m]; nil where it was left out
	vanTreesMeanSquare float64
	attacks            []*attack.Result // as far as the arrays have them, after a load

	draws     int // of the noise that each attack is given; so is what follows absent after a load
	prior     *bound.Prior
	attackers []attack.Attack
}

// The names of the arrays.
const (
	priorStdName     = "prior_std"
	vanTreesStdName  = "van_trees_std"
	vanTreesMeanName = "van_trees_mean_square"
	rmsSuffix        = "_rms"
	meanSquareSuffix = "_mean_square"
)

// write stores the arrays and returns their digest.
func (c *ceilings) write(path string) (digest string, err error) {
	if err := run.WriteFile(path, c.encode); err != nil {
		return "", err
	}
	return run.Digest(path)
}

func (c *ceilings) encode(w io.Writer) error {
	z := npy.NewWriter(w)
	var first error
	add := func(name string, rows int, x []float64) {
		if first == nil && x != nil {
			first = z.Add(name, []int{rows, len(x) / rows}, x)
		}
	}
	add(priorStdName, 1, c.priorStd)
	add(vanTreesStdName, 1, c.vanTreesStd)
	if c.vanTreesStd != nil {
		add(vanTreesMeanName, 1, []float64{c.vanTreesMeanSquare})
	}
	for _, a := range c.attacks {
		add(a.Attack+rmsSuffix, len(a.MeanSquare), a.RMS)
		add(a.Attack+meanSquareSuffix, len(a.MeanSquare), a.MeanSquare)
	}
	if first != nil {
		return first
	}
	return z.Close()
}

// loadCeilings reads what a report says the attacks reached, for m coordinates.
func loadCeilings(path string, r *report.Report, m int) (*ceilings, error) {
	f, err := npy.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c := &ceilings{}
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
	names := f.Names()
	if slices.Contains(names, priorStdName) {
		c.priorStd = read(priorStdName, 1, m)
	}
	if slices.Contains(names, vanTreesStdName) {
		c.vanTreesStd = read(vanTreesStdName, 1, m)
		if x := read(vanTreesMeanName, 1, 1); err == nil {
			c.vanTreesMeanSquare = x[0]
		}
	}
	for _, a := range attacksOf(r) {
		c.attacks = append(c.attacks, &attack.Result{
			Attack: a.Name, About: a.About, Draws: a.Draws,
			RMS: read(a.Name+rmsSuffix, a.Examples, m), MeanSquare: read(a.Name+meanSquareSuffix, a.Examples, 1),
		})
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// attacksOf are the attacks of a report, each by its first row.
func attacksOf(r *report.Report) []report.Attack {
	var all []report.Attack
	for _, a := range r.Attacks {
		if !slices.ContainsFunc(all, func(b report.Attack) bool { return a.Name == b.Name }) {
			all = append(all, a)
		}
	}
	return all
}

// rows are the attacks' lines in the report.
func (c *ceilings) rows(coordinates bound.Coordinates, band int) []report.Attack {
	var rows []report.Attack
	for _, a := range c.attacks {
		for _, row := range a.Summaries(coordinates, band) {
			q := map[string]*float64{}
			for level, v := range row.RMSQuantiles {
				q[level] = &v
			}
			rows = append(rows, report.Attack{
				Name: a.Attack, About: a.About, Coordinates: row.Coordinates, Band: row.Band, RMSQuantiles: q,
				MeanSquare: report.Number(row.MeanSquare), Examples: row.Examples, Draws: row.Draws, Status: row.Status,
			})
		}
	}
	return rows
}

// linear is the linear attack, nil where it was not made.
func (c *ceilings) linear() *attack.Linear {
	for _, a := range c.attackers {
		if l, ok := a.(*attack.Linear); ok {
			return l
		}
	}
	return nil
}

// best is the attack with the least mean-square error, nil where there is none.
func (c *ceilings) best() *attack.Result {
	if c == nil || len(c.attacks) == 0 {
		return nil
	}
	return slices.MinFunc(c.attacks, func(a, b *attack.Result) int {
		x, y := mean(a.MeanSquare), mean(b.MeanSquare)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return strings.Compare(a.Attack, b.Attack)
	})
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// assumed checks the rows of a report's van Trees bounds against the arrays.
func (c *ceilings) assumed(r *report.Report, coordinates bound.Coordinates, band int) []string {
	var lines []string
	for _, b := range r.Bounds {
		if b.Status != bound.StatusAssumed {
			continue
		}
		values := c.vanTreesStd
		switch {
		case b.Method == bound.MethodVanTreesMeanSquare:
			values = []float64{math.Sqrt(c.vanTreesMeanSquare)}
		case b.Band != allBand && values != nil:
			values = pick(values, coordinates.Band(band), len(values))
		}
		if !follows(b, values) {
			lines = append(lines, fmt.Sprintf("%s, %s: the quantiles do not follow from %s", b.Method, b.Band, attacksFile))
		}
	}
	return lines
}

// follows tells whether a row's quantiles are those of the values.
func follows(b bound.Summary, values []float64) bool {
	if len(values) == 0 || b.Values != len(values) || b.UnboundedFraction != 0 || len(b.StdQuantiles) != len(bound.QuantileLevels) {
		return false
	}
	q := stat.Quantiles(values, bound.QuantileLevels...)
	for i, level := range bound.QuantileLevels {
		if b.Quantile(level) != q[i] {
			return false
		}
	}
	return true
}
