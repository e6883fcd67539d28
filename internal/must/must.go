// Package must is for tests: what a test says of errors and panics, in one line, and how often a statistic may fail.
package must

import (
	"math"
	"strings"
	"testing"
)

// Do ends the test on an error: must.Do(t, os.Remove(path)). What the error is of, such as the
// name of a case, is printed before it.
func Do(t testing.TB, err error, of ...any) {
	t.Helper()
	if err != nil {
		t.Fatal(append(of, err)...)
	}
}

// Get returns a function that returns x, or ends the test on an error:
// data := must.Get(os.ReadFile(path))(t).
func Get[T any](x T, err error) func(t testing.TB, of ...any) T {
	return func(t testing.TB, of ...any) T {
		t.Helper()
		Do(t, err, of...)
		return x
	}
}

// Get2 is Get for two values.
func Get2[T, U any](x T, y U, err error) func(t testing.TB, of ...any) (T, U) {
	return func(t testing.TB, of ...any) (T, U) {
		t.Helper()
		Do(t, err, of...)
		return x, y
	}
}

// Fail notes a failure of the test, which goes on, unless err is an error of one line
// with every one of the parts.
func Fail(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", parts)
		return
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one line with %q", err, p)
		}
	}
}

// Err leaves the error of a value and an error: must.Fail(t, must.Err(Parse(s)), "line 3").
func Err[T any](_ T, err error) error { return err }

// Err2 is Err for two values.
func Err2[T, U any](_ T, _ U, err error) error { return err }

// Panic notes a failure of the test unless f panics.
func Panic(t testing.TB, f func(), of ...any) {
	t.Helper()
	defer func() {
		t.Helper()
		if recover() == nil {
			t.Error(append(of, "no panic")...)
		}
	}()
	f()
}

// BinomialMost returns the least k with P(more than k of n) ≤ tail, where each is with probability p.
func BinomialMost(n int, p, tail float64) int {
	above, term := 1., math.Pow(1-p, float64(n))
	for k := 0; ; k++ {
		if above -= term; above <= tail {
			return k
		}
		term *= p / (1 - p) * float64(n-k) / float64(k+1)
	}
}
