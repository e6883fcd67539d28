package must_test

import (
	"errors"
	"strconv"
	"testing"

	"tattle/internal/must"
)

// noted is a test that only counts its failures.
type noted struct {
	testing.TB
	ended, failed int
}

func (n *noted) Helper()               {}
func (n *noted) Fatal(...any)          { n.ended++ }
func (n *noted) Errorf(string, ...any) { n.failed++ }
func (n *noted) Error(...any)          { n.failed++ }

func TestMust(t *testing.T) {
	must.Do(t, nil)
	if x := must.Get(strconv.Atoi("7"))(t); x != 7 {
		t.Errorf("Get(7) is %d", x)
	}
	if x, y := must.Get2(1, "a", nil)(t); x != 1 || y != "a" {
		t.Errorf("Get2(1, a) is %d, %s", x, y)
	}
	err := errors.New("a file is broken")
	must.Fail(t, err)
	must.Fail(t, must.Err2(1, 2, err), "file", "broken")
	must.Fail(t, must.Err(strconv.Atoi("x")), "invalid")
	must.Panic(t, func() { panic("at once") })
	if a, b := must.BinomialMost(2, .5, .25), must.BinomialMost(2, .5, .2); a != 1 || b != 2 {
		t.Errorf("of two coins at most %d and %d show heads", a, b)
	}
	for name, c := range map[string]struct {
		do   func(t testing.TB)
		want noted
	}{
		"Do":       {func(t testing.TB) { must.Do(t, err) }, noted{ended: 1}},
		"Get":      {func(t testing.TB) { must.Get(1, err)(t) }, noted{ended: 1}},
		"Get2":     {func(t testing.TB) { must.Get2(1, 2, err)(t) }, noted{ended: 1}},
		"no panic": {func(t testing.TB) { must.Panic(t, func() {}) }, noted{failed: 1}},
		"no error": {func(t testing.TB) { must.Fail(t, nil, "file") }, noted{failed: 1}},
		"a part":   {func(t testing.TB) { must.Fail(t, err, "file", "whole") }, noted{failed: 1}},
		"lines":    {func(t testing.TB) { must.Fail(t, errors.New("a file\nis broken"), "file") }, noted{failed: 1}},
	} {
		var n noted
		if c.do(&n); n != c.want {
			t.Errorf("%s: %+v, want %+v", name, n, c.want)
		}
	}
}
