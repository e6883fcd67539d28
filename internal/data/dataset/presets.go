package dataset

import (
	_ "embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"tattle/internal/engine/nn"
)

// preset says how the labels of a public data set are laid out, and what is asked for if nobody says.
type preset struct {
	Lists     [][]string       // the files of its labels, each by the names that it may have
	Columns   []string         // of a list without a header; or, of pictures, of a labels.csv that is taken for this set
	Partition []string         // the names of the list of parts: 0 train, 1 validation, 2 test
	Parts     map[string]Split // by the first folder of a picture's name
	Folder    string           // that the pictures lie in, if there is such a folder
	Pictures  int              // how many it has
	Flags     bool             // the columns are 1 and −1, which is written as 0
	OneOf     oneOf            `toml:"one_of"`
	Mean, Std []float32        // of the pixels of each channel
	Pixels    []string         // by whose SHA-256 the set is recognised

	Target    string
	Sensitive []string
	Shortcuts map[string]string   // names that stand for rules
	Listed    map[string][]string // the values of a column in their order
}

// oneOf is a column made of several flags. Rows that do not have exactly one of them are left out.
type oneOf struct {
	Name    string
	Columns []string
	Values  []string
}

//go:embed presets.toml
var presetText string

// known are the presets by their kinds, and the settings behind the names that [ParsePreprocess] knows. They are read when the first
// is asked for: a program that opens no data is linked without a reader of TOML.
var known struct {
	sync.Once
	sets       map[string]preset
	preprocess map[string]string
}

func readPresets() {
	var named struct{ Preprocess map[string]string }
	for _, v := range []any{&known.sets, &named} {
		if _, err := toml.Decode(presetText, v); err != nil {
			panic("dataset: " + err.Error()) // of a broken build alone
		}
	}
	known.preprocess = named.Preprocess
}

func presetsOf() map[string]preset {
	known.Do(readPresets)
	return known.sets
}

func preprocessPresets() map[string]string {
	known.Do(readPresets)
	return known.preprocess
}

// found reports whether files of labels of the set are among the names.
func (p preset) found(names []string) bool {
	return slices.ContainsFunc(slices.Concat(p.Lists...), func(base string) bool { return len(within(names, base)) > 0 })
}

// take takes over what the set asks for if nobody says.
func (src *origin) take(p preset) {
	src.target, src.sensitive, src.shortcuts = p.Target, p.Sensitive, p.Shortcuts
	for k := range src.columns {
		src.columns[k].listed = p.Listed[src.columns[k].name]
	}
}

// readLists reads the labels of pictures from a CSV or the set's own lists: one row a picture, a column of file
// names (o.FileColumn; "" = the one called so, or the first) and a column for each attribute. o.Labels is a path, or a
// name inside; "" = labels.csv inside, or the only CSV. The parts are those of the set, of a column "split", or of
// folders called train, val and test.
func (p preset) readLists(fsys fs.FS, source string, o Options) (*labels, error) {
	pictures, files, err := listPictures(fsys, source)
	if err != nil {
		return nil, err
	}
	l, err := p.table(fsys, source, o.Labels, files)
	if err != nil {
		return nil, err
	}
	l.source = source
	written, err := l.match(o.FileColumn, p.within(pictures), o.SkipMissing)
	if err != nil {
		return nil, err
	}
	if p.Flags {
		if err := l.readFlags(); err != nil {
			return nil, err
		}
	}
	if p.OneOf.Name != "" {
		if err := l.addOneOf(p.OneOf); err != nil {
			return nil, err
		}
	}
	switch {
	case p.Partition != nil:
		return l, l.readPartition(fsys, files, p.Partition, o.SkipMissing)
	case p.Parts != nil:
		return l, l.folderParts(written, p.Parts)
	}
	if _, err := l.takeSplit(); err != nil {
		return nil, err
	}
	if l.split == nil {
		l.split = folderSplit(l.files)
	}
	return l, nil
}

// within keeps the pictures in the set's folder, where there are such.
func (p preset) within(pictures []string) []string {
	inside := matching(pictures, func(name string) bool { return path.Base(path.Dir(name)) == p.Folder })
	if len(inside) == 0 {
		return pictures
	}
	return inside
}

// table reads the lists of the set as one, or the file of labels that is asked for or there.
func (p preset) table(fsys fs.FS, source, asked string, files []string) (all *labels, err error) {
	for _, bases := range p.Lists {
		t, err := readList(fsys, source, files, bases)
		switch {
		case err != nil:
			return nil, err
		case all == nil:
			all = t
		case t != nil:
			if err := all.join(t); err != nil {
				return nil, err
			}
			all.list = fmt.Sprintf("%s and %s", all.list, t.list)
		}
	}
	if all == nil && p.Lists != nil && p.Columns == nil {
		return nil, malformed(source, "has no %s: put it beside the pictures", p.Lists[0][0])
	}
	if all == nil {
		return locate(fsys, source, asked, files)
	}
	return all, nil
}

