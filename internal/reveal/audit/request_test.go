package audit

import (
	"context"
	"strings"
	"testing"

	"tattle/internal/must"
)

// Outputs of honest classifiers are used: they are neither among the columns that are not, nor
// taken for outputs of the audited model or for sensitive attributes.
func TestReferenceScoresAreUsed(t *testing.T) {
	rows := "a,b,h0,h1,k0,k1,id,y,s1\n" + strings.Repeat(".2,.8,.3,.7,.4,.6,5,1,f\n.7,.3,.6,.4,.5,.5,7,0,m\n.7,.3,.6,.4,.5,.5,7,0,f\n", 5)
	q := &Request{Outputs: put(t, "a.csv", rows), Target: "y", Sensitive: []string{"s1"}, OutputsOptions: OpenOptions{Columns: []string{"a", "b"}, References: []string{"h*", "k*"}}}
	check := func() {
		t.Helper()
		s := must.Get(q.Open(context.Background(), ""))(t)
		if len(s.References) != 2 || s.References[1].Name != q.OutputsOptions.References[1] || len(s.Sample.Classes) != 2 || len(s.Sample.Sensitive) != 1 {
			t.Fatalf("%+v", s.Sample)
		}
		for _, n := range s.Sample.Notes {
			if strings.Contains(n, "not used") && n != "columns that are not used: id" {
				t.Error(n)
			}
		}
	}
	check()
	q.OutputsOptions.Columns = []string{"h0", "h1"}
	must.Fail(t, must.Err(q.Open(context.Background(), "")), "column h0 has two roles")

	q.OutputsOptions.Columns, q.OutputsOptions.References, q.Sensitive, q.Target = nil, []string{"h", "k"}, nil, ""
	q.Outputs = archiveOf(t, "scores", []int{4, 2}, make([]float32, 8), "h", []int{4, 1}, make([]float32, 4), "k", []int{4, 2}, make([]float32, 8),
		"y", []int{4}, []int{0, 1, 0, 1}, "sex", []int{4}, []int{0, 1, 1, 0})
	check()
}

// A column that seems to say whom a row is about is named, unless there is an answer already.
func TestUnusedPerson(t *testing.T) {
	path := put(t, "a.csv", "p0,p1,y,s,Person\n"+strings.Repeat(".2,.8,1,f,a\n.7,.3,0,m,b\n.6,.4,0,f,c\n", 5))
	for group, want := range map[string]bool{"": true, "Person": false, "none": false} {
		q := &Request{Outputs: path, Target: "y", Sensitive: []string{"s"}, Group: group, OutputsOptions: OpenOptions{Columns: []string{"p0", "p1"}}}
		s := must.Get(q.Open(context.Background(), ""))(t, group)
		if got := strings.Contains(strings.Join(s.Sample.Notes, "\n"), "if Person says whom a row is about, give --group Person"); got != want {
			t.Errorf("--group %q: %q", group, s.Sample.Notes)
		}
	}
}
