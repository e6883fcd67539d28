package audit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tattle/internal/must"
	"tattle/internal/reveal/curious"
	"tattle/internal/shared"
)

// softmaxes draws n distributions [n, width] in float64.
func softmaxes(n, width int, r *rand.Rand) []float64 {
	p := make([]float64, n*width)
	for i := 0; i < len(p); i += width {
		total := 0.
		for j := range width {
			p[i+j] = math.Exp(2 * r.NormFloat64())
			total += p[i+j]
		}
		for j := range width {
			p[i+j] /= total
		}
	}
	return p
}

// Probabilities written with any number of decimals are read, from a CSV as from an
// .npz, and differ from the true ones by their rounding alone.
func TestOpenRounded(t *testing.T) {
	shared.Long(t, "probabilities of any number of decimals")
	const n = 60
	r := rand.New(rand.NewPCG(5, 1))
	for _, width := range []int{2, 3, 10, 100} {
		p := softmaxes(n, width, r)
		for d := 1; d <= 8; d++ {
			var text strings.Builder
			text.WriteString("y,s1")
			for j := range width {
				fmt.Fprintf(&text, ",p_%d", j)
			}
			read, y := make([]float64, len(p)), make([]int, n)
			for i := range n {
				fmt.Fprintf(&text, "\n%d,%d", i%2, i%3)
				y[i] = i % 2
				for j, v := range p[i*width:][:width] {
					unit := math.Pow10(d)
					read[i*width+j] = math.RoundToEven(v*unit) / unit
					fmt.Fprintf(&text, ",%.*f", d, read[i*width+j])
				}
			}
			s, err := openText(t, text.String(), OpenOptions{})
			if err != nil {
				t.Errorf("%d decimals of %d: %v", d, width, err)
				continue
			}
			if s.Kind != curious.Soft || s.Check() != nil {
				t.Fatalf("%d decimals of %d: %s outputs, %v", d, width, s.Kind, s.Check())
			}
			again, err := OpenOutputs(context.Background(), archiveOf(t, "probabilities", []int{n, width}, read, "y", []int{n}, y, "s", []int{n}, y), OpenOptions{})
			if err != nil || !slices.Equal(again.Outputs, s.Outputs) || d < decimalPlaces && !slices.Equal(again.Notes, s.Notes) {
				t.Errorf("%d decimals of %d: an .npz is read otherwise: %v", d, width, err)
			}
			farthest := 0.
			for i, v := range s.Outputs {
				farthest = max(farthest, math.Abs(float64(v)-read[i]))
			}
			if farthest > roundingSlack {
				t.Errorf("%d decimals of %d: outputs are up to %g from what was written", d, width, farthest)
			}
			path := filepath.Join(t.TempDir(), "again.npz")
			must.Do(t, s.write(nil, path))
			if again, err = OpenOutputs(context.Background(), path, OpenOptions{}); err != nil || !slices.Equal(again.Outputs, s.Outputs) || d < decimalPlaces && !slices.Equal(again.Notes, s.Notes) {
				t.Errorf("%d decimals of %d do not come back as written: %v", d, width, err)
			}
		}
	}
}

// Rounding is undone where it explains the sums, and nowhere else.
func TestSumSlack(t *testing.T) {
	for _, c := range []struct {
		row  []float32
		want bool
	}{
		{[]float32{.33, .33, .33}, true},
		{[]float32{.34, .34, .34}, false}, // at least .335 each
		{[]float32{.33, .33, .32}, false}, // at most .335 + .335 + .325
		{[]float32{.335, .335, .32}, false},
		{[]float32{.5, .4}, true}, // .55 and .45
		{[]float32{.5, .3}, false},
		{[]float32{1, 1}, false}, // no decimals
		{[]float32{1, 0}, true},
		{[]float32{1.1, -.1}, false},
		{[]float32{0, 0, .9}, true},
		{[]float32{0, 0, 1.1}, false},
		{[]float32{1. / 3, 1. / 3, .32}, false}, // as many decimals as there are
	} {
		if _, ok := distribution(c.row, sumSlack(c.row, len(c.row))); ok != c.want {
			t.Errorf("%v: %t", c.row, ok)
		}
	}
	zeros := make([]float32, 40)
	zeros[0] = .9
	rounded := &Sample{Width: 20, Classes: make([]string, 20), Outputs: zeros, Y: make([]int, 2)}
	err := rounded.settle(curious.Soft, nil)
	soft := make([]float32, 40)
	fillForms(map[string][]float32{formSoft: soft}, &Sample{Kind: curious.Soft, Classes: make([]string, 20), Outputs: zeros}, 0, []int{0, 1})
	if err != nil || rounded.Kind != curious.Soft || soft[20] != .05 || soft[0] != 1 || !strings.Contains(rounded.Notes[0], "rounded to 1 decimals") {
		t.Errorf("a row of zeros: %v %v %q", err, soft, rounded.Notes)
	}
	raw := "y,s1,score0,score1,score2,score3,score4,score5\n0,a,.1,.2,.1,.1,.1,.2\n1,b,.3,.3,.2,.1,.1,.2\n"
	if s, err := openText(t, raw, OpenOptions{}); err != nil || s.Kind != curious.Raw || len(s.Notes) != 0 {
		t.Errorf("scores of one decimal that nobody calls probabilities: %+v, %v", s, err)
	}
	if s, err := openText(t, strings.ReplaceAll(raw, "score", "p_"), OpenOptions{}); err != nil || s.Kind != curious.Soft || len(s.Notes) != 1 {
		t.Errorf("the same, called so: %+v, %v", s, err)
	}
}
