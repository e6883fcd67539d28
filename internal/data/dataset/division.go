package dataset

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/file"
	"tattle/internal/math/stat"
)

// Shares of the parts that data does not come in.
const (
	testShare       = 5  // one in five rows: B's 80/20
	validationShare = 10 // one in ten of the training part, as B's authors have it
)

// leastDivided is the least number of rows without parts of their own that leave one to each part.
const leastDivided = 12

// part is the index of a part in a division.
const (
	trainPart = iota
	validationPart
	testPart
)

var (
	partNames = [3]Split{Train, Validation, Test}
	partWords = [3]string{"training", "validation", "test"}
)

// division is the rows of each part, in the order of the sets.
type division struct {
	rows    [3][]int
	limited [3]bool // rows that could be read are not
	given   int     // rows of the data
	notes
}

// drawOf returns the generator of one decision about a data set.
func drawOf(seed uint64, what string) *rand.Rand {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	copy(key[8:], what)
	return rand.New(rand.NewChaCha8(key))
}

// divide makes the parts: the data's own where it says, the rest by the seed. The examples of a person stay together.
func (src *origin) divide(seed uint64, group *Attribute) *division {
	d := src.asGiven(group)
	if len(d.rows[testPart]) == 0 {
		d.carve(testPart, testShare, seed, group)
	}
	if len(d.rows[validationPart]) == 0 {
		d.carve(validationPart, validationShare, seed, group)
	}
	return d
}

// asGiven makes the parts that the data name. Rows without a part are for training.
func (src *origin) asGiven(group *Attribute) *division {
	d := &division{given: src.rows()}
	for i := range d.given {
		part := trainPart
		if src.split != nil && src.split[i] != "" {
			part = slices.Index(partNames[:], src.split[i])
		}
		d.rows[part] = append(d.rows[part], i)
	}
	d.together(group)
	return d
}

// given returns the rows of the part that is asked for, and its index: of the data's own division, or, of data that
// divides, of the one that the seed makes. The validation part stands in for a test part.
func (src *origin) given(o Options, group *Attribute) (*division, int, error) {
	n, want := src.rows(), slices.Index(partNames[:], o.Part)
	whole := &division{given: n, rows: [3][]int{nn.Indices(n)}}
	switch views := o.ViewsOf; {
	case views != nil && n != views.RowsOf:
		return nil, 0, fmt.Errorf("%d views of %d examples: give one of each, in the same order", n, views.RowsOf)
	case views != nil:
		whole.rows[trainPart] = views.Rows
		return whole, trainPart, nil
	case src.divides && !o.Undivided:
		return src.divide(o.Seed, group), want, nil
	case !slices.ContainsFunc(src.split, func(s Split) bool { return s != "" }):
		src.note("the data has no parts: all of its %s are used", plural(n, "example"))
		return whole, trainPart, nil
	}
	d := src.asGiven(group)
	if n := len(d.rows[validationPart]); want == testPart && len(d.rows[testPart]) == 0 && n > 0 {
		src.note("the data has no test part: the %s of its validation part are used", plural(n, "example"))
		want = validationPart
	}
	switch {
	case len(d.rows[want]) > 0:
	case slices.Contains(src.split, o.Part):
		return d, want, fmt.Errorf("no %s example is left: each is of a %s with others in an earlier part, to which it moves: divide the data by %s", partWords[want], file.Shown(group.Name), file.Shown(group.Name))
	default:
		return d, want, fmt.Errorf("has no %s part: choose another", o.Part)
	}
	for part := range d.rows {
		if part != want {
			d.rows[part] = nil
		}
	}
	return d, want, nil
}

// together moves the examples of people who have some in several parts to the first of these: what is measured would
// otherwise be of people that were learned from.
func (d *division) together(group *Attribute) {
	if group == nil {
		return
	}
	first, moved := map[int]int{}, 0
	for part, rows := range d.rows {
		for _, row := range rows {
			person := group.Labels[row]
			if of, known := first[person]; known && of < part {
				d.rows[of] = append(d.rows[of], row)
				moved++
			} else if person >= 0 {
				first[person] = part
			}
		}
		d.rows[part] = slices.DeleteFunc(d.rows[part], func(row int) bool {
			of, known := first[group.Labels[row]]
			return known && of < part
		})
	}
	if moved > 0 {
		for _, rows := range d.rows {
			slices.Sort(rows)
		}
		d.note("%s moved to the part with others of the same %s", plural(moved, "example"), group.Name)
	}
}

