package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxClassNumber is the largest class that a column of numbers may have: five
// times those of ImageNet-21k.
const maxClassNumber = 100_000

// targetColumns are what a column of classes is called where nobody says.
var targetColumns = []string{"label", "labels", "class", "target", "category", "class_id", "label_id", "y"}

// targetColumn returns the column that is called as classes are, or that is the
// only one besides the parts.
func (l *labels) targetColumn() string {
	var names []string
	for _, c := range l.columns {
		if name := folded(c.name); name != "" && name != "split" && name != "partition" {
			names = append(names, c.name)
		}
	}
	for _, want := range targetColumns {
		for _, name := range names {
			if folded(name) == folded(want) {
				return name
			}
		}
	}
	if len(names) == 1 && l.files != nil {
		return names[0]
	}
	return ""
}

// classes makes the target of a rule. A column without classes of its own has
// those that its whole numbers say, be there gaps or not, or its sorted values.
func (src *origin) classes(text string, c *chosen) (Attribute, error) {
	r, err := ParseRule(text)
	if err != nil {
		return Attribute{}, err
	}
	k, err := src.find(r.column)
	if len(r.classes) > 0 || src.shortcuts[folded(r.column)] != "" || err == nil && src.columns[k].listed != nil {
		return src.attribute(text, false, c)
	}
	if err != nil {
		return Attribute{}, err
	}
	c.columns = append(c.columns, k)
	col := src.columns[k]
	if a, ok := numbered(col); ok && !src.sorted {
		return a, nil
	}
	return sortedClasses(col), nil
}

// numbered makes classes of a column of whole numbers from 0 on, which are the
// classes; false if it has others. A row without a number is in none.
func numbered(c column) (Attribute, bool) {
	a := Attribute{Name: c.name, Labels: make([]int, len(c.values))}
	most := -1
	for i, v := range c.values {
		if v == "" {
			a.Labels[i] = -1
			continue
		}
		n, err := strconv.Atoi(v)
		if err != nil || n < 0 || n > maxClassNumber {
			return Attribute{}, false
		}
		a.Labels[i], most = n, max(most, n)
	}
	a.Values = classNumbers(most + 1)
	return a, most >= 0
}

// sortedClasses makes a class of every value, in the order of their letters.
func sortedClasses(c column) Attribute {
	a := Attribute{Name: c.name, Labels: make([]int, len(c.values))}
	a.Values = slices.DeleteFunc(distinctValues(c.values), func(v string) bool { return v == "" })
	for i, v := range c.values {
		k, found := slices.BinarySearch(a.Values, v)
		if a.Labels[i] = k; !found {
			a.Labels[i] = -1
		}
	}
	return a
}

// checkClassNumber returns an error for a label of an array that is no class.
func checkClassNumber(i, class int) error {
	if class < 0 || class > maxClassNumber {
		return fmt.Errorf("label %d of example %d: want 0 to %d", class, i, maxClassNumber)
	}
	return nil
}

// partFolder returns the part that a folder is called by, "" if it is none.
func partFolder(name string) Split {
	if len(name) == 1 {
		return "" // a class that is a number
	}
	return splitNames[strings.ToLower(name)]
}
