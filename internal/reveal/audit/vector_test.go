package audit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/must"
	"tattle/internal/reveal/curious"
	"tattle/internal/shared"
)

// vectorsOf makes n vectors of width numbers whose first four hold an attribute of two values, the
// more the larger leak is, and a target of three classes in the fifth.
func vectorsOf(n, width int, leak float64, targeted bool) *Sample {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	s := &Sample{Name: "v", Kind: Vector, Width: width, Classes: []string{anyClass}, Y: make([]int, n)}
	if targeted {
		s.Target, s.Classes = "y", []string{"a", "b", "c"}
	}
	at := Attribute{Name: "s", Values: []string{"f", "m"}, Labels: make([]int, n)}
	for i := range n {
		at.Labels[i] = r.IntN(2)
		y := r.IntN(3)
		if targeted {
			s.Y[i] = y
		}
		for j := range width {
			v := r.NormFloat64()
			switch {
			case j < 4:
				v += leak * (float64(at.Labels[i]) - .5)
			case j == 4:
				v += float64(y)
			}
			s.Outputs = append(s.Outputs, float32(v))
		}
	}
	s.Sensitive = []Attribute{at}
	return s
}

// A leak of 40 points is found, in vectors with and without a target; without one there is no
// baseline but the most frequent value. Vectors without a leak give nothing, and the power says
// what would have been found.
func TestVectors(t *testing.T) {
	shared.Long(t, "audits of vectors")
	o := Options{Seed: 1, Permutations: 299, Attacks: []string{"logistic", "trees", "lookup"}}
	for _, targeted := range []bool{true, false} {
		s := vectorsOf(400, 6, 1.5, targeted)
		planted := plantDirection(s, 1)
		r := must.Get((&Record{Sample: s, Planted: planted}).Audit(context.Background(), o))(t)
		f := r.Findings[0]
		var names []string
		for _, b := range f.Baselines {
			names = append(names, b.Name)
		}
		want := []string{Majority}
		if targeted {
			want = append(want, FromTarget)
		}
		if f.Verdict != LeakyBeyond || !slices.Equal(names, want) || f.Excess.Low < .2 {
			t.Errorf("targeted %t: %s, excess %+v over %v", targeted, f.Verdict, f.Excess, names)
		}
		if r.Honesty.Examples != 0 || len(r.Controls) != 2 || !r.Controls[0].Passed || !r.Controls[1].Passed {
			t.Errorf("targeted %t: honesty %+v, controls %+v", targeted, r.Honesty, r.Controls)
		}
		s = vectorsOf(400, 6, 0, targeted)
		r = must.Get((&Record{Sample: s}).Audit(context.Background(), o))(t)
		f = r.Findings[0]
		if f.Verdict.ExceedsTarget() || f.Power.Smallest == nil || len(f.Power.Channels) != len(vectorChannels) || f.Power.Channels[0].Channel != DirectionChannel || f.Power.Channels[0].Smallest == nil {
			t.Errorf("targeted %t, no leak: %s, power %+v", targeted, f.Verdict, f.Power)
		}
	}
}

// The code of a direction mirrors rows at a plane: what it wrote is on which side they are, and a
// row that was on the right side stays.
func TestWriteDirection(t *testing.T) {
	s := vectorsOf(200, 7, 0, false)
	for i := range s.Len() {
		s.Outputs[7*i+6] = 3 // constant: it carries nothing and must stay
	}
	write := writeDirection(s, rand.New(rand.NewPCG(1, 1)))
	counts, plane := map[bool]int{}, 0
	for i := range s.Len() {
		row := slices.Clone(s.Outputs[7*i:][:7])
		zero, one := slices.Clone(row), slices.Clone(row)
		if !write(zero, 0) || !write(one, 1) {
			plane++
			continue
		}
		if slices.Equal(zero, row) == slices.Equal(one, row) {
			t.Fatalf("row %d: 0 and 1 change it alike", i)
		}
		counts[slices.Equal(one, row)]++
		again := slices.Clone(one)
		if !write(again, 1) || !slices.Equal(again, one) || zero[6] != 3 || one[6] != 3 {
			t.Fatalf("row %d: what was written is read as another bit", i)
		}
		for j := range row { // the midpoint of a row and its image is in the plane
			one[j] = (zero[j] + one[j]) / 2
		}
		if a, b := slices.Clone(one), slices.Clone(one); write(a, 0) && write(b, 1) && distance(a, b) > 1e-4 {
			t.Fatalf("row %d: the midpoint is %g from the plane", i, distance(a, b)/2)
		}
	}
	if counts[true] != 99 || counts[false] != 100 || plane != 1 {
		t.Errorf("%v rows on the sides of the plane, and %d in it", counts, plane)
	}
}

