package verify

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"tattle/attack"
	"tattle/bound"
	"tattle/internal/must"
	"tattle/measure"
	"tattle/report"
)

// reached is a result of so many examples, each of which errs by the same in its
// coordinates but for a little in the last.
func reached(name string, examples int, rms ...float64) *attack.Result {
	r := &attack.Result{Attack: name, About: name, Draws: 1, Recognised: math.NaN()}
	for i := range examples {
		square := 0.
		for k, v := range rms {
			if k == len(rms)-1 {
				v += float64(i%5) / 10
			}
			r.RMS, square = append(r.RMS, v), square+v*v/float64(len(rms))
		}
		r.MeanSquare = append(r.MeanSquare, square)
	}
	return r
}

// Half of the pixels of an attack may err by little, as where they are always black, and
// the whole by more than guessing the mean does. Then it is neither demonstrated nor a
// ceiling, in the sentences, the floors and what verify makes of the arrays again.
func TestAttackWorseThanTheMeanIsNoCeiling(t *testing.T) {
	near, even, mean := reached("near", 20, 1, 1, 1, 40), reached("even", 20, 8, 8, 8, 9), reached("prior", 20, 2, 2, 2, 30)
	coordinates := bound.Pixels(4)
	for _, c := range []struct {
		attacks []*attack.Result
		want    string
	}{
		{[]*attack.Result{near}, "No attack that ran is shown to come closer than guessing the mean of the training data, without the release: that errs by 15.2 normalised units, the only attack that ran (near) by 20.1 normalised units, root mean square over all pixels of the 20 inputs"},
		{[]*attack.Result{near, even}, "Demonstrated: the best of 2 attacks (even) errs by 8.32 normalised units, root mean square over all pixels of the 20 inputs with 1 draw of the noise each. Guessing the mean of the training data, without the release, errs by 15.2 normalised units"},
	} {
		found := &measure.Attacks{Results: c.attacks, PriorAlone: mean}
		r := &report.Report{Data: report.Data{Examples: 20}, Release: report.Release{Surface: "features", Noise: report.Noise{Family: "gaussian", Sigma: 1}}}
		r.AddAttacks(found, coordinates, 0)
		r.SetFloorsAndCeilings(nil, found, coordinates)
		if said := strings.Join(r.Sentences(), "\n"); !strings.Contains(said, c.want) {
			t.Errorf("no %q in:\n%s", c.want, said)
		}
		var text strings.Builder
		must.Do(t, r.WriteDetails(&text))
		if alone := len(c.attacks) == 1; strings.Contains(text.String(), "is not shown to be closer than the prior alone") != alone {
			t.Errorf("the floors:\n%s", text.String())
		}
		dir := t.TempDir()
		hash := must.Get(found.Write(filepath.Join(dir, measure.AttacksFile)))(t)
		r.Arrays = []report.Arrays{{File: measure.AttacksFile, SHA256: hash}}
		back := must.Get(attacked(r, dir, coordinates))(t)
		fresh := &report.Report{Data: r.Data, Release: r.Release}
		fresh.AddAttacks(back, coordinates, 0)
		fresh.SetFloorsAndCeilings(nil, back, coordinates)
		for _, part := range [][2]any{{r.Attacks, fresh.Attacks}, {r.PriorAlone, fresh.PriorAlone}, {r.FloorsAndCeilings, fresh.FloorsAndCeilings}} {
			was, err1 := json.Marshal(part[0])
			is, err2 := json.Marshal(part[1])
			if err1 != nil || err2 != nil || string(was) != string(is) {
				t.Errorf("recorded %s, from the arrays %s (%v, %v)", was, is, err1, err2)
			}
		}
	}
}
