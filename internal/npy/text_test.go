package npy

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tattle/internal/must"
)

func TestText(t *testing.T) {
	want := []string{"a", "", "Zürich", "日本", "a", "🜚 x\x00y"}
	var b bytes.Buffer
	must.Do(t, Write(&b, []int{3, 2}, want))
	if !strings.Contains(b.String(), "'descr': '<U6'") {
		t.Errorf("header %.80q", b.String())
	}
	a, err := readOne(&b)
	if err != nil || !slices.Equal(a.Shape, []int{3, 2}) || !reflect.DeepEqual(a.Data, want) {
		t.Errorf("%v, %v: want %q", a, err, want)
	}
	must.Fail(t, must.Err(a.Float64s())) // text in the place of numbers
	for _, bad := range []string{"\xff", "x\x00", strings.Repeat("x", maxText)} {
		if Write(&b, []int{1}, []string{bad}) == nil {
			t.Errorf("%.20q was written", bad)
		}
	}
}

// The types that NumPy writes: np.array(['é', 'ab']), big-endian, bytes, and in
// Fortran order.
func TestTextOfNumPy(t *testing.T) {
	for descr, c := range map[string]struct {
		data []byte
		want []string
	}{
		"'<U2', 'fortran_order': False, 'shape': (2,)":  {[]byte("\xe9\x00\x00\x00\x00\x00\x00\x00a\x00\x00\x00b\x00\x00\x00"), []string{"é", "ab"}},
		"'>U1', 'fortran_order': False, 'shape': (1,)":  {[]byte("\x00\x00\x00a"), []string{"a"}},
		"'|S3', 'fortran_order': False, 'shape': (2,)":  {[]byte("abcd\x00\x00"), []string{"abc", "d"}},
		"'|S1', 'fortran_order': True, 'shape': (2, 2)": {[]byte("acbd"), []string{"a", "b", "c", "d"}},
	} {
		a, err := readOne(bytes.NewReader(arrayFile(1, "{'descr': "+descr+"}", c.data...)))
		if err != nil || !reflect.DeepEqual(a.Data, c.want) {
			t.Errorf("%s: %q, %v", descr, a.Data, err)
		}
	}
	for _, descr := range []string{"'|O'", "'<U0'", "'|U1'", "'<U-1'", "'<U9999999'", "'|S1', 'shape': (4611686018427387904,), 'x'", "'xU1'"} {
		header := "{'descr': " + descr + ", 'fortran_order': False, 'shape': (1,)}"
		if _, err := readOne(bytes.NewReader(arrayFile(1, header, 0, 0, 0, 0))); err == nil {
			t.Errorf("%s was read", descr)
		}
	}
	huge := arrayFile(1, "{'descr': '<U16000', 'fortran_order': False, 'shape': (1152921504606846975,)}", 0)
	must.Fail(t, must.Err(readOne(bytes.NewReader(huge))))                                                                                   // 2^60 strings
	must.Fail(t, must.Err(readOne(bytes.NewReader(arrayFile(1, "{'descr': '<U1', 'fortran_order': False, 'shape': (1,)}", 0, 0, 0x11, 0))))) // 0x110000 is no character
}