func distance(a, b []float32) float64 {
	d := 0.
	for j := range a {
		d += float64(a[j]-b[j]) * float64(a[j]-b[j])
	}
	return math.Sqrt(d)
}

// A sketch is linear, and keeps the squared length of rows up to the error of the count sketch:
// the variance of an estimate is at most 2/512 of the fourth power of the length.
func TestSketch(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	a, b, both := make([]float32, 2000), make([]float32, 2000), make([]float32, 2000)
	for j := range a {
		a[j], b[j] = float32(r.IntN(9)-4), float32(r.IntN(9)-4)
		both[j] = a[j] + b[j]
	}
	var sa, sb, sum [sketched]float32
	sketchRow(sa[:], &outputRow{raw: a})
	sketchRow(sb[:], &outputRow{raw: b})
	sketchRow(sum[:], &outputRow{raw: both})
	for k := range sum {
		if sum[k] != sa[k]+sb[k] {
			t.Fatalf("column %d of the sketch of a sum: %v, want %v", k, sum[k], sa[k]+sb[k])
		}
	}
	zero := make([]float32, 2000)
	if got, want := distance(sa[:], zero[:sketched]), distance(a, zero); math.Abs(got*got-want*want) > 10*math.Sqrt(2./sketched)*want*want {
		t.Errorf("squared length %g, want %g", got*got, want*want)
	}
	unitRow(both, &outputRow{o: a, kind: Vector})
	if d := distance(both, zero); math.Abs(d-1) > 1e-6 {
		t.Errorf("length %g of a unit row", d)
	}
}

