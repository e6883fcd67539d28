package npy

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// Arrays that grew in turns are read back, whole and by rows, with their checksums.
func TestSideBySide(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s, err := NewSideBySide(f, []Outline{{"half", []int{4, 2}, "<f2"}, {"none", []int{0, 3}, "<f8"}, {"whole", []int{4}, "<i8"}})
	if err != nil {
		t.Fatal(err)
	}
	halves, numbers := []Float16{0x3c00, 0xc000, 1, 0x7bff}, []int64{1, -2}
	for range 2 {
		if err := s.Part("whole").Append(numbers); err != nil {
			t.Fatal(err)
		}
		if err := s.Part("half").Append(halves); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Part("whole").Append(numbers); err == nil {
		t.Error("an array takes more data than it was declared with")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	z, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
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
	rows, err := z.Rows("half")
	if err != nil {
		t.Fatal(err)
	}
	if a, err := rows.Read(1, 2); err != nil || !reflect.DeepEqual(a.Data, []float32{0x1p-24, 65504}) {
		t.Errorf("row 1 is %v (%v)", a.Data, err)
	}
}

func TestSideBySideRefuses(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "a.npz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for want, arrays := range map[string][]Outline{
		"twice":         {{"x", []int{1}, "<f4"}, {"x", []int{1}, "<f4"}},
		"little-endian": {{"x", []int{1}, ">f4"}},
		"invalid name":  {{"../x", []int{1}, "<f4"}},
	} {
		if _, err := NewSideBySide(f, arrays); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", arrays, err, want)
		}
	}
	s, err := NewSideBySide(f, []Outline{{"x", []int{2}, "<f4"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Part("x").Append([]float32{1}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "lacks 4 bytes") {
		t.Errorf("closed with half of an array: %v", err)
	}
}
