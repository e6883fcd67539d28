package audit

import (
	"math"
	"slices"
	"strings"
	"testing"

	"tattle/internal/engine/classify"
	"tattle/internal/math/stat"
)

// judged is a result of two findings with counts.
func judged() *Result {
	o := Options{}.withDefaults()
	truth, guess, base := make([]int, 1000), make([]int, 1000), make([]int, 1000)
	for i := range truth {
		truth[i] = i % 2
		if i%10 < 7 { // 70 % right
			guess[i] = truth[i]
		} else {
			guess[i] = 1 - truth[i]
		}
	}
	f := Finding{Attribute: "sex", Examples: 1000, Classes: []string{"f", "m"}, Verdict: Curious}
	f.Curiosity = new(classify.Accuracy(guess, truth))
	f.Baselines = []Baseline{{Name: Majority}}
	f.Baselines[0].compare(guessed(truth, guess), baselineGuess{guess: base}, 0, o, nil)
	f.Best = Majority
	g := f
	g.Attribute, g.Verdict = "race, age: both", Leaky
	h := f
	h.Attribute, h.Verdict, h.Unusable = "site", LeakyBeyond, "its verdict alone counts"
	return &Result{Findings: []*Finding{&f, &g, &h}, Verdict: Curious}
}

func TestFailOnActsOnTheLimit(t *testing.T) {
	r := judged()
	f := r.Findings[0]
	b := f.Baselines[0]
	low := stat.PairedDifference(b.AttackAlone, b.BaselineAlone, 1000, .9).Low
	if low < .1 || low > .2 || math.Abs(f.limits(.95).Low-b.Low) > 1e-12 {
		t.Fatalf("limit %v, %v, %v", low, f.limits(.95).Low, b.Low)
	}
	for text, want := range map[string]int{
		"":                                       -1,
		"never":                                  0,
		"curious":                                1,
		"beyond":                                 2,
		"leaky":                                  3,
		"sex: beyond, race: beyond":              2,
		"site: curious":                          0,
		"site: beyond, site: leaky":              2,
		"inconclusive":                           0,
		"excess>5%":                              2,
		"excess > 0.05 @ 95%":                    2,
		"excess>19.9%":                           0, // the point estimate is 20 points
		"excess>15%@95%":                         2,
		"excess>17%@99.99%":                      0,
		"curiosity>66%@95%":                      2,
		"curiosity>70%":                          0,
		"information>.05":                        -1,
		"sex: excess>5%":                         1,
		"sex:curious,sex: leaky":                 2,
		`"race, age: both": leaky`:               1,
		`"race, age: both": curious, sex: leaky`: 1,
		"nobody: curious":                        1,
		"race, age: both: excess>5%":             -1,
		"excess":                                 -1,
		"excess>":                                -1,
		"excess>5%@50%":                          -1,
		"excess>5%@100%":                         -1,
		"excess>500%":                            -1,
		"excess>-1%":                             -1,
		"excess>NaN":                             -1,
		"leakage>1.5":                            -1,
		"never,curious":                          -1,
		"curious,,leaky":                         -1,
		": curious":                              -1,
		`"sex: curious`:                          -1,
		"Excess>5%":                              -1,
		"excess>5%@95%,curiosity>60%@99%,curious": 5,
	} {
		f, err := ParseFailOn(text)
		if (err != nil) != (want < 0) {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := f.Breaches(r); want >= 0 && len(got) != want {
			t.Errorf("%q: %q, want %d", text, got, want)
		}
	}
	if got := (FailOn{}).Breaches(r); got != nil {
		t.Errorf("no rules, yet %q", got)
	}
	one, _ := ParseFailOn("sex: excess>5%")
	if got := one.Breaches(r)[0].String(); !strings.Contains(got, "excess of sex is at least 1") || !strings.Contains(got, "points at 95 % confidence") {
		t.Errorf("breach %q", got)
	}
}

func FuzzParseFailOn(f *testing.F) {
	for _, s := range []string{"curious", "never", "excess>5%@95%", `"a, b": excess>1.5`, "x: curiosity>.2,leaky", "\"\\", "a:b:c>%@%"} {
		f.Add(s)
	}
	r := judged()
	f.Fuzz(func(t *testing.T, text string) {
		rules, err := ParseFailOn(text)
		if err != nil {
			return
		}
		first := rules.Breaches(r)
		again, err := ParseFailOn(rules.String())
		if err != nil || !slices.Equal(again.Breaches(r), first) {
			t.Errorf("%q is written as %q, which reads otherwise: %v", text, rules, err)
		}
	})
}
