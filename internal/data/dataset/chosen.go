package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/engine/nn"
	"tattle/internal/file"
)

// chosen is the target and the sensitive attributes of every row, −1 if a
// row falls in none.
type chosen struct {
	target    Attribute
	sensitive []Attribute
	made      Sensitive  // of sensitive: what is asked for
	columns   []int      // that they are made of
	answers   int        // how many of columns, the first ones, are the target's
	group     *Attribute // the person that each example is about; nil if nothing says so
	hidden    []int      // the column of group
}

// all lists the target, if there is one, and the sensitive attributes.
func (c *chosen) all() []Attribute {
	if c.target.Name == "" {
		return c.sensitive
	}
	return append([]Attribute{c.target}, c.sensitive...)
}

// choose applies the rules. The target of [OpenInputs] may be missing, and has the classes that its column says.
func (src *origin) choose(o Options) (*chosen, error) {
	c := new(chosen)
	one := !o.divided
	target := cmp.Or(o.Target, src.target)
	if one {
		target = cmp.Or(target, src.targetColumn())
	}
	var err error
	switch {
	case target == NoTarget: // the column that is the target by default does not become an input
		if k, err := src.find(src.target); err == nil {
			c.columns = append(c.columns, k)
		}
	case target == "" && !one:
		return nil, fmt.Errorf("which column is the target? it has %s", file.ShownNames(src.names()))
	case target == "" && len(src.columns) == 0:
		src.note("nothing says the classes (folders, or an array called y, labels or targets): the examples are read without labels")
	case target == "":
		src.note("no column is known to hold the classes (columns: %s): the examples are read without labels", file.ShownNames(src.names()))
	default:
		own := one && !strings.HasSuffix(target, NumberSuffix)
		c.target, err = src.attribute(target, o.Numbers && !own, own, c)
	}
	if err != nil {
		return nil, fmt.Errorf("the target: %w", err)
	}
	c.answers = len(c.columns)
	if err := src.chooseGroup(o.Group, c); err != nil {
		return nil, fmt.Errorf("the group: %w", err)
	}
	return c, src.chooseSensitive(o, c)
}

// chooseGroup finds who each example is about.
func (src *origin) chooseGroup(name string, c *chosen) error {
	if name == "" && src.grouped != "" {
		name = src.grouped
		src.note("array %s says which person each example is about (group none: every example is another person)", name)
	}
	if name == "" || name == NoGroup {
		return nil
	}
	of := column{name: name}
	k, err := src.find(name)
	switch {
	case err == nil:
		of, c.hidden = src.columns[k], []int{k}
	case name != GroupFolder:
		return err
	case src.files == nil:
		return errors.New("only pictures come in a folder for each person, and these data are not pictures: name a column")
	default:
		for _, file := range src.files {
			of.values = append(of.values, path.Dir(file))
		}
	}
	c.group = new(sortedClasses(of))
	return c.group.CheckPeople()
}

// CheckPeople returns an error if the attribute cannot say who examples are about.
func (a *Attribute) CheckPeople() error {
	switch len(a.Values) {
	case 0:
		return fmt.Errorf("%s has no values: name a column with one for each person", file.Shown(a.Name))
	case 1:
		return fmt.Errorf("%s has the single value %s: name a column with one for each person", file.Shown(a.Name), file.Shown(a.Values[0]))
	}
	return nil
}

// chooseSensitive applies the rules of the sensitive attributes, or the kind's own, but for what is the target already.
func (src *origin) chooseSensitive(o Options, c *chosen) (err error) {
	sensitive := o.Sensitive
	if len(sensitive) == 0 && (o.divided || !src.divides) { // other programs' models take all columns of a table
		sensitive = slices.DeleteFunc(slices.Clone(src.sensitive), func(name string) bool {
			k, err := src.find(name)
			return err == nil && slices.Contains(c.columns, k)
		})
	}
	if c.made, err = ParseSensitive(sensitive, func(name string) bool { _, err := src.find(name); return err == nil }); err != nil {
		return err
	}
	taken := map[string]bool{}
	for _, text := range c.made.Read {
		a, err := src.attribute(text, o.Numbers, false, c)
		if err != nil {
			return fmt.Errorf("the sensitive attribute: %w", err)
		}
		for k, name := 2, a.Name; taken[a.Name]; k++ {
			a.Name = fmt.Sprintf("%s-%d", name, k)
		}
		taken[a.Name] = true
		c.sensitive = append(c.sensitive, a)
	}
	_, err = c.made.Make(c.sensitive) // what cannot be made is found before anything is read
	return err
}

