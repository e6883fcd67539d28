package dataset

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tattle/internal/must"
)

// The same vectors are read from an .npz, a .npy and a CSV, as they are, with labels of their rows.
func TestVectors(t *testing.T) {
	dir := t.TempDir()
	const n = 40
	var values []float32
	var sex, split []string
	var person []int64
	text := "person,sex,e_0,e_1,split\n"
	for i := range n {
		a, b := float32(i)/4, float32(-i)
		values, sex, person = append(values, a, b), append(sex, "fm"[i%2:i%2+1]), append(person, int64(i/2))
		split = append(split, []string{"train", "test"}[i/30])
		text += fmt.Sprintf("%d,%s,%v,%v,%s\n", i/2, sex[i], a, b, split[i])
	}
	csv, alone := filepath.Join(dir, "v.csv"), npyOf(t, []int{n, 2}, values)
	must.Do(t, os.WriteFile(csv, []byte(text), 0o666))
	npz := npzOf(t, false, part{"emb", []int{n, 2}, values}, part{"other", []int{3}, []float32{1, 2, 3}}, part{"person", []int{n}, person}, part{"sex", []int{n}, sex}, part{"split", []int{n}, split})
	read := func(path string, o Options) (*Set, []string) {
		o.Kind = KindVectors
		set, notes, err := OpenInputs(context.Background(), path, o)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		return set, notes
	}
	for _, path := range []string{csv, npz} {
		o := Options{Sensitive: []string{"sex"}, Target: NoTarget, Part: Train}
		if path == csv {
			o.Group = "person" // of an .npz its name is enough
		} else if _, notes := read(path, o); !slices.Contains(notes, "array other left out: it has 3 entries for 40 vectors") {
			t.Errorf("%q do not say what is left out", notes)
		}
		set, _ := read(path, o)
		if !slices.Equal(set.Values, values[:60]) || !slices.Equal(set.Shape, []int{2}) || set.Y != nil {
			t.Errorf("%s: %d values of shape %v", path, len(set.Values), set.Shape)
		}
		if g := set.People(); g == nil || g[0] != g[1] || g[0] == g[2] {
			t.Errorf("%s: people %v", path, g)
		}
		if a := set.Attribute("sex"); a == nil || a.Values[a.Labels[1]] != "m" {
			t.Errorf("%s: %+v", path, set.Sensitive)
		}
		o.Part = Test
		if set, _ = read(path, o); !slices.Equal(set.Values, values[60:]) {
			t.Errorf("%s: a test part of %d values", path, len(set.Values))
		}
	}
	// One person taken for several would be promised too much.
	short := npzOf(t, false, part{"emb", []int{n, 2}, values}, part{"person", []int{n - 1}, person[1:]})
	_, _, err := OpenInputs(context.Background(), short, Options{Kind: KindVectors})
	must.Fail(t, err, fmt.Sprintf("array person has %d entries for %d vectors", n-1, n))
	// Without a column split, the seed divides; what is read of one part is in no other.
	train, _ := read(alone, Options{Part: Train, Seed: 3})
	test, notes := read(alone, Options{Part: Test, Seed: 3})
	if test.Len() != n/5 || train.Len() != n-n/5-3 || !strings.Contains(strings.Join(notes, " "), "drawn by seed 3") {
		t.Errorf("%d training and %d test vectors, %v", train.Len(), test.Len(), notes)
	}
	for i := range test.Len() {
		for j := range train.Len() {
			if test.Values[2*i+1] == train.Values[2*j+1] {
				t.Errorf("vector %v is in both parts", test.Values[2*i+1])
			}
		}
	}
	if all, _ := read(alone, Options{Part: Train, Undivided: true}); all.Len() != n || !slices.Equal(all.Values, values) {
		t.Errorf("%d vectors of %d, undivided", all.Len(), n)
	}
	if set, _ := read(npz, Options{VectorColumns: []string{"emb"}, Group: NoGroup}); set.Group != nil {
		t.Error("people who were not asked for")
	}
}

