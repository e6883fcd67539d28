package dataset

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tattle/internal/data/sheet"
	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/shared"
)

func TestDecodeTable(t *testing.T) {
	for _, c := range []struct{ text, names, first string }{
		{"a,b\n1,x\n2,y\n", "a b", "1 2"},
		{"\ufeffa;b;c\n1;x, y;2\n2;y;2\n", "a b c", "1 2"},
		{"a\tb\n1\tx\n", "a b", "1"},
		{"a\tb\tc\n1\t\tx\n", "a b c", "1"}, // an empty field
		{"x,y\ny,x\ny,x\n", "x y", "y y"},
		{",b\n0,2\n1,5\n", " b", "0 1"},              // the row's number
		{"a, b\r\n 1 , x \r\n\r\n2,y", "a b", "1 2"}, // white space, an empty line, no last line end
		{"\"a\nb\",c\n1,2\n", "a\nb c", "1"},
	} {
		tab, err := decodeTable("test", []byte(c.text), nil)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		var names []string
		for _, col := range tab.columns {
			names = append(names, col.name)
		}
		if got := strings.Join(names, " "); got != c.names || strings.Join(tab.columns[0].values, " ") != c.first {
			t.Errorf("%q: columns %q, first %q; want %q, %q", c.text, got, tab.columns[0].values, c.names, c.first)
		}
	}
}

func TestDecodeTableRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "holds no rows"},
		{"\n\n", "holds no rows"},
		{"a,b\n", "holds a header and no rows"},
		{"1,2\n3,4\n", "has no header"},
		{"39,State-gov,low\n50,Private,high\n", "has no header: the first line holds the number 39"},
		{"a,b\n1,2\n3\n", "line 3 has 1 fields and the first row 2"},
		{"a,b\n1,\"2\n", "is not CSV"},
		{"\na,a,y,s\n.5,.1,0,1\n.25,.2,1,0\n", `line 2: columns 1 and 2 are both called "a": rename one`},
		{"a,\n1,2\n", "line 1: column 2 has no name"},
		{"a,gr\xf6\xdfe\n1,x\n", `line 1: "gr\xf6\xdfe" is not UTF-8`},
		{"a,b\n1,x\n2,\xe4\n", `line 3: "\xe4" is not UTF-8`},
		{strings.Repeat(",", sheet.MaxColumns) + "\n", "more than 99999 columns"},
	} {
		must.Fail(t, must.Err(decodeTable("test", []byte(c.text), nil)), c.want)
	}
	must.Fail(t, must.Err(decodeTable("test", []byte("1,2\n"), presetsOf()[KindAdult].Columns)), "has 2 columns, not the 15") // not Adult
}