// classesOf lists the classes of a column in their own order; nil if nobody says it. A part that is read alone has all of
// them, and the data as a whole those that occur.
func (src *origin) classesOf(col column) []string {
	if col.listed == nil || src.single {
		return col.listed
	}
	there := distinctValues(col.values)
	return matching(col.listed, func(v string) bool { return slices.Contains(there, v) })
}

// classWords says what a row must have not to be left out.
func (a *Attribute) classWords() string {
	if a.Numeric() {
		return "has no number"
	}
	if len(a.Values) > mostPlain {
		return "falls in none of its classes"
	}
	return "falls in none of the classes " + strings.Join(a.Values, "; ")
}

// attribute makes what is asked for, or what a shortcut stands for, of all rows. If own is set, a column without
// classes of its own has those that its whole numbers say, be there gaps or not, or its sorted values.
func (src *origin) attribute(text string, numeric, own bool, c *chosen) (Attribute, error) {
	asked, err := ParseAsked(text)
	if err != nil {
		return Attribute{}, err
	}
	r, name := asked.Rule, ""
	if asked.Number && !numeric {
		return Attribute{}, fmt.Errorf("%s: numbers are neither target nor attribute here: make classes of them, as in \"%s: <0, >=0\"", text, r.Column)
	}
	if long := src.shortcuts[folded(r.Column)]; len(r.classes) == 0 && long != "" {
		name = folded(r.Column)
		if r, err = ParseRule(long); err != nil {
			return Attribute{}, err
		}
	}
	k, err := src.find(r.Column)
	if hint := src.elsewhere[folded(r.Column)]; err != nil && hint != "" {
		err = fmt.Errorf("%w; %s", err, hint)
	}
	if err != nil {
		return Attribute{}, err
	}
	c.columns = append(c.columns, k)
	col := src.columns[k]
	if own && !r.Grouped() && col.listed == nil {
		if a, wrong := numbered(col); wrong < 0 && !src.sorted {
			return a, nil
		}
		return sortedClasses(col), nil
	}
	asked.Rule, asked.Class, asked.Listed = r, asked.Class || !numeric, src.classesOf(col)
	a, err := asked.Of(cmp.Or(name, col.name), col.values, maxClasses)
	if err != nil {
		return a, err
	}
	if a.Numeric() {
		return a, nil
	}
	if len(a.Values) < 2 {
		return a, fmt.Errorf("%s is constant (%s): want an attribute of two classes or more", a.Name, strings.Join(a.Values, ""))
	}
	if class := absent(a, nn.Indices(len(a.Labels))); class >= 0 && (r.Grouped() || col.listed == nil) {
		return a, fmt.Errorf("class %q of %s has no example: correct the rule, or leave the class out", a.Values[class], a.Name)
	}
	return a, nil
}

// maxClassNumber is the largest class that a column of numbers may have: five
// times those of ImageNet-21k.
const maxClassNumber = 100_000

// targetColumns are what a column of classes is called where nobody says.
var targetColumns = []string{"label", "labels", "class", "target", "category", "class_id", "label_id", "y"}

// targetColumn returns the column that is called as classes are, or that is the
// only one besides the parts.
func (l *labels) targetColumn() string {
	for _, want := range targetColumns {
		if k, err := l.find(want); err == nil {
			return l.columns[k].name
		}
	}
	rest := slices.DeleteFunc(l.names(), func(name string) bool { return folded(name) == "split" || folded(name) == "partition" })
	if len(rest) == 1 && l.files != nil {
		return rest[0]
	}
	return ""
}

// numbered makes classes of a column of whole numbers from 0 on, which are the
// classes. It also returns the first row with another value, or −1. A row without a number is in none; not all may be.
func numbered(c column) (Attribute, int) {
	a := Attribute{Name: c.name, Labels: make([]int, len(c.values))}
	most := -1
	for i, v := range c.values {
		if v == "" {
			a.Labels[i] = -1
			continue
		}
		n, err := strconv.Atoi(v)
		if err != nil || n < 0 || n > maxClassNumber {
			return Attribute{}, i
		}
		a.Labels[i], most = n, max(most, n)
	}
	a.Values = ClassNumbers(most + 1)
	if most < 0 {
		return a, 0
	}
	return a, -1
}

// sortedClasses makes a class of every value, in the order of their letters.
func sortedClasses(c column) Attribute {
	classes := slices.DeleteFunc(distinctValues(c.values), func(v string) bool { return v == "" })
	return Attribute{Name: c.name, Values: classes, Labels: labelled(c.values, placesOf(classes))}
}
