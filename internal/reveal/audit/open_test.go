package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tattle/internal/must"
	"tattle/internal/reveal/curious"
	"tattle/internal/shared"
)

// put writes a file of a test.
func put(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func openText(t testing.TB, text string, o OpenOptions) (*Sample, error) {
	return OpenOutputs(context.Background(), put(t, "a.csv", text), o)
}

func TestOpenCSV(t *testing.T) {
	want := &Sample{
		Name: "a", Outputs: []float32{.25, .75, .5, .5, 1, 0}, Kind: curious.Soft,
		Y: []int{1, 0, 1}, Target: "label", Classes: []string{"cat", "dog"},
		Sensitive: []Attribute{{Name: "s1", Values: []string{"f", "m"}, Labels: []int{0, 1, 1}}},
	}
	for name, text := range map[string]string{
		"plain":      "label,s1,p_cat,p_dog\ndog,f,.25,.75\ncat,m,.5,.5\ndog,m,1,0\n",
		"BOM, CRLF":  "\ufefflabel,s1,p_cat,p_dog\r\ndog,f,.25,.75\r\n\r\ncat,m,.5,.5\r\ndog,m,1,0",
		"semicolons": "label;s1;prob:cat;prob:dog\ndog;f;.25;.75\ncat;m;.5;.5\ndog;m;1;0\n",
		"tabs":       "s1\tlabel\tprob_cat\tprob_dog\nf\tdog\t.25\t.75\nm\tcat\t.5\t.5\nm\tdog\t1\t0\n",
		"quotes":     "\"label\", \"s1\",score:cat,\"score:dog\"\n\"dog\", f,\"2.5e-1\",.75\n cat ,\"m\",.5,.5\ndog,m,1,0\n",
		"by place":   "label,s1,p_cat,p_dog\n1,f,.25,.75\n0.0,m,.5,.5\n1,m,1,0\n",
		"capitals":   "Label,S1,P_Cat,P_Dog\nDOG,f,.25,.75\nCAT,m,.5,.5\nDOG,m,1,0\n",
	} {
		got, err := openText(t, text, OpenOptions{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if name == "by place" && len(got.Notes) == 1 {
			got.Notes = nil
		}
		if name == "capitals" {
			got.Target, got.Sensitive[0].Name, got.Classes = "label", "s1", want.Classes
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%+v\nwant\n%+v", name, got, want)
		}
	}
}

// What a column of labels becomes: numbers, classes in an order, groups of a rule.
func TestOpenAttributes(t *testing.T) {
	var text strings.Builder
	text.WriteString("id,y,s1,s2_age,s:race,s:size:number,out 0,out 1,out 2\n")
	for i := range 63 {
		fmt.Fprintf(&text, "%d,%d,%d,%d,%s,%d,%d,-1,2\n", i, i%3, i%20, i%21, []string{"a", "b"}[i%2], i%2, i)
	}
	path := put(t, "a.csv", text.String())
	s := must.Get(OpenOutputs(context.Background(), path, OpenOptions{Columns: []string{"out*"}}))(t)
	a := s.Sensitive
	switch {
	case len(a) != 4 || s.Kind != curious.Raw || !slices.Equal(s.Classes, []string{"0", "1", "2"}):
		t.Errorf("%d attributes, %s outputs of %q", len(a), s.Kind, s.Classes)
	case a[0].Numeric() || len(a[0].Values) != 20 || a[0].Values[19] != "19" || a[0].Labels[19] != 19:
		t.Errorf("20 numbers: %+v", a[0])
	case !a[1].Numeric() || a[1].Numbers[22] != 1 || a[1].Name != "s2_age":
		t.Errorf("21 numbers: %+v", a[1])
	case a[2].Name != "race" || !slices.Equal(a[2].Values, []string{"a", "b"}) || a[2].Labels[1] != 1:
		t.Errorf("words: %+v", a[2])
	case a[3].Name != "size" || !a[3].Numeric() || a[3].Numbers[1] != 1:
		t.Errorf("forced numbers: %+v", a[3])
	case len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "id"):
		t.Errorf("notes %q", s.Notes)
	}
	o := OpenOptions{Columns: []string{"out 2", "out 0"}, Target: "y: 0; *", Sensitive: []string{"s2_age: young = <=9; old = >9", "s2_age:class", "size", "id:number"}}
	s = must.Get(OpenOutputs(context.Background(), path, o))(t)
	a = s.Sensitive
	switch {
	case !slices.Equal(s.Classes, []string{"0", "others"}) || s.Y[3] != 0 || s.Y[4] != 1 || !slices.Equal(s.Outputs[2:4], []float32{2, 1}):
		t.Errorf("y by a rule: %q %v %v", s.Classes, s.Y[:5], s.Outputs[:4])
	case !slices.Equal(a[0].Values, []string{"young", "old"}) || a[0].Labels[9] != 0 || a[0].Labels[10] != 1:
		t.Errorf("a rule: %+v", a[0])
	case a[1].Name != "s2_age-2" || len(a[1].Values) != 21 || a[2].Name != "size" || !a[2].Numeric() || !a[3].Numeric():
		t.Errorf("%+v", a[1:])
	}
}

func TestOpenLeavesOut(t *testing.T) {
	s := must.Get(openText(t, "y,s1,s2,score0,score1\n0,a,1,1,2\n1,,1,3,4\n,a,1,5,6\n1,NA,nan,7,8\n1,b,2,9,-10\n", OpenOptions{}))(t)
	want := []string{"1 of 5 examples left out: they have no y", "2 of 4 examples left out: they have no s1"}
	if !slices.Equal(s.Notes, want) || !slices.Equal(s.Outputs, []float32{1, 2, 9, -10}) || !slices.Equal(s.Y, []int{0, 1}) || !slices.Equal(s.Sensitive[0].Labels, []int{0, 1}) {
		t.Errorf("%+v", s)
	}
}

// One column of outputs becomes two.
func TestOpenOneColumn(t *testing.T) {
	for text, want := range map[string]struct {
		outputs []float32
		kind    curious.Outputs
		classes []string
		y       []int
	}{
		"y,s1,p\n0,a,.25\n1,b,1\n":               {[]float32{.75, .25, 0, 1}, curious.Soft, []string{"0", "1"}, []int{0, 1}},
		"y,s1,score\nyes,a,.25\nno,b,1\n":        {[]float32{.75, .25, 0, 1}, curious.Soft, []string{"no", "yes"}, []int{1, 0}},
		"y,s1,score:no\nyes,a,.25\nno,b,1\n":     {[]float32{.75, .25, 0, 1}, curious.Soft, []string{"yes", "no"}, []int{0, 1}},
		"y,s1,score:0\n0,a,.25\n1,b,1\n":         {[]float32{.75, .25, 0, 1}, curious.Soft, []string{"1", "0"}, []int{1, 0}},
		"y,s1,p_neg\n0,a,.25\n1,b,1\n":           {[]float32{.75, .25, 0, 1}, curious.Soft, []string{"1", "0"}, []int{1, 0}},
		"y,s1,score\n0,a,.25\n1,b,-3\n":          {[]float32{0, .25, 0, -3}, curious.Raw, []string{"0", "1"}, []int{0, 1}},
		"y,s1,logit\n0,a,.25\n1,b,.5\n":          {[]float32{0, .25, 0, .5}, curious.Raw, []string{"0", "1"}, []int{0, 1}},
		"y,s1,probability\n1,a,1e-9\n1,b,.125\n": {[]float32{1, 1e-9, .875, .125}, curious.Soft, []string{"0", "1"}, []int{1, 1}},
	} {
		o := OpenOptions{}
		if strings.Contains(text, ",p\n") {
			o.Columns = []string{"p"}
		}
		s, err := openText(t, text, o)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if !slices.Equal(s.Outputs, want.outputs) || s.Kind != want.kind || !slices.Equal(s.Classes, want.classes) || !slices.Equal(s.Y, want.y) || len(s.Notes) != 1 {
			t.Errorf("%q: %+v", text, s)
		}
	}
}

// A column of zeros and ones holds labels, and no report calls them probabilities.
func TestOpenColumnOfLabels(t *testing.T) {
	s := must.Get(openText(t, "y,s1,y_pred\n0,a,0\n1,b,1\n1,a,1\n", OpenOptions{Columns: []string{"y_pred"}}))(t)
	if len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "the hard label: 1 is class 1, 0 the other class") || !newResult(&Record{Sample: s}, Options{Margin: new(0.)}).Binary {
		t.Errorf("%+v", s)
	}
	s.Outputs[0], s.Outputs[1] = .5, .5
	if newResult(&Record{Sample: s}, Options{Margin: new(0.)}).Binary {
		t.Error("halves are taken for labels")
	}
}

// Every refusal is one line that says where and what to do.
func TestOpenRefuses(t *testing.T) {
	const head = "y,s1,p_0,p_1\n"
	for _, c := range []struct {
		text, want string
		o          OpenOptions
	}{
		{"", "empty", OpenOptions{}},
		{head, "no rows", OpenOptions{}},
		{"0,1,.5,.5\n1,0,.5,.5\n", "no header", OpenOptions{}},
		{"a,s1,p_0,p_1\n0,a,.5,.5\n", "no column y, target or label", OpenOptions{}},
		{"y,sex,p_0,p_1\n0,a,.5,.5\n", "no sensitive column", OpenOptions{}},
		{"y,s1,a,b\n0,a,.5,.5\n", "no column of outputs", OpenOptions{}},
		{"y,s1,score,p_0,p_1\n0,a,.5,.5,.5\n", "several kinds, such as score and p_0: name those of one kind with --scores", OpenOptions{}},
		{"y,s1,p_0,p_0\n0,a,.5,.5\n", `line 1: columns 3 and 4 are both called "p_0": rename one`, OpenOptions{}},
		{"y,s1,p_0,p 0\n0,a,.5,.5\n", "no column q*", OpenOptions{Columns: []string{"q*"}}},
		{"y,s1,prob_a,prob:a\n0,a,.5,.5\n", "of the same class, of a, a", OpenOptions{}},
		{head + "0,a,.5,.5\n0,a,NaN,.5\n", "line 3, column p_0: the score is NaN", OpenOptions{}},
		{head + "0,a,.5,-inf\n", "line 2, column p_1: the score is -inf", OpenOptions{}},
		{head + "0,a,.5,1e40\n", "fits float32", OpenOptions{}},
		{head + "0,a,.5,\n", "missing", OpenOptions{}},
		{head + "0,a,.5,x\n", "the score is x: want a finite decimal number", OpenOptions{}},
		{"y,s1,pred\ncat,a,cat\n", "give a column for each class, with 1 for the predicted one", OpenOptions{Columns: []string{"pred"}}},
		{head + "0,a,\"0,5\",.5\n", "the score is 0,5: want a finite decimal number", OpenOptions{}},
		{head + "0,a,.5\n", "line 2 has 3 fields and the first row 4", OpenOptions{}},
		{head + "0,a,.5,\"5\n", "not CSV", OpenOptions{}},
		{head + "0,a,.5,.5\n1,b,.5,.3\n", "line 3: the outputs are not probabilities (they sum to 0.8", OpenOptions{}},
		{"y,s1,score0,score1\n0,a,.5,.5\n1,b,.5,.3\n1,b,.5,.5\n", "line 3: the outputs are not probabilities", OpenOptions{}},
		{"y,s1,score0,score1\n0,a,-1,2\n", "line 2: the outputs are not probabilities", OpenOptions{Kind: curious.Soft}},
		{head + "0,a,.5,.5\n2,b,.5,.5\n", "y has the values 0, 2", OpenOptions{}},
		{"y,s1,score,score2\na,a,.5,.5\nb,b,.5,.5\nc,b,.5,.5\n", "y has the values a, b, c, and there are 2 outputs", OpenOptions{}},
		{"y,s1,p_cat\nbird,a,.5\ndog,b,.5\n", "the column of outputs is of cat: name it after one of them", OpenOptions{}},
		{"y,s1,p_0\na,a,.5\n", "y has 1 values", OpenOptions{}},
		{head + ",a,.5,.5\n", "y has no value", OpenOptions{}},
		{head + ",a,.5,.5\n1,,.5,.5\n", "no example", OpenOptions{}},
		{head + "0,,.5,.5\n", "s1 has no value", OpenOptions{}},
		{head + "0,a\xff,.5,.5\n", "not UTF-8", OpenOptions{}},
		{"y,gr\xf6\xdfe,p_0,p_1\n0,a,.5,.5\n", `line 1: "gr\xf6\xdfe" is not UTF-8`, OpenOptions{}},
		{head + "0,a,.5,.5\n", "has the value a: want finite numbers", OpenOptions{Sensitive: []string{"s1:number"}}},
		{head + "0,a,.5,.5\n", "no column sex", OpenOptions{Sensitive: []string{"sex"}}},
		{head + "0,a,.5,.5\n", "it makes 1 class", OpenOptions{Sensitive: []string{"s1: a"}}},
		{head + "0,a,.5,.5\n", "both target and sensitive", OpenOptions{Sensitive: []string{"y"}}},
		{head + "0,a,.5,.5\n", "column s1 has two roles", OpenOptions{Sensitive: []string{"s1"}, Columns: []string{"s1", "p_0"}}},
		{"\xff\xfey\x00", "not CSV in UTF-8", OpenOptions{}},
	} {
		s, err := openText(t, c.text, c.o)
		if err == nil {
			t.Errorf("%q %+v was read: %+v", c.text, c.o, s)
		} else if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "a.csv") {
			t.Errorf("%q: %v\nwant %q", c.text, err, c.want)
		}
	}
	must.Fail(t, must.Err(OpenOutputs(context.Background(), t.TempDir(), OpenOptions{})), "is a folder")    // a folder
	must.Fail(t, must.Err(OpenOutputs(context.Background(), "nothing.csv", OpenOptions{})), "no such file") // nothing
}

