package audit

import (
	"context"
	"testing"
)

// softly returns honest probabilities of so many classes: the softmax of m's scores.
func softly(n, classes int, seed uint64) *Sample {
	return softened(made{n: n, classes: classes, values: []int{2}, seed: seed}.sample(), 1)
}

// TestCodesFound wants codes of 49 points to be found by an audit with its defaults. An
// attack that reads the code has 49 points less luck of 1.6; half of them is far off.
func TestCodesFound(t *testing.T) {
	for _, kind := range codeChannels {
		s := softly(1000, 3, 1)
		c, none := codeOf(kind, s, random(1, streamChannel, 0))
		if none != "" {
			t.Fatal(none)
		}
		s, _ = plantCode(s, c, .49, random(1, streamChannel, 1))
		r, err := examine(context.Background(), s, Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		f := &r.Findings[0]
		t.Logf("%s: %s, excess %.3f, %v", kind, f.Verdict, f.Excess.Value, f.Chosen)
		if !f.Verdict.TellsBeyond() || f.Excess.Value < .4 {
			t.Errorf("%s in %s: verdict %q, excess %.3f of .49", kind, c.where, f.Verdict, f.Excess.Value)
		}
	}
}
