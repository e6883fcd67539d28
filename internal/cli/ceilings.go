package cli

import (
	"fmt"
	"io"
	"math"
	"slices"

	"tattle/attack"
	"tattle/bound"
	"tattle/npy"
	"tattle/report"
	"tattle/run"
)

// attacksFile holds the errors of the attacks and of the prior alone, beside the arrays
// of the bounds.
const attacksFile = "attacks.npz"

// ceilings are what adversaries are known to reach: the contents of attacks.npz, and
// what else of it is still at hand.
type ceilings struct {
	vanTreesStd        []float64        // [m]; nil where it was left out
	vanTreesMeanSquare float64          // NaN where the coordinates are no orthonormal basis
	attacks            []*attack.Result // as far as the arrays have them, after a load
	alone              *attack.Result   // guessing the mean without the release, on the same inputs; nil where it was not measured

	draws     int // of the noise that each attack is given; so is what follows absent after a load
	prior     *bound.Prior
	attackers []attack.Attack
}

// The names of the arrays.
const (
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
	add(vanTreesStdName, 1, c.vanTreesStd)
	if c.vanTreesStd != nil && !math.IsNaN(c.vanTreesMeanSquare) {
		add(vanTreesMeanName, 1, []float64{c.vanTreesMeanSquare})
	}
	for _, a := range c.measured() {
		add(a.Attack+rmsSuffix, len(a.MeanSquare), a.RMS)
		add(a.Attack+meanSquareSuffix, len(a.MeanSquare), a.MeanSquare)
	}
	if first != nil {
		return first
	}
	return z.Close()
}

// measured are the attacks and the prior alone.
func (c *ceilings) measured() []*attack.Result {
	if c.alone == nil {
		return c.attacks
	}
	return append(slices.Clone(c.attacks), c.alone)
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
	if slices.Contains(names, vanTreesStdName) {
		c.vanTreesStd = read(vanTreesStdName, 1, m)
		c.vanTreesMeanSquare = math.NaN()
	}
	if slices.Contains(names, vanTreesMeanName) {
		if x := read(vanTreesMeanName, 1, 1); err == nil {
			c.vanTreesMeanSquare = x[0]
		}
	}
	result := func(a report.Attack) *attack.Result {
		return &attack.Result{
			Attack: a.Name, About: a.About, Draws: a.Draws,
			RMS: read(a.Name+rmsSuffix, a.Examples, m), MeanSquare: read(a.Name+meanSquareSuffix, a.Examples, 1),
		}
	}
	for _, a := range attacksOf(r) {
		c.attacks = append(c.attacks, result(a))
	}
	if len(r.PriorAlone) > 0 {
		c.alone = result(r.PriorAlone[0])
	}
	if err != nil {
		return nil, err
	}
	return c, c.check()
}

// check errs where errors are not of the same examples, so that they cannot be compared.
func (c *ceilings) check() error {
	all := c.measured()
	for _, a := range all {
		if len(a.MeanSquare) == 0 || len(a.MeanSquare) != len(all[0].MeanSquare) {
			return fmt.Errorf("%s: %q has errors of %d examples, %q of %d", attacksFile, a.Attack, len(a.MeanSquare), all[0].Attack, len(all[0].MeanSquare))
		}
	}
	return nil
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

// record writes the attacks' and the prior's rows into the report.
func (c *ceilings) record(r *report.Report, coordinates bound.Coordinates, band int) {
	for _, a := range c.attacks {
		r.Attacks = append(r.Attacks, c.rows(a, coordinates, band)...)
	}
	if c.alone != nil {
		r.PriorAlone = c.rows(c.alone, coordinates, band)
		r.ComparePrior()
	}
}

// rows are one attack's lines in the report, or those of the prior alone.
func (c *ceilings) rows(a *attack.Result, coordinates bound.Coordinates, band int) []report.Attack {
	var rows []report.Attack
	for _, row := range a.Summaries(coordinates, band) {
		q := map[string]*float64{}
		for level, v := range row.RMSQuantiles {
			q[level] = &v
		}
		rows = append(rows, report.Attack{
			Name: a.Attack, About: a.About, Coordinates: row.Coordinates, Band: row.Band, RMSQuantiles: q,
			MeanSquare: report.Number(row.MeanSquare), Gain: c.gain(a, row.Keep), Examples: row.Examples, Draws: row.Draws, Status: row.Status,
		})
	}
	return rows
}

// gain compares an attack with the prior alone over the coordinates in band, all where
// it is nil: nil where there is nothing to compare.
func (c *ceilings) gain(a *attack.Result, band []int) *report.Gain {
	if c.alone == nil || a == c.alone {
		return nil
	}
	g := a.Gain(c.alone, band, len(c.attacks))
	return &report.Gain{MeanSquare: report.Number(g.MeanSquare), Low: report.Number(g.Low), Confidence: g.Confidence}
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
	if c == nil {
		return nil
	}
	return attack.Best(c.attacks)
}

// assumed are the rows of the van Trees bound, with the note that the report has and the
// confidence that every run asks for.
func (c *ceilings) assumed(claims *report.Report, coordinates bound.Coordinates, band int) []bound.Summary {
	if c.vanTreesStd == nil {
		return nil
	}
	note := ""
	if i := slices.IndexFunc(claims.Bounds, func(b bound.Summary) bool { return b.Status == bound.StatusAssumed }); i >= 0 {
		note = claims.Bounds[i].Note
	}
	return bound.VanTreesRows(c.vanTreesStd, c.vanTreesMeanSquare, bound.DefaultConfidence, coordinates, band, note)
}