// Hostile files cost little memory and a clear line.
func TestOpenHostile(t *testing.T) {
	shared.Long(t, "hostile files, which are large")
	million := "y,s1" + strings.Repeat(",p_", 1_000_000) + "\n"
	for name, c := range map[string]struct{ text, want string }{
		"a million columns": {million, "99999 columns"},
		"zip":               {"PK\x03\x04 and no more", "not an .npz"},
	} {
		_, err := openText(t, c.text, OpenOptions{})
		t.Run(name, func(t *testing.T) { must.Fail(t, err, c.want) })
	}
	bomb := archiveOf(t, "logits", []int{1 << 14, 1 << 10}, make([]float32, 1<<24), "y", []int{1 << 14}, make([]int, 1<<14), "s", []int{1 << 14}, make([]int, 1<<14))
	must.Fail(t, must.Err(OpenOutputs(context.Background(), bomb, OpenOptions{})), "unpack to") // an archive that unpacks to 1,000 times as much
	_, err := readOutputs(context.Background(), "a.csv", endless{"y,s1,p_0,p_1\n0,\"", "a\n"}, 1<<40, OpenOptions{})
	must.Fail(t, err, "is a quote missing") // a quote that never ends
	s, err := openText(t, "y,s1<b>,p_<script>,\"p_\"\"x\"\"\"\n<script>,\"<i>\nx\",.5,.5\n", OpenOptions{})
	if err != nil || s.Classes[0] != "<script>" || s.Classes[1] != `"x"` || s.Sensitive[0].Values[0] != "<i>\nx" {
		t.Errorf("names with HTML: %+v, %v", s, err)
	}
}

