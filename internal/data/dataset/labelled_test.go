package dataset

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
)

// divided makes a division of n rows without parts of their own.
func divided(n int, seed uint64) *division {
	src := &origin{labels: &labels{columns: []column{{name: "a", values: make([]string, n)}}}}
	return src.divide(seed, nil)
}

func TestDivide(t *testing.T) {
	d := divided(1000, 7)
	if len(d.rows[trainPart]) != 720 || len(d.rows[validationPart]) != 80 || len(d.rows[testPart]) != 200 {
		t.Fatalf("%d, %d and %d rows", len(d.rows[0]), len(d.rows[1]), len(d.rows[2]))
	}
	all := d.order()
	slices.Sort(all)
	if !slices.Equal(all, nn.Indices(1000)) {
		t.Fatal("the parts do not have every row once")
	}
	for part, rows := range d.rows {
		again, other := divided(1000, 7), divided(1000, 8)
		if !slices.IsSorted(rows) || !slices.Equal(again.rows[part], rows) || slices.Equal(other.rows[part], rows) {
			t.Errorf("part %d is not in order, or not drawn by the seed", part)
		}
	}
	a := Attribute{Name: "a", Values: []string{"x", "y"}, Labels: make([]int, 1000)}
	for i := range a.Labels {
		a.Labels[i] = i%3 - 1
	}
	test := len(slices.DeleteFunc(slices.Clone(d.rows[testPart]), func(i int) bool { return i%3 == 0 }))
	d.leaveOut(&chosen{target: a})
	if len(d.order()) != 666 || len(d.rows[testPart]) != test {
		t.Fatalf("%d rows are left, %d of test", len(d.order()), len(d.rows[testPart]))
	}
	must.Do(t, d.limit(Options{Limit: Limit{Most: 50}, Seed: 7}))
	if len(d.rows[trainPart]) != 50 || !slices.IsSorted(d.rows[trainPart]) || len(d.rows[testPart]) != 50 {
		t.Fatalf("%d training rows", len(d.rows[trainPart]))
	}
	notes := strings.Join(d.notes, "\n")
	for _, want := range []string{"the data has no test part: 200 of 1000", "no validation part: 80 of 800", "334 of 1000 examples left out: a falls in none of the classes x; y", "50 of "} {
		if !strings.Contains(notes, want) {
			t.Errorf("no note says %q:\n%s", want, notes)
		}
	}
}

func TestOpenGlyphParts(t *testing.T) {
	o := Options{Limit: Limit{Most: 180}, Seed: 3, Target: "digit: 0,2,4,6,8; *", Sensitive: []string{"family", "family: bold; *"}}
	p := must.Get(OpenParts(context.Background(), "glyphs", o))(t)
	if p.Train.Len() != 180 || p.Validation.Len() != 180 || p.Test.Len() != 180 {
		t.Fatalf("%d, %d and %d glyphs", p.Train.Len(), p.Validation.Len(), p.Test.Len())
	}
	drawn := Glyphs(GlyphOptions{N: 2000, Seed: 3, Split: Test}).Subset(must.Get(o.Limit.of(2000, 3))(t))
	if !bytes.Equal(p.Test.Pixels, drawn.Pixels) || p.Test.Mean[0] != drawn.Mean[0] {
		t.Error("the test part has other pictures than the glyphs drawn")
	}
	for i, digit := range drawn.Y {
		family := drawn.Sensitive[0].Labels[i]
		if p.Test.Y[i] != digit%2 || p.Test.Sensitive[0].Labels[i] != family || (p.Test.Sensitive[1].Labels[i] == 0) != (family == 1) {
			t.Fatalf("glyph %d: %d of family %d has labels %d, %d, %d", i, digit, family, p.Test.Y[i], p.Test.Sensitive[0].Labels[i], p.Test.Sensitive[1].Labels[i])
		}
	}
	if got := p.Test.Answers([]int{1, 0}, []string{"family"}); got[1] != 5*p.Test.Y[0]+p.Test.Sensitive[0].Labels[0] {
		t.Errorf("answers %v", got)
	}
	if names := p.Test.Sensitive; names[0].Name != "family" || names[1].Name != "family-2" || names[0].Values[4] != "small caps" {
		t.Errorf("%q %q %q", names[0].Name, names[1].Name, names[0].Values)
	}
	must.Fail(t, must.Err(OpenParts(context.Background(), "glyphs", Options{Side: 32})), "leave the side out")
}

func TestOpenDigitParts(t *testing.T) {
	digits := func(n int) []byte {
		list := make([]byte, n)
		for i := range list {
			list[i] = byte(i % 3)
		}
		return classes(list...)
	}
	dir := folder(t, map[string][]byte{
		"train-images-idx3-ubyte": pictures(60), "train-labels-idx1-ubyte": digits(60),
		"t10k-images-idx3-ubyte": pictures(9), "t10k-labels-idx1-ubyte": digits(9),
	})
	p, err := OpenParts(context.Background(), dir, Options{})
	must.Do(t, err)
	if p.Train.Len() != 54 || p.Validation.Len() != 6 || !slices.Equal(p.Test.Y, []int{0, 1, 2, 0, 1, 2, 0, 1, 2}) || p.Train.YName != "digit" {
		t.Fatalf("%d, %d, %v of %s", p.Train.Len(), p.Validation.Len(), p.Test.Y, p.Train.YName)
	}
	must.Fail(t, must.Err(OpenParts(context.Background(), dir, Options{Sensitive: []string{"writer"}})), `no column "writer": it has digit; QMNIST's labels say the writers`) // no writers
	one := filepath.Join(dir, "train-images-idx3-ubyte")
	if p, err = OpenParts(context.Background(), one, Options{Kind: "mnist"}); err != nil || p.Test.Len() != 12 || p.Train.Len() != 44 {
		t.Fatalf("%+v, %v", p, err)
	}
	must.Fail(t, must.Err(OpenParts(context.Background(), dir, Options{Side: 64})), "are not resized to 64") // another side
}

