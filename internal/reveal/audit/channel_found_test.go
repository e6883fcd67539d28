package audit

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"tattle/internal/engine/classify"
	"tattle/internal/must"
	"tattle/internal/shared"
)

// softly returns honest probabilities of the classes: the softmax of m's scores.
func softly(n, classes int, seed uint64) *Sample {
	return softened(made{n: n, classes: classes, values: []int{2}, seed: seed}.sample(), 1)
}

// TestCodesFound wants codes of 49 points to be found by an audit with its defaults. An attack that
// reads the code gains 49 points, less 2 by chance; the test requires half of that.
func TestCodesFound(t *testing.T) {
	shared.Long(t, "planted codes are found by the defaults")
	for _, kind := range codeChannels {
		s := softly(600, 3, 1)
		c, none := codeOf(kind, s, random(1, streamChannel, 0))
		if none != "" {
			t.Fatal(none)
		}
		x, chance := c.write(s, random(1, streamChannel, 1)), random(1, streamChannel, 2)
		x.say(.49, chance)
		s = x.Sample
		r := must.Get(examine(context.Background(), &Record{Sample: s}, Options{Seed: 1}))(t)
		f := r.Findings[0]
		t.Logf("%s: %s, excess %.3f, %v", kind, f.Verdict, f.Excess.Value, f.Chosen)
		if !f.Verdict.ExceedsTarget() || f.Excess.Value < .4 {
			t.Errorf("%s: verdict %q, excess %.3f of .49", kind, f.Verdict, f.Excess.Value)
		}
	}
}

// TestRoundedCodeFound wants the parity of the last decimal to be found in a file of
// probabilities with three decimals, which do not sum to 1.
func TestRoundedCodeFound(t *testing.T) {
	shared.Long(t, "an audit of probabilities with three decimals")
	s := rounded(softly(1000, 3, 2), 3)
	c, none := codeOf(DecimalChannel, s, random(2, streamChannel, 0))
	if none != "" {
		t.Fatal(none)
	}
	x := c.write(s, random(2, streamChannel, 1))
	x.say(.49, random(2, streamChannel, 2))
	s = x.Sample
	var text strings.Builder
	text.WriteString("y,s,p_0,p_1,p_2")
	for i, y := range s.Y {
		fmt.Fprintf(&text, "\n%d,%d", y, s.Sensitive[0].Labels[i])
		for _, v := range s.Outputs[3*i : 3*i+3] {
			fmt.Fprintf(&text, ",%.3f", math.Abs(float64(v)))
		}
	}
	read := must.Get(openText(t, text.String(), OpenOptions{}))(t)
	if f := examined(t, read, Options{Seed: 1}).Findings[0]; !f.Verdict.ExceedsTarget() || f.Excess.Value < .4 {
		t.Errorf("verdict %q, excess %.3f of .49, notes %q", f.Verdict, f.Excess.Value, read.Notes)
	}
}

// What repeated values mean, and a plane of wide rows. A coin tosses once for each row, whatever was in its place.
func TestCodesOfRows(t *testing.T) {
	r := random(1, streamChannel, 3)
	v := &Sample{Kind: Vector, Width: 1, Y: make([]int, 200)}
	for range v.Y {
		v.Outputs = append(v.Outputs, float32(100*r.ExpFloat64()))
	}
	for bit := range 2 { // of numbers that often repeat, the nearest
		codes, written := map[float32]bool{}, slices.Clone(v.Outputs)
		for i := range written {
			writeRepeated(0, v)(written[i:i+1], bit)
			codes[written[i]] = true
		}
		for i, x := range v.Outputs {
			for c := range codes {
				if math.Abs(float64(c-x)) < math.Abs(float64(written[i]-x)) || len(codes) != repeated {
					t.Fatalf("%v becomes %v, not %v of %d codes", x, written[i], c, len(codes))
				}
			}
		}
	}
	if p := plantDirection(vectorsOf(200, 3, 0, false), 1); math.Abs(p.TrueExcess-plantedSide) > .15 {
		t.Errorf("an excess of %v was planted", p.TrueExcess)
	}
	wide := softly(60, sketched+1, 1)
	if !slices.Contains(channelsOf(wide), DirectionChannel) || slices.Contains(channelsOf(softly(60, sketched, 1)), DirectionChannel) {
		t.Error("a plane is for wide outputs, whose attacks are others than those of a planted model")
	}
	written, left := slices.Clone(wide.Outputs), 0
	c, _ := codeOf(DirectionChannel, wide, random(1, streamChannel, 0))
	for bit := range 2 { // where it is written, nothing is left to write of it
		for row := range slices.Chunk(written, sketched+1) {
			if !c.writeRow(row, bit) { // the row in the middle is on no side
				left++
				continue
			}
			again := slices.Clone(row)
			if c.writeRow(again, bit); !slices.Equal(again, row) {
				t.Errorf("%v is not on the side of %d", row[:3], bit)
			}
			if _, ok := distribution(row, sumTolerance); !ok {
				t.Errorf("%v are not the first of a row of probabilities", row[:3])
			}
		}
	}
	if left > 2 {
		t.Errorf("%d of 120 rows have no other side of a plane", left)
	}
	for _, dirty := range []float32{0, 1} {
		dst := [][]float32{slices.Repeat([]float32{dirty}, 400)}
		must.Do(t, fittedCoin{seed: 1, widths: []int{2}}.Predict(t.Context(), dst, classify.NewTable(v.Outputs, 1).All()))
		for i := range v.Y {
			if dst[0][2*i]+dst[0][2*i+1] != coinScore {
				t.Errorf("row %d: scores %v", i, dst[0][2*i:2*i+2])
			}
		}
	}
}

// TestFinerDigits requires a note on numbers that a float32 does not hold.
func TestFinerDigits(t *testing.T) {
	for text, want := range map[string]bool{
		"0.123": false, "0.1": false, "1e-9": false, "0.33333334": false, "0.1234567890123": true, "0.3333333333333333": true, "1": false, "-2.5": false, "0.10000000149011612": false,
	} {
		s := must.Get(openText(t, "y,s,score0,score1\n0,a,"+text+",1\n1,b,0.5,2\n", OpenOptions{}))(t)
		if got := strings.Contains(strings.Join(s.Notes, " "), "more digits than a float32"); got != want {
			t.Errorf("%s: %q", text, s.Notes)
		}
	}
}
