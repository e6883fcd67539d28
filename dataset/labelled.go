package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
)

// LabelledOptions says what [OpenParts] reads; the zero value takes the kind
// from the path and the target and sensitive attributes from the kind.
type LabelledOptions struct {
	Kind        string   // one of [OpenParts]'s kinds; "" is guessed from the path
	Labels      string   // CSV with the labels of pictures; "" is labels.csv among them. Of mnist: the folder of QMNIST's labels; "" is the pictures' own
	FileColumn  string   // of Labels: names the pictures; "" is file, filename, path, image or the first column
	SkipMissing bool     // leave out rows without a picture and pictures without a row, and note how many; otherwise they are an error
	Target      string   // a [Rule] or a shortcut; "" is the kind's own: digit, class, income, gender
	Sensitive   []string // rules or shortcuts; none: the kind's own where it has one: writer, family, sex
	Numbers     bool     // NAME:number in Sensitive takes the numbers of a column
	Side        int      // of pictures, in pixels; 0 is DefaultSide (glyphs: 28, in grey)
	Seed        uint64   // of parts that the data does not fix, of Limit's choice, and of glyphs
	Cache       string   // of decoded pictures: "" is beside the data, "none", or a folder
	Limit       int      // the most training examples, chosen by Seed; 0 is all
	Progress    func(done, total int)
}

// DefaultSide is the side that pictures are resized to: B's.
const DefaultSide = 64

// Kinds of data that [OpenParts] reads.
const (
	KindUTKFace  = "utkface"  // names age_gender_race_date.jpg
	KindCelebA   = "celeba"   // list_attr_celeba.txt
	KindFairFace = "fairface" // labels.csv; folders train and val
	KindImages   = "images"   // a folder or zip with a CSV of labels
	KindAdult    = "adult"    // UCI Adult: adult.data, adult.test
	KindTable    = "table"    // any CSV
	KindMNIST    = "mnist"    // whatever [Open] reads, with QMNIST's labels where they are
	KindGlyphs   = "glyphs"   // drawn here; the path is not looked at
)

// labelledKinds lists the kinds of data that [OpenParts] reads.
func labelledKinds() []string {
	return []string{KindUTKFace, KindCelebA, KindFairFace, KindImages, KindAdult, KindTable, KindMNIST, KindGlyphs}
}

// Parts is a data set in three: what is learned from, what is chosen by, and
// what is measured on.
type Parts struct {
	Train, Validation, Test *Set
	Notes                   []string // what a reader wants to know: rows left out, how it was divided
}

