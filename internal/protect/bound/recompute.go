package bound

import (
	"context"
	"fmt"
	"math"
)

// certificates computes the bounds by one kind of witness again.
func (v *verifier) certificates(ctx context.Context, certifier *Certifier, rec *record, old *Bounds) {
	m, fresh := rec.m, make([]*proof, len(rec.index))
	old.prove(ctx, certifier, v.experiment.Coordinates, rec.theta, false, func(i int, p *proof) { fresh[i] = p })
	std, winner, prefix := make([]float64, m), make([]int16, m), old.name+"_"
	for i, index := range rec.index {
		p := fresh[i]
		if !old.joint {
			v.pairFloors(old, int(index), i, m, p)
		}
		within := v.norms(prefix, int(index), old.ZNorm[i*old.Witnesses:], old.Allowance[i*old.Witnesses:], p.ds)
		if old.Search == SearchPairs {
			continue
		}
		best(std, winner, p.bounds, old.Witnesses)
		rounding := asStored(std, old.small, towardZero32)
		for k := range m {
			own := certificateTolerance
			if w := winner[k]; w >= 0 {
				own = within[w]
			} else if w == combined {
				own = min(own+2*p.slack[k], mostTolerance)
			}
			own += rounding
			v.bound(prefix+"std", int(index), k, old.Std[i*m+k], std[k], own, UnboundedFrom)
			v.winner(prefix+"winner", int(index), k, old.Winner[i*m+k], winner[k], p.bounds, std, own, old)
		}
		own := min(certificateTolerance+2*p.squareSlack, mostTolerance)
		if p.broadest >= 0 {
			own = within[p.broadest] * (2 + within[p.broadest]) // of a square
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

// norms compares by how much each witness changes the features, and returns the tolerances of its
// bounds.
func (v *verifier) norms(prefix string, index int, znorm, allowance []float64, ds []Divergence) (within []float64) {
	within = make([]float64, len(ds))
	for k, d := range ds {
		var own float64
		own, within[k] = d.tolerances()
		rounding := d.ZNorm <= d.Rounding && znorm[k] >= 0 && znorm[k] <= d.Rounding*(1+certificateTolerance)
		if !rounding { // else ‖z‖ is rounding alone, both in the record and here
			v.compare(prefix+"z_norm", index, k, znorm[k], finite(d.ZNorm), own)
		}
		v.compare(prefix+"allowance", index, k, allowance[k], finite(d.Allowance), certificateTolerance)
	}
	return within
}

// tolerances returns the relative tolerances of ‖z‖ and of the bounds, which another processor
// computed: two computed ‖z‖ differ by at most twice the allowance for their rounding.
func (d Divergence) tolerances() (norm, bound float64) {
	norm, bound = certificateTolerance, certificateTolerance
	if !math.IsInf(d.Root, 0) {
		norm += 2 * d.Rounding / d.ZNorm
		bound = min(bound+2*d.Rounding/(d.ZNorm+d.Allowance), mostTolerance)
	}
	return norm, bound
}

// winner checks the recorded witness of a coordinate: if several give the same bound up to
// rounding, any of them is accepted.
func (v *verifier) winner(what string, example, k int, recorded, recomputed int16, bounds, std []float64, within float64, of *Bounds) {
	row := int(recorded)
	if recorded == combined && of.joint {
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
	fresh.setSpectra(fresh.fillCramerRao(factors, v.experiment), old.width)
	for i, r := range old.rank {
		if r != fresh.rank[i] {
			v.report("rank", int(old.index[i]), -1, r, fresh.rank[i])
		}
	}
	asStored(fresh.figures.Axis, old.small, towardZero32)
	asStored(fresh.figures.Full, old.small, towardZero32)
	asStored(fresh.figures.Seen, old.small, fromZero32)
	v.estimates(spectrumName, old.index, old.spectrum, fresh.spectrum)
	v.estimates("cramer_rao_axis", old.index, old.figures.Axis, fresh.figures.Axis)
	v.estimates("cramer_rao", old.index, old.figures.Full, fresh.figures.Full)
	v.estimates("seen", old.index, old.figures.Seen, fresh.figures.Seen)
	return nil
}

func (v *verifier) estimates(name string, index []int64, old, fresh []float64) {
	if len(old) != len(fresh) {
		v.report(name, -1, -1, fmt.Sprintf("%d values", len(old)), fmt.Sprintf("%d values", len(fresh)))
		return
	}
	width := len(old) / len(index)
	for k := range old {
		v.compare(name, int(index[k/width]), k%width, old[k], fresh[k], estimateTolerance)
	}
}
