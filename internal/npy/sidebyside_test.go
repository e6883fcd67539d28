package npy

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"tattle/internal/must"
)

// Arrays that grew in turns are read back, whole and by rows, with their checksums.
func TestSideBySide(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npz")
	f := must.Get(os.Create(path))(t)
	defer f.Close()
	s := must.Get(NewSideBySide(f, []Outline{{"half", []int{4, 2}, "<f4"}, {"none", []int{0, 3}, "<f8"}, {"whole", []int{4}, "<i8"}}))(t)
	halves, numbers := []float32{1, -2, 0x1p-24, 65504}, []int64{1, -2}
	for range 2 {
		must.Do(t, s.Part("whole").Append(numbers))
		must.Do(t, s.Part("half").Append(halves))
	}
	must.Fail(t, s.Part("whole").Append(numbers)) // more data than declared
	must.Do(t, s.Close())
	z := must.Get(Open(path))(t)
	defer z.Close()
	for _, m := range z.member {
		if !m.Modified.Equal(epoch) {
			t.Errorf("%s is of %v, want %v", m.Name, m.Modified, epoch)
		}
	}
	for name, want := range map[string]any{
		"half": []float32{1, -2, 0x1p-24, 65504, 1, -2, 0x1p-24, 65504}, "none": []float64{}, "whole": []int64{1, -2, 1, -2},
	} {
		a, err := z.Array(name)
		if err != nil || !reflect.DeepEqual(a.Data, want) {
			t.Errorf("%s is %v, want %v (%v)", name, a.Data, want, err)
		}
	}
	rows := must.Get(z.Rows("half"))(t)
	if a, err := rows.Read(1, 2); err != nil || !reflect.DeepEqual(a.Data, []float32{0x1p-24, 65504}) {
		t.Errorf("row 1 is %v (%v)", a.Data, err)
	}
}

func TestSideBySideRefuses(t *testing.T) {
	f := must.Get(os.Create(filepath.Join(t.TempDir(), "a.npz")))(t)
	defer f.Close()
	for want, arrays := range map[string][]Outline{
		"twice":         {{"x", []int{1}, "<f4"}, {"x", []int{1}, "<f4"}},
		"little-endian": {{"x", []int{1}, ">f4"}},
		"plain number":  {{"x", []int{1}, "<c8"}},
		"invalid name":  {{"../x", []int{1}, "<f4"}},
	} {
		must.Fail(t, must.Err(NewSideBySide(f, arrays)), want)
	}
	s := must.Get(NewSideBySide(f, []Outline{{"x", []int{2}, "<f4"}}))(t)
	must.Fail(t, s.Part("x").Append([]float64{1, 2})) // of another type
	must.Do(t, s.Part("x").Append([]float32{1}))
	must.Fail(t, s.Close(), "lacks 4 bytes") // closed with half of an array
}