// Sum returns the SHA-256 of all three parts.
func (p *Parts) Sum() string {
	h := sha256.New()
	for _, s := range []*Set{p.Train, p.Validation, p.Test} {
		if s != nil {
			io.WriteString(h, s.SHA256+"\n")
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// OpenParts reads labelled data in three parts. Parts that the data comes in
// are kept; where it has no test part a fifth becomes one, and where it has no
// validation part a tenth of the training part, drawn by Seed and put down in
// Notes. UTKFace is divided as B's authors divided it, whatever the seed.
//
// Rows that fall in no class of a rule are left out, after the division, so that
// rules do not move examples from one part to another. So are those of a value of a sensitive
// column, named without a rule, that has no training or no test example. It returns an error if
// another class is left without an example in training or test, or an attribute with one class.
func OpenParts(ctx context.Context, path string, o LabelledOptions) (*Parts, error) {
	src, err := openOrigin(path, o)
	if err != nil {
		return nil, err
	}
	defer src.close()
	return src.parts(ctx, o)
}

// parts chooses the attributes, divides the rows, and reads the inputs.
func (src *origin) parts(ctx context.Context, o LabelledOptions) (*Parts, error) {
	chosen, err := src.choose(o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", src.labels.source, err)
	}
	d := src.divide(o.Seed)
	d.leaveOut(chosen)
	d.limit(o.Limit, o.Seed)
	d.dropRare(chosen)
	if err := d.check(chosen); err != nil {
		return nil, fmt.Errorf("%s: %w", src.labels.source, err)
	}
	sets, err := src.inputs(ctx, d, chosen)
	if err != nil {
		return nil, err
	}
	for i, set := range sets {
		chosen.fill(set, d.rows[i])
		set.Name = src.name
		set.finish()
	}
	notes := append(append(src.labels.notes, d.notes...), src.notes...)
	return &Parts{Train: sets[0], Validation: sets[1], Test: sets[2], Notes: notes}, nil
}

// origin is data whose labels are known and whose inputs are not read yet.
type origin struct {
	labels    *labels
	name      string            // of the set
	target    string            // the kind's own rule; "" if it has none
	sensitive []string          // the kind's own rules
	shortcuts map[string]string // names that stand for rules
	sorted    bool              // the classes of the target are its sorted values, be they numbers or not
	elsewhere map[string]string // columns that are not there, and where they are
	notes     []string          // of reading the inputs
	close     func()
	fsys      fs.FS // that pictures are in; nil for other data

	// inputs makes the sets of the three parts, without labels.
	inputs func(ctx context.Context, d *division, c *chosen) ([3]*Set, error)
}

// openOrigin reads the labels.
func openOrigin(path string, o LabelledOptions) (*origin, error) {
	kind, err := kindOf(path, o.Kind, o.Labels, labelledKinds())
	if err != nil {
		return nil, err
	}
	if o.Limit < 0 || o.Side < 0 {
		return nil, fmt.Errorf("%d training examples of side %d: want no negative numbers", o.Limit, o.Side)
	}
	switch kind {
	case KindMNIST:
		return openDigits(path, o)
	case KindGlyphs:
		return drawGlyphs(o)
	case KindAdult:
		return openAdult(path)
	case KindTable:
		return openTable(path)
	}
	return openPictures(path, kind, o)
}

// chosen is the target and the sensitive attributes of every row, −1 if a
// row falls in none.
type chosen struct {
	target    Attribute
	sensitive []Attribute
	plain     []bool // of each of sensitive: its classes are its values, not those of a rule
	columns   []int  // that they are made of
}

// all lists the target and the sensitive attributes.
func (c *chosen) all() []Attribute { return append([]Attribute{c.target}, c.sensitive...) }

// choose applies the rules.
func (src *origin) choose(o LabelledOptions) (*chosen, error) {
	target, sensitive := o.Target, o.Sensitive
	if target == "" {
		target = src.target
	}
	if target == "" {
		return nil, fmt.Errorf("which column is the target? it has %s", strings.Join(src.labels.names(), ", "))
	}
	c := new(chosen)
	var err error
	if c.target, err = src.attribute(target, c); err != nil {
		return nil, err
	}
	if len(sensitive) == 0 { // the kind's own, but for what is the target already
		sensitive = slices.DeleteFunc(slices.Clone(src.sensitive), func(name string) bool {
			k, err := src.labels.find(name)
			return err == nil && slices.Contains(c.columns, k)
		})
	}
	taken := map[string]bool{}
	for _, text := range sensitive {
		a, err := src.sensitiveAttribute(text, o.Numbers, c)
		if err != nil {
			return nil, err
		}
		for k, name := 2, a.Name; taken[a.Name]; k++ {
			a.Name = fmt.Sprintf("%s-%d", name, k)
		}
		taken[a.Name] = true
		r, _ := ParseRule(strings.TrimSuffix(text, NumberSuffix))
		c.sensitive, c.plain = append(c.sensitive, a), append(c.plain, len(r.classes) == 0 && src.shortcuts[folded(r.column)] == "")
	}
	return c, nil
}

// NumberSuffix follows the name of a column whose numbers are a sensitive attribute.
const NumberSuffix = ":number"

// largestNumber is the largest magnitude of a number of an attribute: its square is finite.
const largestNumber = 1e100

// sensitiveAttribute is attribute or, where numbers are allowed, the numbers of a column.
func (src *origin) sensitiveAttribute(text string, numeric bool, c *chosen) (Attribute, error) {
	name, ok := strings.CutSuffix(strings.TrimSpace(text), NumberSuffix)
	if !ok {
		return src.attribute(text, c)
	}
	k, err := src.labels.find(strings.TrimSpace(name))
	if err != nil {
		return Attribute{}, err
	}
	if !numeric {
		return Attribute{}, fmt.Errorf("%s: numbers are no attribute here: make classes of them, as in \"%s: <0, >=0\"", text, strings.TrimSpace(name))
	}
	c.columns = append(c.columns, k)
	return numbers(src.labels.columns[k])
}

// numbers makes a numeric attribute of a column. Rows without a value have the label −1 until the
// rows are chosen (see Attribute.of).
func numbers(c column) (Attribute, error) {
	a := Attribute{Name: c.name, Labels: make([]int, len(c.values)), Numbers: make([]float64, len(c.values))}
	for i, v := range c.values {
		if v == "" {
			a.Labels[i] = -1
			continue
		}
		x, err := strconv.ParseFloat(v, 64)
		if err != nil || !(math.Abs(x) <= largestNumber) {
			return a, fmt.Errorf("%s has the value %q: want numbers up to %g in magnitude, or classes without %s", c.name, v, largestNumber, NumberSuffix)
		}
		a.Numbers[i] = x
	}
	return a, nil
}

// of returns the attribute of the rows, which all have a value.
func (a Attribute) of(rows []int) Attribute {
	a.Labels, a.Numbers = pick(a.Labels, 1, rows), pick(a.Numbers, 1, rows)
	if a.Numbers != nil {
		a.Labels = nil
	}
	return a
}

// classWords says what a row must have not to be left out.
func (a *Attribute) classWords() string {
	if a.Numeric() {
		return "has no number"
	}
	return "falls in none of the classes " + strings.Join(a.Values, "; ")
}

// attribute applies one rule, or the one that a shortcut stands for.
func (src *origin) attribute(text string, c *chosen) (Attribute, error) {
	r, err := ParseRule(text)
	if err != nil {
		return Attribute{}, err
	}
	if long := src.shortcuts[folded(r.column)]; len(r.classes) == 0 && long != "" {
		name := folded(r.column)
		if r, err = ParseRule(long); err != nil {
			return Attribute{}, err
		}
		r.name = name
	}
	k, err := src.labels.find(r.column)
	if hint := src.elsewhere[folded(r.column)]; err != nil && hint != "" {
		err = fmt.Errorf("%w; %s", err, hint)
	}
	if err != nil {
		return Attribute{}, err
	}
	c.columns = append(c.columns, k)
	a, err := r.apply(src.labels.columns[k])
	if err != nil {
		return a, err
	}
	if len(a.Values) < 2 {
		return a, fmt.Errorf("%s is constant (%s): want an attribute of two classes or more", a.Name, strings.Join(a.Values, ""))
	}
	if class := absent(a, complete(nil, len(a.Labels))); class >= 0 {
		return a, fmt.Errorf("class %q of %s has no example: correct the rule, or leave the class out", a.Values[class], a.Name)
	}
	return a, nil
}

// fill gives a set the labels of its rows.
func (c *chosen) fill(s *Set, rows []int) {
	s.YName, s.YNames = c.target.Name, c.target.Values
	s.Y = pick(c.target.Labels, 1, rows)
	for _, a := range c.sensitive {
		s.Sensitive = append(s.Sensitive, a.of(rows))
	}
}

// folded is a column's name as it is compared: case, blanks, underscores and
// dashes do not matter.
func folded(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", " ", "", "-", "").Replace(name))
}

// aliases are B's names of CelebA's attributes where they differ, folded.
var aliases = map[string]string{
	"mouthopen":  "mouthslightlyopen",
	"highcheeks": "highcheekbones",
	"lipstick":   "wearinglipstick",
}

// find returns the column of a name.
func (l *labels) find(name string) (int, error) {
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
	return 0, fmt.Errorf("no column %q: it has %s", name, strings.Join(l.names(), ", "))
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
		return len(l.files)
	}
	return len(l.columns[0].values)
}

// labels is what is known of the examples before any picture is decoded: one
// row an example.
type labels struct {
	source  string   // file or folder, for errors
	files   []string // names inside the file system; nil for tables
	columns []column // as text
	split   []Split  // "" if the source does not say; nil if it says of none
	notes   []string // what a reader wants to know: files left out, and why
}

// column is one attribute of every example, as the source writes it.
type column struct {
	name   string
	values []string
}