// TestEncoders compares inputs with what they are by hand: numbers minus their
// mean over their standard deviation, categories one by one.
func TestEncoders(t *testing.T) {
	training := []int{0, 1, 2, 3}
	rows := []int{0, 1, 2, 3, 4, 5}
	s := float32(math.Sqrt(1.25)) // of 1, 2, 3, 4
	for _, c := range []struct {
		name, values string
		width        int
		want         []float32
	}{
		{"numbers", "1 2 3 4 10 2.5", 1, []float32{-1.5 / s, -.5 / s, .5 / s, 1.5 / s, 7.5 / s, 0}},
		{"missing", "1 3 NA 2 ? 2", 2, []float32{-1.2247449, 0, 1.2247449, 0, 0, 1, 0, 0, 0, 1, 0, 0}},
		{"only missing varies", "7 7 ? 7 7 8", 1, []float32{0, 0, 1, 0, 0, 0}},
		{"never missing in training", "1 2 3 4 ? 1", 1, []float32{-1.5 / s, -.5 / s, .5 / s, 1.5 / s, 0, -1.5 / s}},
		{"categories", "b a ? b c a", 3, []float32{0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
		{"constant", "1 1 1 1 2 2", 0, nil},
		{"constant category", "a a a a b b", 0, nil},
		{"large", "-1e308 1e308 -1e308 1e308 0 1e300", 1, []float32{-1, 1, -1, 1, 0, 1e-8}},
		{"small", "-1e-300 1e-300 -1e-300 1e-300 0 0", 1, []float32{-1, 1, -1, 1, 0, 0}},
		{"infinite is missing", "1 3 -inf 2 1e999 2", 2, []float32{-1.2247449, 0, 1.2247449, 0, 0, 1, 0, 0, 0, 1, 0, 0}},
		{"nothing is known", "? ? ? ? ? ?", 0, nil},
	} {
		e := newEncoder(column{values: strings.Fields(c.values)}, training)
		if e.width != c.width {
			t.Errorf("%s: %d inputs, want %d", c.name, e.width, c.width)
			continue
		}
		got := make([]float32, len(rows)*e.width)
		for k, i := range rows {
			if e.width > 0 {
				e.encode(got[k*e.width:][:e.width], i)
			}
		}
		for i, want := range c.want {
			if math.Abs(float64(got[i]-want)) > 1e-6 {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
				break
			}
		}
	}
}

// TestRareCategories has values v0 … v69, value k as often as 70−k, so that v64
// and above share an input, with those that training does not have.
func TestRareCategories(t *testing.T) {
	var values []string
	for k := range 70 {
		values = append(values, slices.Repeat([]string{fmt.Sprint("v", k)}, 70-k)...)
	}
	training := nn.Indices(len(values))
	values = append(values, "new")
	e := newEncoder(column{values: values}, training)
	if e.width != maxCategories+1 || len(e.categories) != maxCategories {
		t.Fatalf("%d inputs for %d values", e.width, len(e.categories))
	}
	for i, v := range values {
		row := make([]float32, e.width)
		e.encode(row, i)
		var k int
		fmt.Sscanf(v, "v%d", &k)
		last := row[e.width-1] == 1
		if ones := slices.Index(row, 1); ones < 0 || slices.Contains(row[ones+1:], 1) || last != (k >= 64 || v == "new") {
			t.Fatalf("%s: %v", v, row)
		}
	}
}

// csvOf writes a table of n rows: y says whether x ≥ 0, of x = −1, 1, −1, …,
// where s goes round three values.
func csvOf(n int) string {
	var b strings.Builder
	b.WriteString("x,noise,y,s,s_code\n")
	for i := range n {
		fmt.Fprintf(&b, "%d,%d,%s,%s,%d\n", 2*(i%2)-1, i*i%101, []string{"no", "yes"}[i%2], []string{"p", "q", "r"}[i/2%3], i/2%3)
	}
	return b.String()
}

func writeText(t *testing.T, path, text string) string {
	t.Helper()
	must.Do(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

func TestOpenTable(t *testing.T) {
	path := writeText(t, filepath.Join(t.TempDir(), "made.csv"), csvOf(600))
	p := must.Get(OpenParts(context.Background(), path, Options{Target: "s", Sensitive: []string{"Y"}}))(t)
	if p.Train.Name != "made" || p.Train.Len() != 432 || p.Validation.Len() != 48 || p.Test.Len() != 120 {
		t.Fatalf("%s: %d, %d and %d rows", p.Train.Name, p.Train.Len(), p.Validation.Len(), p.Test.Len())
	}
	// x follows from y, s_code from s: noise alone is left.
	if !slices.Equal(p.Train.Shape, []int{1}) || !strings.Contains(strings.Join(p.Notes, "\n"), "s_code is not an input: s determines it") {
		t.Fatalf("inputs %v, notes %q", p.Train.Shape, p.Notes)
	}
	mean, square := 0., 0.
	for _, v := range p.Train.Values {
		mean += float64(v) / 432
		square += float64(v) * float64(v) / 432
	}
	if math.Abs(mean) > 1e-6 || math.Abs(square-1) > 1e-6 {
		t.Fatalf("training inputs have mean %v and square %v", mean, square)
	}
	lo, hi := p.Train.Range()
	if lo[0] != slices.Min(p.Train.Values) || hi[0] != slices.Max(p.Train.Values) || p.Train.Denormalize(2, 0) != 2 {
		t.Fatalf("range %v … %v", lo, hi)
	}
	part := p.Test.Subset([]int{3, 0})
	x := make([]float32, 2)
	part.Examples(x, []int{1, 0})
	if x[0] != p.Test.Values[0] || x[1] != p.Test.Values[3] || part.SHA256 == p.Test.SHA256 {
		t.Fatalf("rows 0 and 3: %v", x)
	}
}

func TestOpenTableInParts(t *testing.T) {
	dir := t.TempDir()
	writeText(t, filepath.Join(dir, "train.csv"), csvOf(100))
	writeText(t, filepath.Join(dir, "test.csv"), csvOf(30))
	writeText(t, filepath.Join(dir, "validation.csv"), csvOf(12))
	p, err := OpenParts(context.Background(), dir, Options{Target: "y"})
	must.Do(t, err)
	if p.Train.Len() != 100 || p.Validation.Len() != 12 || p.Test.Len() != 30 || len(p.Train.Source) != 3 {
		t.Fatalf("%d, %d and %d rows of %v", p.Train.Len(), p.Validation.Len(), p.Test.Len(), p.Train.Source)
	}
	writeText(t, filepath.Join(dir, "test.csv"), "x,y\n1,2\n")
	must.Fail(t, must.Err(OpenParts(context.Background(), dir, Options{Target: "y"})), "its columns are not those of") // other columns
	marked := "x,y,split\n1,a,train\n2,b,train\n3,a,val\n4,b,val\n5,a,test\n6,b,test\n7,b,test\n"
	path := writeText(t, filepath.Join(dir, "marked.csv"), marked)
	p, err = OpenParts(context.Background(), path, Options{Target: "y"})
	if err != nil || p.Train.Len() != 2 || p.Validation.Len() != 2 || p.Test.Len() != 3 || p.Train.Shape[0] != 1 {
		t.Fatalf("%+v, %v", p, err)
	}
}

func TestOpenTableRefuses(t *testing.T) {
	dir := t.TempDir()
	for i, c := range []struct {
		text string
		o    Options
		want string
	}{
		{csvOf(60), Options{}, "which column is the target? it has x, noise, y, s, s_code"},
		{strings.Repeat("x,", 50) + "y\n" + strings.Repeat("1,", 50) + "0\n", Options{Target: "z"}, `columns 1 and 2 are both called "x"`},
		{strings.Join(ClassNumbers(51), ",") + ",y\n" + strings.Repeat("1,", 51) + "0\n", Options{Target: "z"}, "11 and 40 more"},
		{csvOf(60), Options{Target: "z"}, `no column "z": it has x, noise, y, s, s_code`},
		{csvOf(60), Options{Target: "noise <30, >=30"}, `no column "noise <30, >=30": write a colon behind "noise"`},
		{csvOf(60), Options{Target: "y", Sensitive: []string{"x: 1; 2"}}, `class "2" of x has no example`},
		{csvOf(60), Options{Target: "y", Sensitive: []string{"s: p; =7"}}, `class "=7" of s has no example`},
		{csvOf(60), Options{Target: "noise: <=1000; >1000"}, `class ">1000" of noise has no example`},
		{csvOf(2), Options{Target: "y"}, "2 rows, which leaves no validation example: give at least 12"},
		{"a,b\n1,2\n1,3\n", Options{Target: "a"}, "a is constant (1)"},
		{"a,b\n" + strings.Repeat("x,1\ny,1\n", 50), Options{Target: "a"}, "no column is left for the inputs"},
		{csvOf(60), Options{Target: "y", Kind: "tables"}, `no kind of data "tables"`},
		{csvOf(60), Options{Target: "y", Side: -1}, "no negative number"},
	} {
		path := writeText(t, filepath.Join(dir, fmt.Sprint(i, ".csv")), c.text)
		must.Fail(t, must.Err(OpenParts(context.Background(), path, c.o)), c.want)
	}
	must.Fail(t, must.Err(OpenParts(context.Background(), t.TempDir(), Options{Kind: KindAdult})), "no adult.data") // an empty folder
}

func FuzzTable(f *testing.F) {
	f.Add([]byte(csvOf(20)), "y", "s")
	f.Add([]byte("a;b\n1;2\n"), "a", "b: *; 2")
	f.Add([]byte("x,y,split\n1,a,train\n2,b,test\n"), "y", "x")
	f.Add([]byte("\"a\nb\",c\n1,?\n,\n"), "c", "c: <1; >=1")
	f.Fuzz(func(t *testing.T, data []byte, target, sensitive string) {
		tab, err := decodeTable("fuzz", data, nil)
		if err != nil {
			return
		}
		if n := tab.rows() * len(tab.columns); n > len(data)+1 {
			t.Fatalf("%d fields of %d bytes", n, len(data))
		}
		src, err := fromTables(tab, nil, Options{})
		if err != nil {
			return
		}
		p, err := src.parts(context.Background(), Options{Target: target, Sensitive: []string{sensitive}})
		if err != nil {
			return
		}
		for _, s := range []*Set{p.Train, p.Validation, p.Test} {
			if len(s.Values) != s.Len()*s.Shape[0] || len(s.Sensitive) != 1 || len(s.Sensitive[0].Labels) != s.Len() {
				t.Fatalf("%d values of %d rows of %d", len(s.Values), s.Len(), s.Shape[0])
			}
			for _, v := range s.Values {
				if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
					t.Fatalf("an input is %v", v)
				}
			}
		}
	})
}

func TestRealAdult(t *testing.T) {
	shared.Long(t, "reads Adult")
	dir := shared.Path(t, "data/adult")
	p := must.Get(OpenParts(context.Background(), dir, Options{}))(t)
	count := func(labels []int) (n int) {
		for _, v := range labels {
			n += v
		}
		return n
	}
	// UCI's figures: 32,561 and 16,281 people, of whom 7,841 and 3,846 have more
	// than 50 K, and 21,790 and 10,860 are men.
	rich := count(p.Train.Y) + count(p.Validation.Y)
	men := count(p.Train.Sensitive[0].Labels) + count(p.Validation.Sensitive[0].Labels)
	if p.Train.Len()+p.Validation.Len() != 32561 || rich != 7841 || men != 21790 || p.Validation.Len() != 3256 {
		t.Errorf("training: %d and %d people, %d rich, %d men", p.Train.Len(), p.Validation.Len(), rich, men)
	}
	if p.Test.Len() != 16281 || count(p.Test.Y) != 3846 || count(p.Test.Sensitive[0].Labels) != 10860 {
		t.Errorf("test: %d people, %d rich, %d men", p.Test.Len(), count(p.Test.Y), count(p.Test.Sensitive[0].Labels))
	}
	// Six numbers, and the values of 9 − 1 = 7 categorical inputs (sex is not
	// one): 9, 16, 7, 15, 6, 5 and 42.
	if p.Train.Shape[0] != 6+9+16+7+15+6+5+42 {
		t.Errorf("%d inputs", p.Train.Shape[0])
	}
	if p.Train.YName != "income" || p.Train.YNames[1] != ">50K" || p.Train.Sensitive[0].Values[1] != "Male" {
		t.Errorf("%s %q %q", p.Train.YName, p.Train.YNames, p.Train.Sensitive[0].Values)
	}
}

// TestTableNotes: there are notes on what would surprise the reader of a table.
func TestTableNotes(t *testing.T) {
	var b strings.Builder
	b.WriteString(",years,band,odd,height,fixed,kind\n")
	for i := range 300 {
		height := fmt.Sprint(150 + i*37%50)
		if i == 7 {
			height = "17O"
		}
		fmt.Fprintf(&b, "%d,%d,%d,%d,%s,7,x\n", i, i%20, i%20/10, i%3%2, height)
	}
	path := filepath.Join(t.TempDir(), "t.csv")
	must.Do(t, os.WriteFile(path, []byte(b.String()), 0o666))
	open := func(target string) *Parts {
		return must.Get(OpenParts(t.Context(), path, Options{Target: target, Sensitive: []string{"odd"}}))(t)
	}
	p := open("band")
	notes := strings.Join(p.Notes, "\n")
	for _, want := range []string{
		"the first column has no name: it is not an input",
		"years is an input and determines band",
		"constant in the training part, and therefore no inputs: fixed, kind",
		`height is read as categories, not numbers: it has the value "17O"`,
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("no note says %q:\n%s", want, notes)
		}
	}
	if width := p.Train.Shape[0]; width < 40 || width > 52 {
		t.Errorf("%d inputs: want years and the heights", width)
	}
	if notes = strings.Join(open("years: <10; >=10").Notes, "\n"); !strings.Contains(notes, "band is not an input: years determines it") {
		t.Errorf("a column that follows from the target is an input:\n%s", notes)
	}
	// Ages have too many values for anything to be derived from them; classes few.
	rows := column{name: "age"}
	flag := column{name: "minor"}
	for i := range 100 {
		rows.values = append(rows.values, strconv.Itoa(i*7%90))
		flag.values = append(flag.values, strconv.FormatBool(i*7%90 < 18))
	}
	r := &tableReader{origin: &origin{labels: &labels{columns: []column{rows, flag}}}}
	c := new(chosen)
	c.target = must.Get(r.attribute("age: <18; >=18", false, false, c))(t)
	if !r.givenAway(flag, r.answers(c)) {
		t.Error("minor, which says the target's class, is an input")
	}
}

// TestColumnOfParts: a column split that leaves rows without a part is refused, one that names the
// test part alone leaves no training rows, and one of other words or numbers is an input.
func TestColumnOfParts(t *testing.T) {
	for values, want := range map[string]string{
		"train,test,,train":    `example 3: "" names no part`,
		",test,train,train":    `example 1: "" names no part`,
		"test,test,other,test": `example 3: "other" names no part`,
		"test,test,test,test":  "names no training rows",
		"0,1,7,0":              "",
		"up,down,up,down":      "",
		"1,1,1,1":              "",
		"0,0,2,1":              "",
	} {
		text := "a,split,label\n"
		for i := range 40 {
			text += fmt.Sprintf("%d,%s,%d\n", i%7, strings.Split(values, ",")[i%4], i%3%2)
		}
		path := writeText(t, filepath.Join(t.TempDir(), "t.csv"), text)
		_, _, err := OpenInputs(t.Context(), path, Options{Target: "label"})
		if want == "" {
			must.Do(t, err, values)
		} else {
			must.Fail(t, err, want)
		}
	}
}

// A model gets the same inputs whichever sensitive column is asked for later. If that column is an input of the
// model, it stays one.
func TestInputsOf(t *testing.T) {
	var text strings.Builder
	text.WriteString("a,s1,s2,y\n")
	for i := range 200 {
		s2 := []string{"u", "v"}[i/3%2]
		if i%50 == 7 {
			s2 = "" // left out where s2 is asked for
		}
		fmt.Fprintf(&text, "%d,%s,%s,%d\n", i*i%17, []string{"f", "m"}[i%2], s2, i/5%2)
	}
	path := filepath.Join(t.TempDir(), "d.csv")
	must.Do(t, os.WriteFile(path, []byte(text.String()), 0o600))
	open := func(of *Options, sensitive string) *Parts {
		return must.Get(OpenParts(t.Context(), path, Options{Target: "y", Sensitive: []string{sensitive}, Seed: 1, InputsOf: of}))(t)
	}
	trained := open(nil, "s1")
	asked := open(&Options{Target: "y", Sensitive: []string{"s1"}, Seed: 1}, "s2")
	row := func(s *Set, i int) string {
		w := s.size()
		return fmt.Sprint(s.Y[i], s.Values[i*w:][:w])
	}
	rows := map[string]bool{}
	for i := range trained.Test.Len() {
		rows[row(trained.Test, i)] = true
	}
	for i := range asked.Test.Len() {
		if got := row(asked.Test, i); !rows[got] {
			t.Fatalf("row %d was not one of those that the model learned to take: %s", i, got)
		}
	}
	if asked.Test.Len() == trained.Test.Len() || asked.Test.Sensitive[0].Name != "s2" {
		t.Errorf("%d of %d rows, by %s", asked.Test.Len(), trained.Test.Len(), asked.Test.Sensitive[0].Name)
	}
}