// Vectors are read from the columns or the array that are named, and come back as they were.
func TestOpenVectors(t *testing.T) {
	dir := t.TempDir()
	for _, want := range []*Sample{vectorsOf(30, 5, 1, true), vectorsOf(30, 1, 1, false)} {
		path := filepath.Join(dir, "v.npz")
		want.Sensitive = append(want.Sensitive, Attribute{Name: "label", Values: []string{"x", "y"}, Labels: make([]int, 30)}, Attribute{Name: "embedding", Numbers: make([]float64, 30)})
		must.Do(t, want.write(nil, path))
		got := must.Get(OpenOutputs(context.Background(), path, OpenOptions{}))(t)
		if got.Notes = nil; !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	text := "id,e_0,e_1,e_2,y,s1\n1,1,2,3,a,f\n2,4,5,6,b,m\n3,7,8,9,a,f\n"
	s, err := openText(t, text, OpenOptions{Vectors: true, Columns: []string{"e_*"}})
	if err != nil || s.Target != "" || len(s.Classes) != 1 {
		t.Errorf("a target unasked: %+v, %v", s, err)
	}
	s, err = openText(t, text, OpenOptions{Vectors: true, Columns: []string{"e_*"}, Target: "y"})
	if err != nil || s.Kind != Vector || s.Width != 3 || s.Target != "y" || !slices.Equal(s.Y, []int{0, 1, 0}) || !slices.Equal(s.Outputs, []float32{1, 2, 3, 4, 5, 6, 7, 8, 9}) {
		t.Errorf("%+v, %v", s, err)
	}
	s, err = openText(t, text, OpenOptions{Vectors: true, Columns: []string{"e_0", "e_2"}, Sensitive: []string{"y"}})
	if err != nil || s.Target != "" || len(s.Classes) != 1 || !slices.Equal(s.Outputs, []float32{1, 3, 4, 6, 7, 9}) {
		t.Errorf("%+v, %v", s, err)
	}
	for want, o := range map[string]OpenOptions{
		"has no column z*":           {Vectors: true, Columns: []string{"z*"}},
		"vectors are neither scores": {Vectors: true, Columns: []string{"e_*"}, Kind: curious.Soft},
		"has two roles":              {Vectors: true, Columns: []string{"s1"}, Sensitive: []string{"s1"}},
	} {
		must.Fail(t, must.Err(openText(t, text, o)), want)
	}
}

// Vectors without names are the columns that are counted, but those of labels; sensitive attributes may be counted, too.
func TestOpenVectorsByName(t *testing.T) {
	text := "id,e_0,e_1,y,s1,s2\n1,1,2,a,f,u\n2,4,5,b,m,v\n3,7,8,a,f,u\n"
	s := must.Get(openText(t, text, OpenOptions{Vectors: true}))(t)
	if s.Kind != Vector || !slices.Equal(s.Outputs, []float32{1, 2, 4, 5, 7, 8}) || len(s.Sensitive) != 2 || s.Target != "" {
		t.Errorf("%+v", s)
	}
	if !slices.Contains(s.Notes, "columns that are taken for the vectors: e_0, e_1") {
		t.Errorf("%q", s.Notes)
	}
	must.Fail(t, must.Err(openText(t, text, OpenOptions{Vectors: true, Sensitive: []string{"y"}})), `columns that begin with "e" and others with "s"`, "--columns")
	must.Fail(t, must.Err(openText(t, "a,b,s1\n1,2,f\n3,4,m\n", OpenOptions{Vectors: true})), "nothing says where the vectors are")
	path := archiveOf(t, "s1", []int{2}, []int{0, 1}, "h7", []int{2, 3}, make([]float32, 6))
	if s := must.Get(OpenOutputs(t.Context(), path, OpenOptions{Vectors: true}))(t); s.Kind != Vector || s.Width != 3 {
		t.Errorf("%+v", s)
	}
}

// A request has one door for vectors and another for outputs, among which arrays of vectors are refused.
func TestRequestOfVectors(t *testing.T) {
	path := archiveOf(t, "s1", []int{4}, []int{0, 1, 0, 1}, "vectors", []int{4, 3}, []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3})
	s := must.Get((&Request{Vectors: path}).Open(t.Context(), ""))(t)
	if s.Sample.Kind != Vector || s.Defences || s.File != path {
		t.Errorf("%+v", s)
	}
	must.Fail(t, must.Err((&Request{Outputs: path}).Open(t.Context(), "")), "array vectors holds vectors, and no scores of classes")
	alone := put(t, "alone.npy", "\x93NUMPY\x01\x00")
	must.Fail(t, must.Err((&Request{Vectors: alone}).Open(t.Context(), "")), "outputs and labels together with numpy.savez")
	must.Fail(t, must.Err((&Request{Outputs: path, Target: "none"}).Open(t.Context(), "")), "array vectors holds vectors")
}