// readFlags writes −1 as 0; nothing but 1, 0 and −1 may stand in the columns.
func (l *labels) readFlags() error {
	for _, c := range l.columns {
		for i, v := range c.values {
			switch v {
			case "-1":
				c.values[i] = "0"
			case "0", "1":
			default:
				return malformed(l.list, "line %d: %s is %q: want 1 or -1", l.lines[i], c.name, v)
			}
		}
	}
	return nil
}

// addOneOf puts a column of what exactly one flag of several says in front, and leaves out the other rows.
func (l *labels) addOneOf(one oneOf) error {
	made := column{name: one.Name, values: make([]string, l.rows())}
	count := make([]int, l.rows())
	for k, name := range one.Columns {
		c := l.place(name)
		if c < 0 {
			return malformed(l.list, "has no column %s: get the list again", name)
		}
		for i, v := range l.columns[c].values {
			if v == "1" {
				made.values[i] = one.Values[k]
				count[i]++
			}
		}
	}
	rows := slices.DeleteFunc(nn.Indices(l.rows()), func(i int) bool { return count[i] != 1 })
	if len(rows) == 0 {
		return malformed(l.list, "no picture has exactly one of %s, which is what B uses: say that the kind is %s to use all", strings.Join(one.Columns, ", "), KindImages)
	}
	if left := l.rows() - len(rows); left > 0 {
		l.note("%s of %d left out: not exactly one of %s (%s), as in the paper", plural(left, "picture"), l.rows(), strings.Join(one.Values, ", "), one.Name)
	}
	l.columns = append([]column{made}, l.columns...)
	l.keep(rows)
	return nil
}

// keep leaves the given rows.
func (l *labels) keep(rows []int) {
	l.files, l.split, l.lines = Pick(l.files, 1, rows), Pick(l.split, 1, rows), Pick(l.lines, 1, rows)
	for k := range l.columns {
		l.columns[k].values = Pick(l.columns[k].values, 1, rows)
	}
}

// readPartition takes the parts from a list of its own. That a picture has no row there is an error; with skip, it is
// left out.
func (l *labels) readPartition(fsys fs.FS, files, bases []string, skip bool) error {
	t, err := readList(fsys, l.source, files, bases)
	if err != nil {
		return err
	}
	if t == nil {
		l.note("no %s: the parts are not the official ones", bases[0])
		return nil
	}
	of := map[string]Split{}
	for i, name := range t.columns[0].values {
		text := t.columns[len(t.columns)-1].values[i]
		part := splitNames[text]
		if part == "" || len(text) != 1 {
			return malformed(t.list, "line %d: part %q: want 0, 1 or 2", t.lines[i], text)
		}
		if of[name] != "" {
			return malformed(t.list, "line %d: %q is there twice: get the list again", t.lines[i], name)
		}
		of[name] = part
	}
	var known []int
	for i, file := range l.files {
		part := of[path.Base(file)]
		if l.split = append(l.split, part); part != "" {
			known = append(known, i)
		} else if !skip {
			return &MissingError{malformed(t.list, "has no row for %s: get the list again", path.Base(file))}
		}
	}
	if len(known) == 0 {
		return malformed(t.list, "has no row for any picture: get the list again")
	}
	if left := len(l.files) - len(known); left > 0 {
		l.note("list %s: %d of %s left out: no row", path.Base(t.list), left, plural(len(l.files), "picture"))
		l.keep(known)
	}
	return nil
}

// folderParts takes the parts from the first folder that a list names of each picture.
func (l *labels) folderParts(written []string, parts map[string]Split) error {
	for i, file := range written {
		part, ok := parts[firstFolder(file)]
		if !ok {
			return malformed(l.list, "line %d: %q is neither in train nor in val, as this set's pictures are: say that the kind is %s", l.lines[i], file, KindImages)
		}
		l.split = append(l.split, part)
	}
	return nil
}

// firstFolder returns the folder that a list names first.
func firstFolder(file string) string {
	part, _, _ := strings.Cut(strings.ReplaceAll(strings.TrimPrefix(file, "./"), `\`, "/"), "/")
	return part
}

// isFairFace reports whether a labels.csv has FairFace's columns and part.
func isFairFace(fsys fs.FS, files []string) bool {
	for _, name := range within(files, "labels.csv") {
		t, err := readLabelTable(fsys, "", name)
		if err == nil && !slices.ContainsFunc(presetsOf()[KindFairFace].Columns, func(c string) bool { return t.place(c) < 0 }) && t.place("file") == 0 {
			return slices.ContainsFunc(t.columns[0].values, func(file string) bool { return firstFolder(file) == "val" })
		}
	}
	return false
}