// carve moves one in share of the training rows, or the rows of some people, to another part.
func (d *division) carve(part, share int, seed uint64, group *Attribute) {
	n := len(d.rows[trainPart])
	of := nn.Indices(n) // the person of each row
	if group != nil {
		of = Pick(group.Labels, 1, d.rows[trainPart])
	}
	for i, p := range of {
		if p < 0 {
			of[i] = -1 - i // nobody knows who: another one
		}
	}
	number, people := stat.Numbered(of)
	rowsOf := make([][]int, people)
	for i, p := range number {
		rowsOf[p] = append(rowsOf[p], i)
	}
	moved, count := make([]bool, n), 0
	for _, k := range drawOf(seed, "carve "+string(partNames[part])).Perm(people) {
		if rows := rowsOf[k]; count+len(rows) <= n/share {
			for _, i := range rows {
				moved[i] = true
			}
			count += len(rows)
		}
	}
	var rest []int
	for i, row := range d.rows[trainPart] {
		if moved[i] {
			d.rows[part] = append(d.rows[part], row)
		} else {
			rest = append(rest, row)
		}
	}
	d.rows[trainPart] = rest
	d.note("the data has no %s part: %d of %d training examples, drawn by seed %d, are used as one", partWords[part], count, n, seed)
}

// leaveOut removes the rows that fall in no class of some attribute.
func (d *division) leaveOut(c *chosen) {
	all := c.all()
	if c.group != nil {
		all = append(slices.Clone(all), *c.group)
	}
	for _, a := range all {
		before, after := 0, 0
		for part, rows := range d.rows {
			before += len(rows)
			d.rows[part] = slices.DeleteFunc(rows, a.lacks)
			after += len(d.rows[part])
		}
		if after < before {
			if c.group != nil && a.Name == c.group.Name {
				d.note("%d of %d examples left out: they have no %s", before-after, before, a.Name)
				continue
			}
			d.note("%d of %d examples left out: %s %s", before-after, before, a.Name, a.classWords())
		}
	}
}

// order lists the rows of all parts, one part after the other.
func (d *division) order() []int { return slices.Concat(d.rows[:]...) }

// limit leaves the rows that are read. Those of all parts are limited as one if that is what is measured.
func (d *division) limit(o Options) error {
	groups := [][]int{{trainPart}, {validationPart}, {testPart}}
	if o.Part == All {
		groups = [][]int{{trainPart, validationPart, testPart}}
	}
	for _, parts := range groups {
		var rows, owner []int
		for _, part := range parts {
			rows, owner = append(rows, d.rows[part]...), append(owner, slices.Repeat([]int{part}, len(d.rows[part]))...)
			d.rows[part] = nil
		}
		limit, what := o.Limit, ""
		if part := parts[0]; o.Part != All {
			what = partWords[part] + " "
			switch {
			case o.Part == partNames[part]:
			case o.Alone:
				continue
			case o.Others != nil && part == trainPart:
				limit = *o.Others
			default:
				limit = cmp.Or(o.Others, &o.Limit).Others()
			}
		}
		chosen, err := d.choose(limit, len(rows), o.Seed, what)
		if err != nil {
			return err
		}
		for _, k := range chosen {
			d.rows[owner[k]] = append(d.rows[owner[k]], rows[k])
		}
		for _, part := range parts {
			d.limited[part] = len(chosen) < len(rows)
		}
	}
	return nil
}

// choose returns the indices, of n examples, that are read, and notes how many these are.
func (d *division) choose(l Limit, n int, seed uint64, what string) ([]int, error) {
	chosen, err := l.of(n, seed)
	switch {
	case err != nil || len(chosen) == n:
	case l.Indices != "":
		d.note("%d of %d %sexamples are read: those that %s lists", len(chosen), n, what, l.Indices)
	default:
		d.note("%d of %d %sexamples are read, drawn by seed %d", len(chosen), n, what, seed)
	}
	return chosen, err
}

// has returns an error if a part has no row.
func (d *division) has(part int) error {
	switch {
	case len(d.rows[part]) > 0:
		return nil
	case d.given < leastDivided:
		return fmt.Errorf("%s, which leaves no %s example: give at least %d, or a column split with train, validation and test", plural(d.given, "row"), partWords[part], leastDivided)
	}
	return fmt.Errorf("no %s examples are left: want more data, more people if a column names them, or rules that leave fewer out", partWords[part])
}

// check returns an error if training or test lacks a class; of validation, which is small,
// it only notes it.
func (d *division) check(c *chosen) error {
	for part := range d.rows {
		if err := d.has(part); err != nil {
			return err
		}
	}
	for _, a := range c.all() {
		for part, rows := range d.rows {
			class := absent(a, rows)
			switch {
			case class < 0:
			case part == validationPart:
				d.note("class %q of %s has no validation example", a.Values[class], a.Name)
			case d.limited[part]:
				return fmt.Errorf("class %q of %s has none of the %d %s examples that are read: read more, group it with another class, or leave it out", a.Values[class], a.Name, len(rows), partWords[part])
			default:
				return fmt.Errorf("class %q of %s has no %s example: group it with another class, or leave it out", a.Values[class], a.Name, partWords[part])
			}
		}
	}
	return nil
}

// absent returns the first class that none of the rows has, or −1. Numbers have no classes.
func absent(a Attribute, rows []int) int {
	if a.Numeric() {
		return -1
	}
	seen := make([]bool, len(a.Values))
	for _, i := range rows {
		if class := a.Labels[i]; class >= 0 {
			seen[class] = true
		}
	}
	return slices.Index(seen, false)
}
