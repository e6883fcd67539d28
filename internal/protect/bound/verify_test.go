package bound

import (
	"context"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/file"
	"tattle/internal/must"
	"tattle/internal/npy"
	"tattle/internal/run"
)

// verified runs Verify on what a run wrote.
func verified(t testing.TB, m Model, data nn.Source, r *Result, c Claims) []string {
	t.Helper()
	return must.Get(Verify(context.Background(), m, data, r.Experiment, c, nil))(t)
}

func (r *Result) claims() Claims {
	return Claims{Arrays: r.Path, SHA256: r.SHA256}
}

// A change of one digit is found by what it says; an old digest is found, too.
func TestVerifyCatchesOneDigit(t *testing.T) {
	m, data, e := small(t)
	r := mustRun(t, m, data, upTo(70), e)
	for _, v := range []struct {
		array, says string
		at          int
		change      float64
	}{
		{"s200_std", "s200_std of example 2, coordinate 5", 2*24 + 5, 1e-7},
		{"s200_std", "s200_std of example 69, coordinate 23", 69*24 + 23, .1},
		{"s200_mean_square", "s200_mean_square of example 7", 7, 1e-7},
		{"cramer_rao", "cramer_rao of example 1, coordinate 0", 24, 1e-3},
		{"singular_values", "singular_values of example 0", 0, 1e-3},
		{"s200_eps", "s200_std of example 4", (4*6+2)*24 + 9, .01},
		{"theta", "theta of example 2, coordinate 2", 50, .01},
		{"cramer_rao_axis", "cramer_rao_axis of example 1, coordinate 3", 27, 1e-3},
		{"seen", "seen of example 2, coordinate 5", 53, 1e-3},
	} {
		c := forge(t, r, v.array, v.at, v.change)
		if found := verified(t, m, data, r, c); !names(found, v.says) {
			t.Errorf("%s %d changed: %v", v.array, v.at, found)
		}
		c.SHA256 = r.SHA256
		if found := verified(t, m, data, r, c); !names(found, v.says) || !names(found, "SHA-256") {
			t.Errorf("%s %d changed, not the digest: %v", v.array, v.at, found)
		}
	}
}

// What is called unbounded may be finite elsewhere, and the other way round, only where
// it is that large but for its tolerance.
func TestUnboundedUpToRounding(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		recorded, recomputed, within float64
		found                        int
	}{
		{inf, inf, 1, 0}, {inf, UnboundedFrom, 0, 0}, {inf, .6 * UnboundedFrom, 1, 0}, {.6 * UnboundedFrom, inf, 1, 0}, {inf, .9999 * UnboundedFrom, 1e-9, 1},
		{inf, .4 * UnboundedFrom, 1, 1}, {.4 * UnboundedFrom, inf, 1, 1}, {math.NaN(), inf, 1, 1}, {0, inf, 1, 1}, {inf, 0, 1, 1}, {3, 1, 1, 1}, {2, 1, 1, 0},
		{math.NaN(), 1, .5, 1}, {0, 1, .5, 1}, {1, 0, .5, 1}, {-1, 1, .5, 1}, {1.5, 1, .5, 0}, {.4, 1, .5, 1},
	} {
		var v verifier
		if v.bound("x", 0, 0, c.recorded, c.recomputed, c.within, UnboundedFrom); len(v.found) != c.found {
			t.Errorf("recorded %g, recomputed %g within %g: %v", c.recorded, c.recomputed, c.within, v.found)
		}
	}
}

// A mean square is called unbounded from the square of the standard deviation on that is called so.
func TestUnboundedMeanSquare(t *testing.T) {
	for std, found := range map[float64]int{1.4: 0, 1.6: 1} { // the recomputed value is 1, with an allowance of .5 for rounding
		var v verifier
		if v.limits("std", "square", 0, []float64{std}, std, &limits{std: []float64{1}, slack: []float64{.5}, square: 1, squareSlack: .5}, UnboundedFrom); len(v.found) != 2*found {
			t.Errorf("recorded %g, recomputed 1: %v", std, v.found)
		}
	}
	for square, found := range map[float64]int{.9 * UnboundedFrom * UnboundedFrom: 1, 1.1 * UnboundedFrom * UnboundedFrom: 0} {
		var v verifier
		if v.limits("std", "square", 0, nil, math.Inf(1), &limits{square: square}, UnboundedFrom); len(v.found) != found {
			t.Errorf("recorded +Inf, recomputed %g: %v", square, v.found)
		}
	}
}

// A model with ten of its rows changed by a thousandth proves something else.
func TestVerifyCatchesAnotherModel(t *testing.T) {
	m, data, e := small(t)
	e.SkipCramerRao = true
	r := mustRun(t, m, data, upTo(5), e)
	p := m.Graph().Params()[0]
	for i := range p.Data[:p.Shape[1]*10] {
		p.Data[i] *= 1.001
	}
	p.Changed()
	if found := verified(t, m, data, r, r.claims()); !names(found, "s200_std") {
		t.Errorf("another model: %v", found)
	}
}

func TestLoadRefuses(t *testing.T) {
	m, data, e := small(t)
	r := mustRun(t, m, data, upTo(5), e)
	other := r.Experiment
	other.Coordinates = Pixels(7)
	must.Fail(t, must.Err(Load(r.Path, other)), "shape") // arrays of another shape
	path := filepath.Join(t.TempDir(), "short.npz")
	whole := must.Get(os.ReadFile(r.Path))(t)
	must.Do(t, os.WriteFile(path, whole[:len(whole)/2], 0o666))
	must.Fail(t, must.Err(Load(path, r.Experiment))) // half an archive
	none, never := r.Experiment, r.Experiment
	none.Sizes, never.Search.Restarts = nil, 0
	for _, e := range []Experiment{none, never} {
		must.Fail(t, must.Err(Verify(t.Context(), m, data, e, r.claims(), nil)), "nothing to verify")
	}
}

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
