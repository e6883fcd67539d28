package infer

import (
	"fmt"
	"strings"
	"testing"
)

func TestAddresses(t *testing.T) {
	for _, c := range []struct {
		url   string
		o     Options
		want  string
		fails string
	}{
		{"http://h:8000", Options{Model: "m"}, "http://h:8000/v2/models/m", ""},
		{"https://h/serve/v2", Options{Model: "a b/c"}, "https://h/serve/v2/models/a%20b%2Fc", ""},
		{"http://[::1]:80/v2/models/m", Options{}, "http://[::1]:80/v2/models/m", ""},
		{"http://h/v2/models/m/infer", Options{Model: "m"}, "http://h/v2/models/m", ""},
		{"http://h/x/v2/models/a%20b/versions/1/", Options{}, "http://h/x/v2/models/a%20b/versions/1", ""},
		{"http://u:p4ss@h/v2/models/m", Options{}, "", "endpoint http://h/v2/models/m: an address must not contain a user or password"},
		{"http://p4ss@h/v2/models/m", Options{}, "", "must not contain a user"},
		{"http://h/v2/models/m", Options{Model: "n"}, "", "it names m, the options n"},
		{"http://h/v2/models/m/versions/1/x", Options{}, "", "none of a model"},
		{"http://h/v2/models/m/x", Options{}, "", "none of a model"},
		{"http://h", Options{}, "", "http://h: name the model, as in http://h/v2/models/NAME"},
		{"http://h/v2/models/", Options{}, "", "name the model"},
		{"h:8000", Options{Model: "m"}, "", "should look like http://host:8000"},
		{"//u:p4ss@h", Options{Model: "m"}, "", "endpoint //h: an address must not"},
		{"http://h/v2#p4ss", Options{Model: "m"}, "", "endpoint http://h/v2 has a query"},
		{"ftp://u:p4ss@h", Options{Model: "m"}, "", "ftp://h: an address must not"},
		{"http://u:p4ss@h/?token=p4ss", Options{Model: "m"}, "", "http://h/: an address must not"},
		{"http://u:p4ss@h:x y/", Options{Model: "m"}, "", "no URL"},
		{"", Options{Model: "m"}, "", "should look like"},
		{"http://h", Options{Model: "m", Token: "a\n"}, "", "line end"},
		{"http://h", Options{Model: "m", Batch: -1}, "", "negative"},
		{"http://h", Options{Model: "m", Rate: -1}, "", "a rate of -1"},
	} {
		client, err := New(c.url, c.o)
		if c.fails != "" {
			mustErr(t, err, c.fails)
			if strings.Contains(fmt.Sprint(err), "p4ss") {
				t.Errorf("%q tells the password", err)
			}
			continue
		}
		if err != nil || client.URL() != c.want {
			t.Errorf("%s: %v, %v", c.url, client, err)
		}
	}
}