func TestVectorsRefuse(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.npy") // without taking room on the disk
	must.Do(t, os.WriteFile(large, []byte("\x93NUMPY\x01\x00"), 0o600))
	must.Do(t, os.Truncate(large, mostBytes+1))
	_, _, err := OpenInputs(t.Context(), large, Options{Kind: KindVectors})
	must.Fail(t, err, "large.npy: 2.1 GB: vectors are held in memory")
	x := make([]float32, 60)
	for want, x := range map[string]struct {
		arrays []part
		text   string
		asked  []string
	}{
		"a single vector":                        {arrays: []part{{"x", []int{1, 60}, x}}},
		"several arrays":                         {arrays: []part{{"a", []int{30, 2}, x}, {"b", []int{30, 2}, x}}},
		"[60]: vectors are one":                  {arrays: []part{{"a", []int{60}, x}}, asked: []string{"a"}},
		"nothing says where":                     {arrays: []part{{"a", []int{60}, x}}},
		"has no array c":                         {arrays: []part{{"a", []int{30, 2}, x}}, asked: []string{"c"}},
		"holds text":                             {arrays: []part{{"a", []int{2, 2}, []string{"1", "2", "3", "4"}}}},
		"named twice":                            {text: "e_0,e_1\n1,2\n3,4\n", asked: []string{"e_*", "e_0"}},
		"begin with \"e\" and others with \"f\"": {text: "e_0,f_1\n1,2\n3,4\n"},
		"nothing says where the vectors":         {text: "a,b\n1,2\n3,4\n"},
		"want a finite decimal":                  {text: "e_0,e_1\n1,x\n3,4\n"},
	} {
		path := filepath.Join(dir, "v.csv")
		if x.arrays != nil {
			path = npzOf(t, false, x.arrays...)
		} else {
			must.Do(t, os.WriteFile(path, []byte(x.text), 0o666))
		}
		_, _, err := OpenInputs(context.Background(), path, Options{Kind: KindVectors, VectorColumns: x.asked})
		must.Fail(t, err, want)
	}
	for want, x := range map[string]struct {
		shape []int
		v     []float32
	}{"give vectors [n, d]": {[]int{4}, []float32{1, 2, 3, 4}}, "row 1, column 0 (from 0) is NaN": {[]int{2, 2}, []float32{1, 2, float32(math.NaN()), 4}}} {
		_, _, err := OpenInputs(context.Background(), npyOf(t, x.shape, x.v), Options{Kind: KindVectors})
		must.Fail(t, err, want)
	}
}

// Mirrored exchanges left and right of each channel, and twice it changes nothing.
func TestMirrored(t *testing.T) {
	for _, s := range []*Set{{Shape: []int{2, 1, 3}, Pixels: []uint8{1, 2, 3, 4, 5, 6}}, {Shape: []int{1, 3, 2}, Pixels: []uint8{1, 4, 2, 5, 3, 6}, ChannelsLast: true}} {
		want := []uint8{3, 2, 1, 6, 5, 4}
		if s.ChannelsLast {
			want = []uint8{3, 6, 2, 5, 1, 4}
		}
		m := must.Get(s.Mirrored())(t)
		if twice := must.Get(m.Mirrored())(t); !slices.Equal(m.Pixels, want) || !slices.Equal(twice.Pixels, s.Pixels) {
			t.Errorf("%v becomes %v", s.Pixels, m.Pixels)
		}
	}
	must.Fail(t, must.Err((&Set{Shape: []int{2}, Values: []float32{1, 2}}).Mirrored()), "not pictures and cannot be mirrored")
}

// A column that does not say who rows are of is refused, people are kept whole, and rows of nobody are left out.
func TestPeopleOfVectors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v.csv")
	read := func(group string, of func(i int) (person, part string)) (*Set, string, error) {
		text := "e_0,e_1,who,split\n"
		for i := range 60 {
			person, part := of(i)
			text += fmt.Sprintf("%d,%d,%s,%s\n", i, -i, person, part)
		}
		must.Do(t, os.WriteFile(path, []byte(text), 0o666))
		set, notes, err := OpenInputs(t.Context(), path, Options{Kind: KindVectors, Group: group, Part: Test})
		return set, strings.Join(notes, " "), err
	}
	for want, c := range map[string]struct {
		group string
		of    func(i int) (string, string)
	}{
		"who has the single value p":  {"who", func(i int) (string, string) { return "p", "" }},
		"who has no values":           {"who", func(i int) (string, string) { return "", "" }},
		"these data are not pictures": {GroupFolder, func(i int) (string, string) { return "p", "" }},
		"divide the data by who":      {"who", func(i int) (string, string) { return fmt.Sprint(i / 3), []string{"train", "train", "test"}[i%3] }},
	} {
		_, _, err := read(c.group, c.of)
		must.Fail(t, err, want)
	}
	set, notes, err := read("who", func(i int) (string, string) {
		person, part := fmt.Sprint(i/3), []string{"train", "test"}[i/30]
		if i == 31 || i == 32 { // of a person of the test part
			person = []string{"", "NaN"}[i-31] // an array of floating-point numbers has no empty one
		}
		if i < 2 { // of a person of the training part
			part = "test"
		}
		return person, part
	})
	if err != nil || set.Len() != 28 || !strings.Contains(notes, "2 examples moved to the part with others of the same who") || !strings.Contains(notes, "2 of 30 examples left out: they have no who") {
		t.Errorf("%v, %v, %q", set, err, notes)
	}
}