// TestPicturesKeepTheirLabels compares every picture of every part with the file
// of the same name decoded by itself, through rules and limits.
func TestPicturesKeepTheirLabels(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "faces")
	must.Do(t, WriteFaces(t.Context(), dir, 103, 4))
	const side, size = 16, 3 * 16 * 16
	nameOf := namesByPixels(t, dir, side)
	for _, o := range []Options{
		{Target: "age: <30; >=30", Limit: Limit{Most: 20}},
		{Target: "race: black; asian, white"},
		{Target: "age: <30; >=30"},
		{Target: "age: <30; >=30", Limit: Limit{Most: 50}},
	} {
		o.Sensitive, o.Side = []string{"gender"}, side
		p := must.Get(OpenParts(t.Context(), dir, o))(t)
		for _, s := range []*Set{p.Train, p.Validation, p.Test} {
			for i, y := range s.Y {
				row, ok := parseUTKFace(nameOf[string(s.Pixels[i*size:][:size])])
				age, _ := strconv.Atoi(row[0])
				old := !strings.HasPrefix(o.Target, "race") && (y == 1) != (age >= 30)
				other := strings.HasPrefix(o.Target, "race") && (y == 0) != (row[2] == "Black")
				if gender := s.Sensitive[0]; !ok || old || other || gender.Values[gender.Labels[i]] != row[1] {
					t.Fatalf("%+v: a picture of %+v has labels %s and %s", o, row, s.YNames[y], gender.Values[gender.Labels[i]])
				}
			}
		}
	}
}

// namesByPixels decodes every picture below a folder by itself.
func namesByPixels(t *testing.T, dir string, side int) map[string]string {
	fsys := os.DirFS(dir)
	names, _ := must.Get2(listPictures(fsys, dir))(t)
	nameOf := map[string]string{}
	for _, name := range names {
		one := must.Get(squares(t, fsys, []string{name}, "", side))(t)
		nameOf[string(one)] = name
	}
	return nameOf
}

// A class that only a limit leaves without examples is not said to have none.
func TestLimitWithoutClass(t *testing.T) {
	must.Fail(t, must.Err(OpenParts(t.Context(), "glyphs", Options{Kind: KindGlyphs, Limit: Limit{Most: 2}})), "has none of the 2 training examples that are read: read more")
}

// TestFacesAreKeyed asks that face i be the same whatever n is and however many
// cores take part.
func TestFacesAreKeyed(t *testing.T) {
	root := t.TempDir()
	few, many := filepath.Join(root, "few"), filepath.Join(root, "many")
	for dir, n := range map[string]int{few: 5, many: 40} {
		must.Do(t, WriteFaces(context.Background(), dir, n, 9))
	}
	for _, face := range must.Get(os.ReadDir(few))(t) {
		a, err1 := os.ReadFile(filepath.Join(few, face.Name()))
		b, err2 := os.ReadFile(filepath.Join(many, face.Name()))
		if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: %v, %v, or not the same", face.Name(), err1, err2)
		}
	}
	img := paint([]ellipse{{.3, -.2, .1, .1, white}}, newDraws(9, KindUTKFace, 2))
	if bright, dark := img.RGBAAt(80, 30).G, img.RGBAAt(30, 80).G; bright < 150 || dark > 100 {
		t.Errorf("the ellipse is drawn elsewhere: %d, %d", bright, dark)
	}
	for _, age := range []float64{0, .2, .9} {
		if n := len(shapes(looks[0], age, true, newDraws(1, "", 1))); n != 9+int(5*age+.4) {
			t.Errorf("age %g: %d ellipses", age, n)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if err := WriteFaces(ctx, filepath.Join(root, "stopped"), 5, 9); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	must.Fail(t, WriteFaces(ctx, few, 1, 1), "not empty")
}

// TestShortcuts compares B's Tables 10 and 11 with the tables typed as the last age of each class, and as the class of each race.
func TestShortcuts(t *testing.T) {
	src := &origin{labels: &labels{columns: []column{{name: "age"}, {name: "race"}}}}
	for years := range 117 {
		src.columns[0].values = append(src.columns[0].values, strconv.Itoa(years))
		src.columns[1].values = append(src.columns[1].values, presetsOf()[KindUTKFace].Listed["race"][years%5])
	}
	src.take(presetsOf()[KindUTKFace])
	for name, c := range map[string]struct {
		ages  []int
		races string
	}{
		"age2": {ages: []int{30}}, "age3": {ages: []int{20, 35}}, "age4": {ages: []int{21, 29, 45}}, "age5": {ages: []int{19, 26, 34, 49}},
		"race2": {races: "01111"}, "race3": {races: "02122"}, "race4": {races: "01323"}, "race5": {races: "01234"}, "race": {races: "01234"},
	} {
		a, err := src.attribute(name, false, false, new(chosen))
		if err != nil || a.Name != name {
			t.Fatalf("%s: %s, %v", name, a.Name, err)
		}
		for years, got := range a.Labels {
			want, _ := slices.BinarySearch(c.ages, years)
			if c.races != "" {
				want = int(c.races[years%5] - '0')
			}
			if got != want {
				t.Errorf("%s of %d years: class %d, want %d", name, years, got, want)
			}
		}
	}
}