func TestPlans(t *testing.T) {
	in := func(datatype string, shape ...int) Metadata {
		return Metadata{Inputs: []Tensor{{Name: "x", Shape: shape, Datatype: datatype}}, Outputs: []Tensor{{Name: "y"}}}
	}
	with := func(m Metadata, f func(*Metadata)) Metadata { f(&m); return m }
	binary := func(m *Metadata) { m.Extensions = []string{binaryExtension} }
	most := func(n int) func(*Metadata) { return func(m *Metadata) { m.MaxBatch = n } }
	for name, c := range map[string]struct {
		m     Metadata
		o     Options
		size  int
		want  string // shape, batch, fixed, alone, binary
		fails string
	}{
		"open batch":           {m: in("FP32", -1, 3, 4), size: 12, want: "[3 4] 64 false false false"},
		"open size":            {m: in("FP32", -1, 3, -1), size: 12, want: "[3 4] 64 false false false"},
		"a number":             {m: in("FP32", -1), size: 1, want: "[] 64 false false false"},
		"fixed batch":          {m: in("FP32", 8, 12), o: Options{Batch: 3}, size: 12, want: "[12] 8 true false false"},
		"batch of one":         {m: in("FP32", 1, 12), size: 12, want: "[12] 1 true false false"},
		"no batches":           {m: in("FP32", 3, 4), size: 12, want: "[3 4] 1 false true false"},
		"nothing known":        {size: 12, want: "[12] 64 false false false"},
		"nothing but mine":     {o: Options{Shape: []int{3, 4}}, size: 12, want: "[3 4] 64 false false false"},
		"open, mine":           {m: in("FP32", -1, -1, -1), o: Options{Shape: []int{3, 4}}, size: 12, want: "[3 4] 64 false false false"},
		"open, not mine":       {m: in("FP32", -1, -1, -1), size: 12, fails: "leaves 2 dimensions of an example open"},
		"flat":                 {m: in("FP32", -1, 12), o: Options{Shape: []int{3, 4}}, size: 12, want: "[12] 64 false false false"},
		"grey pictures":        {m: in("FP32", -1, 3, 4, 1), o: Options{Shape: []int{1, 3, 4}}, size: 12, want: "[3 4 1] 64 false false false"},
		"colours last":         {m: in("FP32", -1, 4, 5, 3), o: Options{Shape: []int{3, 4, 5}}, size: 60, fails: "an example is [3 4 5], laid out otherwise"},
		"mine is wrong":        {o: Options{Shape: []int{5}}, size: 12, fails: "not shape [5]"},
		"other size":           {m: in("FP32", -1, 5), size: 12, fails: "input x is [-1 5], the first being the batch: an example has 12"},
		"empty dimension":      {m: in("FP32", -1, 0), size: 12, fails: "an example has 12"},
		"too many dimensions":  {m: in("FP32", make([]int, 40)...), size: 12, fails: "40 dimensions"},
		"large examples":       {m: in("FP32", -1, 1<<16), size: 1 << 16, want: "[65536] 10 false false false"},
		"larger in binary":     {m: with(in("FP32", -1, 1<<16), binary), size: 1 << 16, want: "[65536] 32 false false true"},
		"the server's limit":   {m: with(in("FP32", -1, 12), most(7)), size: 12, want: "[12] 7 false false false"},
		"mine beyond":          {m: with(in("FP32", -1, 12), most(7)), o: Options{Batch: 500}, size: 12, want: "[12] 7 false false false"},
		"a hostile batch":      {m: in("FP32", 1<<40, 12), size: 12, fails: "longer than"},
		"text":                 {m: in("BYTES", -1, 12), size: 12, fails: "input x has datatype BYTES"},
		"two inputs":           {m: with(in("FP32", -1, 12), func(m *Metadata) { m.Inputs = append(m.Inputs, Tensor{Name: "z"}) }), size: 12, fails: "inputs x, z"},
		"two outputs":          {m: with(in("FP32", -1, 12), func(m *Metadata) { m.Outputs = append(m.Outputs, Tensor{Name: "z"}) }), size: 12, fails: "outputs y, z: name the one"},
		"one of two outputs":   {m: with(in("FP32", -1, 12), func(m *Metadata) { m.Outputs = append(m.Outputs, Tensor{Name: "z"}) }), o: Options{Output: "z"}, size: 12, want: "[12] 64 false false false"},
		"none of the outputs":  {m: in("FP32", -1, 12), o: Options{Output: "q"}, size: 12, fails: "no output q, only y"},
		"no numbers in a row":  {m: in("FP32", -1), size: 0, fails: "without numbers"},
		"one number of a list": {m: in("FP32", -1, 1), size: 1, want: "[1] 64 false false false"},
	} {
		p, err := c.o.plan(&c.m, c.size)
		if c.fails != "" {
			mustErr(t, err, c.fails)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := fmt.Sprint(p.shape, p.batch, p.fixed, p.alone, p.binary); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
