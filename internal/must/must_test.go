package must_test

import (
	"errors"
	"strconv"
	"testing"

	"tattle/internal/must"
)

// failed is a test that only notes its end.
type failed struct {
	testing.TB
	with []any
}

func (f *failed) Helper()           {}
func (f *failed) Fatal(args ...any) { f.with = args }

func TestMust(t *testing.T) {
	must.Do(t, nil)
	if x := must.Get(strconv.Atoi("7"))(t); x != 7 {
		t.Errorf("Get(7) is %d", x)
	}
	if x, y := must.Get2(1, "a", nil)(t); x != 1 || y != "a" {
		t.Errorf("Get2(1, a) is %d, %s", x, y)
	}
	err := errors.New("broken")
	for name, do := range map[string]func(t testing.TB){
		"Do":   func(t testing.TB) { must.Do(t, err) },
		"Get":  func(t testing.TB) { must.Get(1, err)(t) },
		"Get2": func(t testing.TB) { must.Get2(1, 2, err)(t) },
	} {
		var f failed
		if do(&f); len(f.with) != 1 || f.with[0] != err {
			t.Errorf("%s ends a test with %v, not with its error", name, f.with)
		}
	}
}
