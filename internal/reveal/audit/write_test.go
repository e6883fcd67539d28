package audit

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tattle/internal/must"
	"tattle/internal/reveal/curious"
)

// drawn makes a sample of every kind of attribute with names that need quoting.
func drawn(n, width int, kind curious.Outputs, seed uint64) *Sample {
	r := rand.New(rand.NewPCG(seed, 1))
	s := &Sample{Kind: kind, Target: "what is: it", Outputs: make([]float32, n*width)}
	for j := range width {
		s.Classes = append(s.Classes, fmt.Sprintf("c,%d \"x\";|é", width-j))
	}
	odd := []string{`a=b|c\`, "NA", "line\nbreak", "0", "z:number"}
	age, group := Attribute{Name: "age:=x"}, Attribute{Name: "group", Values: odd}
	few := Attribute{Name: "few"}
	for i := range n {
		s.Y = append(s.Y, r.IntN(width))
		group.Labels = append(group.Labels, r.IntN(len(odd)-1)) // the last class has no example
		age.Numbers = append(age.Numbers, r.NormFloat64())
		few.Numbers = append(few.Numbers, float64(r.IntN(2)))
		row, sum := s.Outputs[i*width:][:width], float32(0)
		for j := range row {
			row[j] = float32(math.Exp(3 * r.NormFloat64()))
			sum += row[j]
		}
		for j := range row {
			if kind == curious.Soft {
				row[j] /= sum
			}
		}
	}
	s.Sensitive = []Attribute{group, age, few}
	return s
}

func TestWrite(t *testing.T) {
	for _, kind := range []curious.Outputs{curious.Raw, curious.Soft} {
		want := drawn(100, 3, kind, 7)
		path := filepath.Join(t.TempDir(), "out.npz")
		must.Do(t, want.write(nil, path))
		got := must.Get(OpenOutputs(context.Background(), path, OpenOptions{}))(t)
		want.Name = "out"
		if !reflect.DeepEqual(got, want) || got.Sum() != want.Sum() {
			t.Errorf("%s:\n%.600s\nwant\n%.600s", kind, fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want))
		}
	}
	for _, bad := range []string{"", " x", "a\rb", "\xff"} {
		s := drawn(5, 2, curious.Raw, 1)
		s.Classes[1] = bad
		if err := s.write(nil, filepath.Join(t.TempDir(), "a.npz")); err == nil || !strings.Contains(err.Error(), "cannot be written") {
			t.Errorf("class %q: %v", bad, err)
		}
	}
}

// FuzzCSV reads what may be a CSV; what can be read can be written as an archive and read back.
func FuzzCSV(f *testing.F) {
	f.Add([]byte("\ufefflabel;s1;p_cat;p_dog\r\ndog;f;.25;.75\ncat;\"m\";.5;.5\n"))
	f.Add([]byte("y:t,s:a,s:n:number,logit:0\n0,x,1,3\n1,y,2,-4\n"))
	f.Add([]byte("y\ts1\tscore\n0\ta\tNaN\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, err := ReadOutputs(t.Context(), "fuzz.csv", data, OpenOptions{}); err == nil {
			roundTrip(t, s)
		}
	})
}

// FuzzNPZ reads what may be an archive.
func FuzzNPZ(f *testing.F) {
	for _, kind := range []curious.Outputs{curious.Raw, curious.Soft} {
		var b bytes.Buffer
		must.Do(f, drawn(4, 2, kind, 1).writeNPZ(&b))
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, err := ReadOutputs(t.Context(), "fuzz.npz", data, OpenOptions{}); err == nil {
			roundTrip(t, s)
		}
	})
}

// roundTrip writes and reads a sample that was read, whose names may be too odd to be
// written.
func roundTrip(t *testing.T, s *Sample) {
	if err := s.Check(); err != nil {
		t.Fatalf("a sample that is none was read: %v", err)
	}
	if s.writable() != nil {
		return
	}
	var b bytes.Buffer
	must.Do(t, s.writeNPZ(&b))
	again, err := ReadOutputs(t.Context(), "again.npz", b.Bytes(), OpenOptions{})
	if err != nil || again.Sum() != s.Sum() {
		t.Fatalf("%v\n%+v\nwritten as\n%.1000q\nand read again is\n%+v", err, s, b.Bytes(), again)
	}
}
