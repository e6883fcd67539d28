package bound

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tattle/run"
)

// verified runs Verify on what a run wrote.
func verified(t testing.TB, m Model, data Source, r *Result, c Claims) []Discrepancy {
	t.Helper()
	found, err := Verify(context.Background(), m, data, r.Experiment, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func (r *Result) claims() Claims {
	return Claims{Arrays: r.Path, SHA256: r.SHA256, Summaries: append([]Summary(nil), r.Summaries...)}
}

func TestVerifyConfirms(t *testing.T) {
	m, data, e := small(t)
	e.Sizes = []float64{1. / 200, 1. / 1000}
	for _, search := range []string{Direct, Algorithm1, Published} {
		e.Search.Search, e.SkipCramerRao = search, search == Published
		r := mustRun(t, m, data, upTo(70), e)
		if found := verified(t, m, data, r, r.claims()); len(found) != 0 {
			t.Errorf("%s: %v", search, found)
		}
	}
}

// One digit of one figure, changed in the arrays with the digest brought up to
// date, is found by what it says; with the digest left alone, twice.
func TestVerifyCatchesOneDigit(t *testing.T) {
	m, data, e := small(t)
	r := mustRun(t, m, data, upTo(70), e)
	original, err := os.ReadFile(r.Path)
	if err != nil {
		t.Fatal(err)
	}
	f := open(t, r.Path)
	for _, v := range []struct {
		array, says string
		at          int
		scale       float64
	}{
		{"s200_std", "s200_std of example 2, coordinate 5", 2*24 + 5, 1 + 1e-6},
		{"s200_std", "s200_std of example 69, coordinate 23", 69*24 + 23, 1.1},
		{"s200_z_norm", "s200_z_norm of example 3, coordinate 1", 3*6 + 1, 1 - 1e-6},
		{"s200_mean_square", "s200_mean_square of example 7", 7, 1 + 1e-6},
		{"cramer_rao", "cramer_rao of example 1, coordinate 0", 24, 1 + 1e-3},
		{"singular_values", "singular_values of example 0", 0, 1 + 1e-3},
	} {
		x := array(t, f, v.array)
		old, changed := x[v.at], x[v.at]*v.scale
		tamper(t, r.Path, original, bits64(old), bits64(changed))
		c := r.claims()
		if found := verified(t, m, data, r, c); !names(found, v.says) || !names(found, "SHA-256") {
			t.Errorf("%s %d changed: %v", v.array, v.at, found)
		}
		c.SHA256, _ = run.Digest(r.Path)
		if found := verified(t, m, data, r, c); !names(found, v.says) {
			t.Errorf("%s %d changed, digest too: %v", v.array, v.at, found)
		}
	}
	eps, _, err := f.Float32s("s200_eps")
	if err != nil {
		t.Fatal(err)
	}
	at := (4*6+2)*24 + 9
	tamper(t, r.Path, original, bits32(eps[at]), bits32(eps[at]*1.01))
	if found := verified(t, m, data, r, r.claims()); !names(found, "s200_z_norm of example 4, coordinate 2") {
		t.Errorf("a witness changed: %v", found)
	}
	tamper(t, r.Path, original, bits32(data.x[50]), bits32(data.x[50]+.01))
	if found := verified(t, m, data, r, r.claims()); !names(found, "theta of example 2, coordinate 2") {
		t.Errorf("an input changed: %v", found)
	}
	if err := os.WriteFile(r.Path, original, 0o666); err != nil {
		t.Fatal(err)
	}
	for i := range r.Summaries {
		c := r.claims()
		s := c.Summaries[i]
		q := s.Quantile(.5) * (1 + 1e-12)
		c.Summaries[i].StdQuantiles = map[string]*float64{"0.05": s.StdQuantiles["0.05"], "0.25": s.StdQuantiles["0.25"],
			"0.5": &q, "0.75": s.StdQuantiles["0.75"], "0.95": s.StdQuantiles["0.95"]}
		if found := verified(t, m, data, r, c); len(found) != 1 || !names(found, "quantile 0.5") {
			t.Errorf("summary %d changed: %v", i, found)
		}
	}
	c := r.claims()
	c.Summaries[0].UnboundedFraction = .5
	if found := verified(t, m, data, r, c); !names(found, "unbounded fraction") {
		t.Errorf("unbounded fraction changed: %v", found)
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
	if _, err := Load(r.Path, other); err == nil || !strings.Contains(err.Error(), "shape") {
		t.Errorf("arrays of another shape: %v", err)
	}
	path := filepath.Join(t.TempDir(), "short.npz")
	whole, err := os.ReadFile(r.Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, whole[:len(whole)/2], 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path, r.Experiment); err == nil {
		t.Error("half an archive is accepted")
	}
}

func names(found []Discrepancy, says string) bool {
	for _, d := range found {
		if strings.Contains(d.String(), says) {
			return true
		}
	}
	return false
}

func bits64(v float64) []byte { return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)) }
func bits32(v float32) []byte { return binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)) }

// tamper writes the file with the first occurrence of some bytes replaced.
// Checksums of the archive's members stay as they were, as they do where arrays
// are read by rows.
func tamper(t *testing.T, path string, original, old, changed []byte) {
	t.Helper()
	if bytes.Equal(old, changed) || !bytes.Contains(original, old) {
		t.Fatalf("cannot replace % x by % x", old, changed)
	}
	err := run.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(bytes.Replace(original, old, changed, 1))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
