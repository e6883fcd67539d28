package bound

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tattle/internal/file"
	"tattle/internal/must"
	"tattle/internal/npy"
	"tattle/internal/run"
)

// forge writes the arrays again with one element of one of them changed.
func forge(t *testing.T, r *Result, name string, at int, change float64) Claims {
	t.Helper()
	return forgeArray(t, r, name, func(data any) {
		switch x := data.(type) {
		case []float64:
			x[at] *= 1 + change
		case []float32:
			x[at] *= 1 + float32(change)
		case []int64:
			x[at]++
		case []int32:
			x[at]--
		case []int16:
			x[at] = (x[at] + 1) % 6
		default:
			t.Fatalf("array %s of %T", name, x)
		}
	})
}

// forgeArray writes the arrays again with one of them changed.
func forgeArray(t *testing.T, r *Result, name string, change func(data any)) Claims {
	t.Helper()
	f, to := open(t, r.Path), filepath.Join(t.TempDir(), "forged.npz")
	must.Do(t, file.Write(to, func(w io.Writer) error {
		z := npy.NewWriter(w)
		for _, n := range f.Names() {
			a, err := f.Array(n)
			if err != nil {
				return err
			}
			if n == name {
				change(a.Data)
			}
			if err := z.Add(n, a.Shape, a.Data); err != nil {
				return err
			}
		}
		return z.Close()
	}))
	return Claims{Arrays: to, SHA256: must.Get(run.Digest(to))(t)}
}

func names(found []string, says string) bool {
	return slices.ContainsFunc(found, func(s string) bool { return strings.Contains(s, says) })
}