// endless is a file that begins with a text and goes on with another, again and again.
type endless struct{ head, rest string }

func (e endless) ReadAt(p []byte, off int64) (int, error) {
	for i := range p {
		if at := int(off) + i; at < len(e.head) {
			p[i] = e.head[at]
		} else {
			p[i] = e.rest[(at-len(e.head))%len(e.rest)]
		}
	}
	return len(p), nil
}

func TestOpenStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	y := []int{0, 1}
	for _, path := range []string{
		put(t, "a.csv", "y,s1,p_0,p_1\n0,a,.5,.5\n"),
		archiveOf(t, "logits", []int{2, 2}, make([]float32, 4), "y", []int{2}, y, "s", []int{2}, y),
	} {
		if _, err := OpenOutputs(ctx, path, OpenOptions{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestOpenReferences(t *testing.T) {
	path := put(t, "a.csv", "y,s1,out_0,out_1,r1_0,r1_1,r2_0,r2_1\n0,a,1,2,3,4,5,6\n1,,1,2,3,4,5,6\n1,b,7,8,9,10,11,12\n")
	all, err := openOutputs(context.Background(), path, OpenOptions{Columns: []string{"out_*"}, References: []string{"r1_*", "r2_"}})
	must.Do(t, err)
	if refs := all[1:]; len(refs) != 2 || !slices.Equal(refs[0].Outputs, []float32{3, 4, 9, 10}) || !slices.Equal(refs[1].Outputs, []float32{5, 6, 11, 12}) || !slices.Equal(refs[1].Classes, []string{"0", "1"}) {
		t.Errorf("%+v", refs)
	}
}
