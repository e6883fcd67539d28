package bound

import (
	"context"
	"math"
	"strings"
)

// certificates computes the bounds by one kind of witness again.
func (v *verifier) certificates(ctx context.Context, certifier *Certifier, rec *record, old *Bounds) {
	m, fresh, prefix := rec.m, make([]*proof, len(rec.index)), old.name+"_"
	old.prove(ctx, certifier, v.experiment.Coordinates, rec.theta, false, func(i int, p *proof) { fresh[i] = p })
	for i, p := range fresh {
		index := int(rec.index[i])
		if !old.joint() {
			pair := strings.TrimPrefix(prefix, "pair_") + "pair_"
			for k, d := range p.ds {
				v.compare(pair+"share", index, k, old.Pair.Share[i*len(p.ds)+k], d.Share, d.slack())
			}
			v.limits(pair+"floor", pair+"mean_square", index, rowOf(old.Pair.Std, i, m), old.Pair.MeanSquare[i], &p.pairs, math.Inf(1))
		}
		if old.Search != SearchPairs {
			v.limits(prefix+"std", prefix+"mean_square", index, rowOf(old.Std, i, m), old.MeanSquare[i], &p.bounds, UnboundedFrom)
		}
	}
}

// limits compares what is recorded of one example with what its witnesses prove.
func (v *verifier) limits(std, square string, index int, oldStd []float64, oldSquare float64, proved *limits, from float64) {
	for k, recorded := range oldStd {
		v.bound(std, index, k, recorded, proved.std[k], max(proved.slack[k], certificateTolerance), from)
	}
	v.bound(square, index, -1, oldSquare, proved.square, max(proved.squareSlack, certificateTolerance), from*from)
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