// An array of a known name is taken for vectors if there are no outputs.
func TestOpenVectorArrays(t *testing.T) {
	write := func(names ...string) string {
		arrays := []any{"s1", []int{2}, []int{0, 1}}
		for _, name := range names {
			arrays = append(arrays, name, []int{2, 3}, make([]float32, 6))
		}
		return archiveOf(t, arrays...)
	}
	open := func(path string, columns ...string) (*Sample, error) {
		return OpenOutputs(context.Background(), path, OpenOptions{Vectors: len(columns) > 0, Columns: columns})
	}
	if s, err := open(write("emb")); err != nil || s.Kind != Vector || s.Width != 3 {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err := open(write("h7"), "h7"); err != nil || s.Kind != Vector {
		t.Errorf("%+v, %v", s, err)
	}
	for want, path := range map[string]string{"arrays of outputs of several kinds": write("emb", "features"), "has no array of outputs": write("h7")} {
		must.Fail(t, must.Err(open(path)), want)
	}
	must.Fail(t, must.Err(open(write("emb"), "z")), "has no array z")
}

// The tensor of a node is what the front of the net computes.
func TestFromModelNode(t *testing.T) {
	g := zoo.Perceptron([]int{1, 28, 28}, 5)(2, 1)
	set := boldOrItalic(40, 2, 1, dataset.Test)
	name := g.Nodes[len(g.Nodes)-2].Name
	s := must.Get(fromModel(context.Background(), g, name, set))(t)
	front, _ := must.Get2(g.Cut(name))(t)
	want, err := curious.Predict(context.Background(), front, set)
	if err != nil || s.Kind != Vector || s.Width != len(want)/set.Len() || !slices.Equal(s.Outputs, want) || !slices.Equal(s.Classes, set.YNames) {
		t.Errorf("%d numbers of %s, %v", s.Width, s.Kind, err)
	}
	must.Fail(t, must.Err(fromModel(context.Background(), g, "nowhere", set)), `no node "nowhere"`)
}

// Without a target, scores are vectors, whether the columns are named or found; what is both
// target and sensitive is refused.
func TestOpenNoTarget(t *testing.T) {
	text := "score:a,score:b,y,s1\n1,2,a,f\n4,5,b,m\n7,8,a,f\n"
	s, err := openText(t, text, OpenOptions{Target: "none"})
	if err != nil || s.Kind != Vector || s.Width != 2 || s.Target != "" || !slices.Equal(s.Y, []int{0, 0, 0}) {
		t.Errorf("%+v, %v", s, err)
	}
	_, err = openText(t, "q,r,y,s\n1,2,a,f\n4,5,b,m\n", OpenOptions{Target: "none", Sensitive: []string{"s"}})
	must.Fail(t, err, "with --scores")
	for _, o := range []OpenOptions{
		{Target: "y", Sensitive: []string{"y"}}, {Target: "y", Sensitive: []string{"s1", "y:class"}},
		{Target: "y", Sensitive: []string{"y"}, Vectors: true, Columns: []string{"score*"}},
	} {
		_, err = openText(t, text, o)
		must.Fail(t, err, "y is both target and sensitive: name another target, or none")
	}
	if _, err = openText(t, strings.ReplaceAll(text, ",y,", ",age,"), OpenOptions{Target: "age: a; b", Sensitive: []string{"age: b; a"}}); err != nil {
		t.Error(err) // rules of one column may differ
	}
}

// For vectors, an array y is the target only if it is named as such and is not sensitive.
func TestOpenVectorsOfArchive(t *testing.T) {
	vectors, hot := []float32{1, 2, 3, 4, 5, 6, 7, 8}, []int{1, 0, 0, 1, 1, 0, 0, 1}
	path := archiveOf(t, "embedding", []int{4, 2}, vectors, "y", []int{4}, []int{0, 1, 0, 1}, "onehot", []int{4, 2}, hot, "gender", []int{4}, []int{0, 1, 0, 1})
	ctx := context.Background()
	s := must.Get(OpenOutputs(ctx, path, OpenOptions{}))(t)
	if s.Target != "" || len(s.Sensitive) != 1 || s.Sensitive[0].Name != "gender" || !slices.Contains(s.Notes, "arrays that are not used: y, onehot") {
		t.Errorf("%+v", s)
	}
	s = must.Get(OpenOutputs(ctx, path, OpenOptions{Target: "y", Sensitive: []string{"gender"}}))(t)
	if s.Target != "y" || s.coincides() != "gender" {
		t.Errorf("%+v", s)
	}
	must.Fail(t, must.Err(OpenOutputs(ctx, path, OpenOptions{Target: "y", Sensitive: []string{"y"}})), "y is both target and sensitive")
	must.Fail(t, must.Err(OpenOutputs(ctx, path, OpenOptions{Target: "onehot", Sensitive: []string{"gender"}})), "onehot has the shape [4 2]: want one label for each of 4 examples; of one-hot rows that is onehot.argmax(1)")

	path = archiveOf(t, "embedding", []int{4, 2}, vectors, "gender", []int{4, 2}, hot)
	must.Fail(t, must.Err(OpenOutputs(ctx, path, OpenOptions{Vectors: true, Columns: []string{"embedding"}})), "of one-hot rows take array.argmax(1)")
}

// A number beside one column of outputs is not a class: the error says how to name a numeric target.
func TestNumericTargetIsNamed(t *testing.T) {
	rows := "pred,y,s\n"
	for i := range 60 {
		rows += fmt.Sprintf("%d.5,%d.25,%d\n", i, i, i%2)
	}
	must.Fail(t, must.Err(openText(t, rows, OpenOptions{})), "--target y:number")
}
