package audit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tattle/internal/must"
)

// TestOutliers: a leak of a number is found though a few codes for missing numbers hold nearly all of
// its variance; numbers without such codes are left as they are.
func TestOutliers(t *testing.T) {
	const n = 400
	var b strings.Builder
	b.WriteString("y,s1_age,score:a,score:b\n")
	for i := range n {
		age, y := float64(20+i*37%61), i%2
		score := float64(2*y-1) + (age-50)/30
		switch i {
		case 7, 200:
			age = 9999
		case 301:
			age = -999
		}
		fmt.Fprintf(&b, "%c,%v,%v,%v\n", "ab"[y], age, -score, score)
	}
	s := must.Get(ReadOutputs(t.Context(), "ages.csv", []byte(b.String()), OpenOptions{}))(t)
	clean, said := s.tamed()
	if len(said) != 1 || !strings.Contains(said[0], "age: 3 of 400 numbers, such as 9999, -999, are far from the others") {
		t.Fatalf("%q", said)
	}
	if top := slices.Max(clean.Sensitive[0].Numbers); !(top > 80 && top < 300) || slices.Max(s.Sensitive[0].Numbers) != 9999 {
		t.Errorf("largest number %v", top)
	}
	if again, said := clean.tamed(); again != clean || said != nil {
		t.Errorf("the sample was changed a second time: %q", said)
	}
	r := must.Get((&Record{Sample: s}).Audit(t.Context(), Options{Permutations: 99, Attacks: []string{"trees", "logistic"}}))(t)
	if f := r.Findings[0]; !f.Verdict.ExceedsTarget() || !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "9999") }) {
		t.Errorf("%v, %q", f.Verdict, r.Warnings)
	}
}

// Of many far numbers the farthest from 0 are named, each once.
func TestFarNumbersAreNamed(t *testing.T) {
	if got := examplesOf([]float64{99, -999, 99, 7, -98, -999}); !slices.Equal(got, []string{"-999", "99", "-98"}) {
		t.Errorf("named are %q", got)
	}
}

// TestTargetDetermines: a warning says that a target which determines the attribute leaves no excess.
func TestTargetDetermines(t *testing.T) {
	for s, want := range map[string]bool{"01": true, "10": true, "00": false, "0x": false} {
		text := "y,s,score:a,score:b\n"
		for i := range 80 {
			label := s[i%2 : i%2+1]
			if label == "x" || s == "00" {
				label = fmt.Sprint(i / 2 % 2)
			}
			text += fmt.Sprintf("%c,%s,%d,%d\n", "ab"[i%2], label, i*7%13, i*5%11)
		}
		sample := must.Get(ReadOutputs(t.Context(), "x.csv", []byte(text), OpenOptions{}))(t)
		o := Options{}.withDefaults()
		r := newResult(&Record{Sample: sample}, o)
		r.describe(newFolded(sample, o))
		if got := strings.Contains(strings.Join(r.Warnings, "\n"), "y determines s"); got != want {
			t.Errorf("%s: %q", s, r.Warnings)
		}
	}
}
