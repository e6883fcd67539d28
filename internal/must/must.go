// Package must is for tests: it ends a test on an error, in one line.
package must

import "testing"

// Do ends the test on an error: must.Do(t, os.Remove(path)).
func Do(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Get returns a function that returns x, or ends the test on an error:
// data := must.Get(os.ReadFile(path))(t).
func Get[T any](x T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		Do(t, err)
		return x
	}
}

// Get2 is Get for two values.
func Get2[T, U any](x T, y U, err error) func(t testing.TB) (T, U) {
	return func(t testing.TB) (T, U) {
		t.Helper()
		Do(t, err)
		return x, y
	}
}
