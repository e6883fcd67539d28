package audit

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/must"
	"tattle/internal/reveal/curious"
	"tattle/internal/shared"
)

func TestDigits(t *testing.T) {
	var code [digitCodes]float32
	digits(code[:], -12.3456789)
	for place, want := range []float32{3, 4, 5, 6, 7, 9, 3} { // the float32 is 12.3456793
		if got := code[perDecimal*place]; got != want || code[perDecimal*place+1] != float32(int(want)%2) {
			t.Errorf("decimal %d: %v, parity %v; want %v", place+1, got, code[perDecimal*place+1], want)
		}
	}
	digits(code[:], .1236)
	// .1236 is 124 steps of .001 when rounded, 62 of .002, 25 of .005
	if got, want := code[2*perDecimal:3*perDecimal], []float32{3, 1, 0, 0, 1}; !slices.Equal(got, want) {
		t.Errorf("third decimal of .1236: %v, want %v", got, want)
	}
}

func TestOrderRow(t *testing.T) {
	s := &Sample{Kind: curious.Raw, Classes: make([]string, 4), Outputs: []float32{3, 9, 2, 2}}
	got := firstRow(s, formOrder)
	want := []float32{
		1, 1, 0, 2, 3, // label and ranks
		0, -1, 0, -1, 0, 0, // pairs 01, 02, 12, 03, 13, 23
		-1, 0, 1, 1, 0, -1, // neighbours from the largest and from the smallest
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// oddOutputs returns outputs of kinds that attacks meet.
func oddOutputs(r *rand.Rand, kind, n, w int) *Sample {
	raw := randomSample(r, n, w, 3, 0)
	switch kind {
	case 0:
		return raw
	case 1:
		return softened(raw, 1)
	case 2:
		return rounded(softened(raw, 1), 2)
	case 3:
		return labels(raw)
	case 4:
		return softened(raw, .01) // saturated
	}
	for i := range raw.Outputs {
		raw.Outputs[i] = []float32{math.MaxFloat32, -math.MaxFloat32, 1e-45, 0, float32(math.Copysign(0, -1)), 7, 1e12}[r.IntN(7)]
		if kind == 5 {
			raw.Outputs[i] = 7
		}
	}
	return raw
}

// TestOddForms wants finite numbers in every form of odd outputs, and audits and planted
// codes of them without an error.
func TestOddForms(t *testing.T) {
	shared.Long(t, "odd outputs in every form")
	r := rand.New(rand.NewPCG(21, 1))
	for kind := range 7 {
		for _, w := range []int{2, 40} {
			s := oddOutputs(r, kind, 60, w)
			s.Sensitive = append(s.Sensitive, Attribute{Name: "number", Numbers: make([]float64, s.Len())})
			for i := range s.Len() {
				s.Sensitive[len(s.Sensitive)-1].Numbers[i] = r.NormFloat64()
			}
			for _, form := range []string{formRaw, formSoft, formTop1, formDigits, formBits, formValues, formOrder} {
				if form == formOrder && w < orderClasses {
					continue
				}
				x := make([]float32, s.Len()*formWidth(s, form))
				fillForms(map[string][]float32{form: x}, s, 0, span(0, s.Len()))
				if i := slices.IndexFunc(x, func(v float32) bool { return v-v != 0 }); i >= 0 {
					t.Errorf("outputs %d of %d: form %s has %v", kind, w, form, x[i])
				}
			}
			o := Options{Seed: 1, Attacks: []string{"lookup"}, Permutations: 19}
			if _, err := examine(context.Background(), &Record{Sample: s}, o); err != nil {
				t.Errorf("outputs %d of %d: %v", kind, w, err)
			}
			if _, err := measureChannels(context.Background(), s, 1, o); err != nil {
				t.Errorf("outputs %d of %d, planted: %v", kind, w, err)
			}
		}
	}
}

// TestTablesFindNothing wants honest outputs, rounded or not, to stay clean: the test by
// permutation is exact, so that of 100 audits more than 18 have p ≤ .05 with probability
// 1e-6.
func TestTablesFindNothing(t *testing.T) {
	shared.Long(t, "false alarms of tables, over 100 audits")
	found, beyond := 0, 0
	for seed := range uint64(100) {
		s := softly(150, 3, seed)
		if seed%2 == 1 {
			s = rounded(s, 2)
		}
		r := must.Get(examine(context.Background(), &Record{Sample: s}, Options{Seed: seed, Attacks: []string{"lookup"}, Permutations: 199}))(t)
		if r.Findings[0].Permutation.P <= .05 {
			found++
		}
		if r.Verdict.ExceedsTarget() {
			beyond++
		}
	}
	if t.Logf("p ≤ .05 in %d, beyond in %d of 100", found, beyond); found > 18 || beyond > 18 {
		t.Errorf("p ≤ .05 in %d of 100 honest audits, an excess in %d", found, beyond)
	}
}

// TestCodesOfVotes wants a bit that moves votes of 50 trees by half a step to be one of the codes.
func TestCodesOfVotes(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 1))
	wrong := make([]int, digitCodes)
	for range 200 {
		bit := r.IntN(2)
		var code [digitCodes]float32
		digits(code[:], float32(r.IntN(2400))/2500+.0002*float32(bit))
		for i, c := range code {
			if int(c) != bit {
				wrong[i]++
			}
		}
	}
	if slices.Min(wrong) != 0 {
		t.Errorf("no code is the bit: %v", wrong)
	}
}
