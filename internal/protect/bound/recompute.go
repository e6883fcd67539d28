package bound

import (
	"context"
	"math"
)

// certificates computes the bounds by one kind of witness again.
func (v *verifier) certificates(ctx context.Context, certifier *Certifier, rec *record, old *Bounds) {
	m, fresh := rec.m, make([]*proof, len(rec.index))
	old.prove(ctx, certifier, v.experiment.Coordinates, rec.theta, false, func(i int, p *proof) { fresh[i] = p })
	std, winner, prefix := make([]float64, m), make([]int16, m), old.name+"_"
	for i, index := range rec.index {
		p := fresh[i]
		if !old.joint() {
			v.pairFloors(old, int(index), i, m, p)
		}
		if old.Search == SearchPairs {
			continue
		}
		best(std, winner, p.bounds, old.Witnesses)
		for k := range m {
			own := certificateTolerance
			if w := winner[k]; w >= 0 {
				own = p.ds[w].tolerance()
			} else if w == combined {
				own = min(own+2*p.slack[k], mostTolerance)
			}
			v.bound(prefix+"std", int(index), k, old.Std[i*m+k], std[k], own, UnboundedFrom)
			v.winner(prefix+"winner", int(index), k, old.Winner[i*m+k], winner[k], p.bounds, std, own, old)
		}
		own := min(certificateTolerance+2*p.squareSlack, mostTolerance)
		if p.broadest >= 0 {
			of := p.ds[p.broadest].tolerance()
			own = of * (2 + of) // of a square
		}
		v.bound(prefix+"mean_square", int(index), -1, old.MeanSquare[i], p.meanSquare, own, UnboundedFrom*UnboundedFrom)
	}
}

// bound compares two bounds. A bound counts as unbounded if it is at least from. If rounding
// decides whether one of the two is, and the other is that large within its tolerance, they agree.
func (v *verifier) bound(what string, example, k int, recorded, recomputed, within, from float64) {
	if math.IsInf(recorded, 1) != math.IsInf(recomputed, 1) && min(recorded, recomputed)*(1+within) >= from {
		return
	}
	v.compare(what, example, k, recorded, recomputed, within)
}

// tolerance returns the relative tolerance of a bound, which another processor computed: two computed ‖z‖ differ by at most
// twice the allowance for their rounding.
func (d Divergence) tolerance() float64 {
	if math.IsInf(d.Root, 0) {
		return certificateTolerance
	}
	return min(certificateTolerance+2*d.Rounding/(d.ZNorm+d.Allowance), mostTolerance)
}

// winner checks the recorded witness of a coordinate: if several give the same bound up to
// rounding, any of them is accepted.
func (v *verifier) winner(what string, example, k int, recorded, recomputed int16, bounds, std []float64, within float64, of *Bounds) {
	row := int(recorded)
	if recorded == combined && of.joint() {
		row = of.Witnesses
	}
	switch at := row*len(std) + k; {
	case recorded == recomputed:
	case row < 0 || row >= of.Witnesses && recorded != combined || recomputed == -1,
		!(bounds[at] > 0 && bounds[at] >= min(std[k], UnboundedFrom)*(1-within)):
		v.report(what, example, k, recorded, recomputed)
	}
}

// cramerRao computes the Cramér-Rao figures again.
func (v *verifier) cramerRao(ctx context.Context, old *record) error {
	factors, err := factorsAt(ctx, v.model, old.theta)
	if err != nil {
		return err
	}
	fresh := &record{p: old.p, m: old.m, cramerRao: true}
	fresh.columns().grow(len(old.index))
	fresh.fillCramerRao(factors, v.experiment)
	for i, r := range old.rank {
		if r != fresh.rank[i] {
			v.report("rank", int(old.index[i]), -1, r, fresh.rank[i])
		}
	}
	v.estimates("singular_values", old.index, old.spectrum, fresh.spectrum)
	v.estimates("cramer_rao_axis", old.index, old.figures.Axis, fresh.figures.Axis)
	v.estimates("cramer_rao", old.index, old.figures.Full, fresh.figures.Full)
	v.estimates("seen", old.index, old.figures.Seen, fresh.figures.Seen)
	return nil
}

func (v *verifier) estimates(name string, index []int64, old, fresh []float64) {
	width := len(old) / len(index)
	for k := range old {
		v.compare(name, int(index[k/width]), k%width, old[k], fresh[k], estimateTolerance)
	}
}
