package dataset

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"

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
	limited bool // training rows that could be used are not
	given   int  // rows of the data
	notes   []string
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
	n, want := src.rows(), slices.Index(partNames[:], o.Split)
	whole := &division{given: n, rows: [3][]int{First(n)}}
	switch {
	case o.Whole:
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
	case slices.Contains(src.split, o.Split):
		return d, want, fmt.Errorf("no %s example is left: each is of a %s with others in an earlier part, to which it moves: divide the data by %s", partWords[want], file.Shown(group.Name), file.Shown(group.Name))
	default:
		return d, want, fmt.Errorf("has no %s part: choose another", o.Split)
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
	of := First(n) // the person of each row
	if group != nil {
		of = pick(group.Labels, 1, d.rows[trainPart])
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

func (d *division) note(format string, args ...any) {
	d.notes = append(d.notes, fmt.Sprintf(format, args...))
}

// leaveOut removes the rows that fall in no class of some attribute.
func (d *division) leaveOut(c *chosen) {
	all := c.all()
	if c.group != nil {
		all = append(slices.Clone(all), *c.group)
	}
	for _, a := range all {
		before, after := d.total(), 0
		for part, rows := range d.rows {
			d.rows[part] = slices.DeleteFunc(rows, func(i int) bool { return a.Labels[i] < 0 })
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

func (d *division) total() int { return len(d.rows[0]) + len(d.rows[1]) + len(d.rows[2]) }

// order lists the rows of all parts, one part after the other.
func (d *division) order() []int { return slices.Concat(d.rows[:]...) }

// limit keeps at most n training rows (0: all), in their order.
func (d *division) limit(n int, seed uint64) {
	rows := d.rows[trainPart]
	if n == 0 || n >= len(rows) {
		return
	}
	order := drawOf(seed, "limit").Perm(len(rows))[:n]
	slices.Sort(order)
	d.rows[trainPart], d.limited = pick(rows, 1, order), true
	d.note("%d of %d training examples are used, drawn by seed %d", n, len(rows), seed)
}

// has returns an error if a part has no row.
func (d *division) has(part int) error {
	switch {
	case len(d.rows[part]) > 0:
		return nil
	case d.given < leastDivided:
		return fmt.Errorf("%s, which leaves no %s example: give at least %d, or a column split with train, validation and test", plural(d.given, "row"), partWords[part], leastDivided)
	}
	return fmt.Errorf("no %s examples are left: want more data, or rules that leave fewer out", partWords[part])
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
			case part == trainPart && d.limited:
				return fmt.Errorf("class %q of %s has none of the %d training examples that are used: use more, group it with another class, or leave it out", a.Values[class], a.Name, len(rows))
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
