package measure

import (
	"math"
	"path/filepath"
	"reflect"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/must"
	"tattle/internal/protect/attack"
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

// Half of the pixels of an attack may err by little, as where they are always black, and the whole by more than
// guessing the mean does. Then it demonstrates nothing, and neither after its arrays were written and read.
func TestAttackWorseThanTheMean(t *testing.T) {
	near, even, mean := reached("near", 20, 1, 1, 1, 40), reached("even", 20, 8, 8, 8, 9), reached("prior", 20, 2, 2, 2, 30)
	even.Recognised, mean.Recognised = .25, .125
	a := &Attacks{Results: []*attack.Result{near, even}, PriorAlone: mean}
	single, _ := even.Gain(mean, 2)
	of := &dataset.Set{Group: &dataset.Attribute{Labels: make([]int, 40)}}
	indices := make([]int, 20)
	for i := range indices {
		indices[i] = 2 * i
		of.Group.Labels[2*i] = 9 - i/5 // four people, whose examples differ less than others do
	}
	a.CountPeople(of, indices)
	if g, _ := even.Gain(mean, 2); math.Abs(g-single) > 1e-9 || even.People[19] != 3 || *even.Interval(nil) == [2]float64{} {
		t.Errorf("of people %+v, of examples %+v: %v", g, single, even.People)
	}
	path := filepath.Join(t.TempDir(), AttacksFile)
	must.Get(a.Write(nil, path))(t)
	var ran []AttackRan
	for _, r := range a.withPrior() {
		ran = append(ran, AttackRan{r.Attack, r.About, len(r.MeanSquare), r.Draws})
	}
	back := must.Get(ReadAttacks(path, ran[:2], &ran[2], 4))(t)
	for _, found := range []*Attacks{a, back} {
		x := account{at: found}
		if x.closer(found.Results[0]) || !x.closer(found.Results[1]) {
			t.Errorf("near is closer than the mean: %v, even: %v", x.closer(found.Results[0]), x.closer(found.Results[1]))
		}
		if best := found.Best(); best.Attack != "even" {
			t.Errorf("the best attack is %s", best.Attack)
		}
	}
	for i, was := range a.withPrior() {
		is := back.withPrior()[i]
		if was.Recognised != is.Recognised && !math.IsNaN(was.Recognised) || !reflect.DeepEqual(was.RMS, is.RMS) || !reflect.DeepEqual(was.MeanSquare, is.MeanSquare) || !reflect.DeepEqual(was.People, is.People) {
			t.Errorf("%s: %+v read as %+v", was.Attack, was, is)
		}
	}
	for _, bad := range [][]int{{1, 0}, {0, 2}, {-1, 0}} {
		for _, r := range a.withPrior() {
			r.RMS, r.MeanSquare, r.People = r.RMS[:8], r.MeanSquare[:2], bad
		}
		must.Get(a.Write(nil, path))(t)
		for i := range ran {
			ran[i].Examples = 2
		}
		must.Fail(t, must.Err(ReadAttacks(path, ran[:2], &ran[2], 4)), "people are counted as they come")
	}
}
