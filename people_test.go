package tattle

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/must"
)

// People who are known are counted: the library takes them as the command line does.
func TestPeople(t *testing.T) {
	ctx, m, r := context.Background(), small(t), rand.New(rand.NewPCG(1, 8))
	var list [][]float32
	var group []int
	for p := range 30 {
		own := make([]float32, 8)
		for k := range own {
			own[k] = r.Float32()
		}
		for range 3 {
			x := make([]float32, 8)
			for k := range x {
				x[k] = min(max(own[k]+.01*r.Float32(), 0), 1)
			}
			list, group = append(list, x), append(group, (7*p)%30)
		}
	}
	noise := Noise{Sigma: .05}
	id := must.Get(m.Identify(ctx, list, noise, IdentifyOptions{Group: group, Draws: 2000, Expose: 20, Seed: 1}))(t)
	if n := len(id.Exposed); n != 20 || id.Exposed[n-1] < id.Person.Low || !slices.IsSorted(id.Exposed) {
		t.Errorf("named in %v of their releases, on average in %+v", id.Exposed, id.Person)
	}
	if !(id.Person.Low > 1.5*id.First.High) {
		t.Errorf("the person is named in %+v, the input in %+v", id.Person, id.First)
	}
	alone := must.Get(m.Identify(ctx, list, noise, IdentifyOptions{Draws: 2000, Seed: 1}))(t)
	if alone.Person != alone.First {
		t.Errorf("without people %+v, and the input %+v", alone.Person, alone.First)
	}
	must.Fail(t, must.Err(m.Identify(ctx, list, noise, IdentifyOptions{Group: group[1:]})), "people of 89 inputs, and the list has 90")
	var outputs [][]float32
	var target, sensitive []int
	for i := range 360 { // 60 people with six outputs each, whose attribute has nothing to do with these
		p := rand.New(rand.NewPCG(uint64(i/6), 1))
		a, y, s := p.NormFloat64(), p.IntN(2), p.IntN(2)
		outputs = append(outputs, []float32{float32(a + .01*r.NormFloat64()), float32(3 * y)})
		target, sensitive = append(target, y), append(sensitive, s)
	}
	group = make([]int, 360)
	for i := range group {
		group[i] = i / 6
	}
	audited := must.Get(Audit(ctx, outputs, target, sensitive, AuditOptions{Group: group}))(t)
	if audited.Beyond {
		t.Errorf("%+v", audited)
	}
	if rows := must.Get(Audit(ctx, outputs, target, sensitive, AuditOptions{}))(t); rows.Verdict != "inconclusive" {
		t.Errorf("without people %+v", rows)
	}
	must.Fail(t, must.Err(Audit(ctx, outputs, target, sensitive, AuditOptions{Group: group[1:]})), "people of 359 examples, for 360 rows")
}
