package dataset

import (
	"fmt"
	"slices"
	"strings"

	"tattle/internal/file"
)

// folded is a column's name as it is compared: case, blanks, underscores and
// dashes do not matter.
func folded(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", " ", "", "-", "").Replace(name))
}

// find returns the column of a name, as it is written or else folded.
func (l *labels) find(name string) (int, error) {
	if k := slices.IndexFunc(l.columns, func(c column) bool { return c.name == name }); k >= 0 && name != "" {
		return k, nil
	}
	for _, want := range []string{folded(name), aliases[folded(name)]} {
		for k, c := range l.columns {
			if want != "" && folded(c.name) == want {
				return k, nil
			}
		}
	}
	for _, c := range l.columns {
		rest, ok := strings.CutPrefix(folded(name), folded(c.name))
		if ok && c.name != "" && strings.ContainsAny(rest, "<>=,;*") {
			return 0, fmt.Errorf("no column %q: write a colon behind %q, and the classes behind it", name, c.name)
		}
	}
	return 0, fmt.Errorf("no column %q: it has %s", name, file.ShownNames(l.names()))
}

// names lists the columns that have names.
func (l *labels) names() []string {
	var names []string
	for _, c := range l.columns {
		if c.name != "" {
			names = append(names, c.name)
		}
	}
	return names
}

// rows returns the number of examples.
func (l *labels) rows() int {
	if len(l.columns) == 0 {
		return max(len(l.files), l.count)
	}
	return len(l.columns[0].values)
}

// labels is what is known of the examples before any picture is decoded: one
// row an example.
type labels struct {
	source  string   // file or folder, for errors
	list    string   // the file that columns were read from, if there is one
	lines   []int    // of each row in it, from 1
	header  int      // its line there; 0 without a header
	files   []string // names inside the file system; nil for tables
	columns []column // as text
	split   []Split  // "" if the source gives none for an example; nil if it gives none at all
	notes   []string // what a reader wants to know: files left out, and why
	count   int      // of examples that have neither files nor columns
}

func (l *labels) note(format string, args ...any) {
	l.notes = append(l.notes, fmt.Sprintf(format, args...))
}

// column is one attribute of every example, as the source writes it.
type column struct {
	name   string
	values []string
	listed []string // its classes in their order; nil if nobody says it
}

// aliases are B's names of CelebA's attributes where they differ, folded.
var aliases = map[string]string{
	"mouthopen":  "mouthslightlyopen",
	"highcheeks": "highcheekbones",
	"lipstick":   "wearinglipstick",
}
