package bound

import (
	"context"
	"fmt"
	"math"
	"strings"

	"tattle/internal/engine/nn"
	"tattle/internal/npy"
	"tattle/internal/run"
)

// Claims is what a report says of a run, to be verified.
type Claims struct {
	Arrays string // path of the arrays
	SHA256 string // of that file, as recorded
}

// A MisfitError says that an array is not what an experiment as it is described stores:
// the description is wrong, or the array is.
type MisfitError struct{ Path, Array, Has string }

func (e *MisfitError) Error() string {
	return fmt.Sprintf("%s: array %q has %s, which does not fit the experiment that the report describes", e.Path, e.Array, e.Has)
}

// mostDiscrepancies is where a verification stops listing: the rest of a run
// with the wrong model says nothing new.
const mostDiscrepancies = 100

// Tolerances of a verification, relative. A certificate computed again differs
// by how another processor rounds a forward pass, which the allowance bounds; of
// a file that was not touched the digest answers for every digit.
const (
	certificateTolerance = 1e-9 // plus twice the allowance over ‖z‖
	mostTolerance        = 1    // of a bound, though it hang on rounding wholly: more than twice what comes out is never confirmed
	estimateTolerance    = 1e-5 // of Cramér-Rao figures: gramRatio lets them err by 1e-7, more where singular values cluster
)

// Verify computes every certificate again from the model, the inputs and the witnesses, and
// lists what was recorded and does not come out again, in one line each. e is the experiment as resolved when it ran. The
// inputs are those recorded, compared with data unless that is nil. It reads a few examples at a time. It returns an error
// if the arrays cannot be read.
func Verify(ctx context.Context, m Model, data nn.Source, e Experiment, c Claims, progress func(done, total int)) ([]string, error) {
	if err := e.check(m); err != nil {
		return nil, err
	}
	if len(e.Sizes) == 0 || e.Search.Restarts < 1 {
		return nil, fmt.Errorf("an experiment of %d sizes and %d restarts has nothing to verify", len(e.Sizes), e.Search.Restarts)
	}
	if e.Barankin.Witnesses > 0 && !combines(e.Noise) {
		return nil, fmt.Errorf("combined witnesses, and for %s noise their overlaps have no closed form", noiseName(e.Noise))
	}
	_, e.Features = m.Dims()
	v := &verifier{model: m, data: data, experiment: e}
	digest, err := run.Digest(c.Arrays)
	if err != nil {
		return nil, err
	}
	if digest != c.SHA256 {
		v.report("SHA-256 of "+ArraysFile, -1, -1, c.SHA256, digest)
	}
	if err := v.arrays(ctx, c.Arrays, progress); err != nil {
		return nil, err
	}
	return v.found, nil
}

type verifier struct {
	model      Model
	data       nn.Source
	experiment Experiment
	found      []string
}

// report adds what was recorded in an array, of an example in the data set and a coordinate unless these are −1.
func (v *verifier) report(what string, example, coordinate int, recorded, recomputed any) {
	if len(v.found) >= mostDiscrepancies {
		return
	}
	if example >= 0 {
		what += fmt.Sprintf(" of example %d", example)
	}
	if coordinate >= 0 {
		what += fmt.Sprintf(", coordinate %d", coordinate)
	}
	v.found = append(v.found, fmt.Sprintf("%s: recorded %v, recomputed %v", what, recorded, recomputed))
}

// arrays recomputes what is recorded of each example.
func (v *verifier) arrays(ctx context.Context, path string, progress func(done, total int)) error {
	rec := v.experiment.newRecord()
	f, rows, total, err := rec.open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if total == 0 {
		return nil
	}
	a, err := rows["theta"].Read(0, min(total, runtimeExamples))
	if err != nil {
		return err
	}
	front := lookAt(v.model, a.Data.([]float32))
	v.runtime(front)
	batch, err := v.fit(front)
	if err != nil {
		return err
	}
	certifier := v.experiment.certifier(v.model)
	for lo := 0; lo < total; lo += batch {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(total, lo+batch)
		if err := v.batch(ctx, certifier, rows, lo, hi); err != nil {
			return err
		}
		if progress != nil {
			progress(hi, total)
		}
	}
	return nil
}

// runtime compares the recorded error of the runtime with what comes out now. A measured error
// may differ by a factor of four from that on another processor.
func (v *verifier) runtime(f *front) {
	was := v.experiment.Runtime
	if was.From == RuntimeGiven {
		return
	}
	is := v.experiment.runtime(f)
	low, high := 1-certificateTolerance, 1+certificateTolerance
	if is.From == RuntimeMeasured {
		low, high = .25, 4
	}
	if was.From != is.From || !(was.Error >= low*is.Error && was.Error <= high*is.Error) {
		v.report("runtime error", -1, -1, fmt.Sprintf("%g, %s", was.Error, was.From), fmt.Sprintf("%g, %s", is.Error, is.From))
	}
}

// fit returns how many examples are verified together, which the budget allows, and gives the model its share.
func (v *verifier) fit(f *front) (int, error) {
	p, _ := v.model.Dims()
	e, j := v.experiment, jacobianSize{cols: p}
	if !e.SkipCramerRao {
		j = f.jacobian()
	}
	most := batchOf(v.model, batchExamples, max(e.Search.Restarts, e.Far.Starts, e.Barankin.Witnesses), j.rows)
	w := e.needs(v.model, j, !e.SkipCramerRao)
	w.search, w.record = w.search+2*w.record, 0
	batch, model, err := w.share(v.experiment.budget(), most, 0)
	if err == nil {
		v.model.SetMemory(model / 2) // for both precisions together
	}
	return batch, err
}

// batch recomputes the examples in rows lo to hi.
func (v *verifier) batch(ctx context.Context, certifier *Certifier, rows map[string]*npy.Rows, lo, hi int) error {
	rec := v.experiment.newRecord()
	if err := rec.read(rows, lo, hi, func(string) bool { return true }); err != nil {
		return err
	}
	v.inputs(rec)
	for _, s := range rec.sets {
		v.certificates(ctx, certifier, rec, s)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if v.experiment.SkipCramerRao {
		return nil
	}
	return v.cramerRao(ctx, rec)
}

// inputs compares the recorded inputs and labels with the data set.
func (v *verifier) inputs(rec *record) {
	if v.data == nil {
		return
	}
	x := make([]float32, rec.p)
	for i, index := range rec.index {
		if index < 0 || index >= int64(v.data.Len()) {
			v.report("index", int(index), -1, index, fmt.Sprintf("a data set of %d", v.data.Len()))
			continue
		}
		v.data.Examples(x, []int{int(index)})
		for k, want := range x {
			if got := rec.theta[i*rec.p+k]; got != want {
				v.report("theta", int(index), k, got, want)
			}
		}
		if want := v.data.Label(int(index)); int64(want) != rec.label[i] {
			v.report("label", int(index), -1, rec.label[i], want)
		}
	}
}

// compare reports two values that differ by more than a relative tolerance.
func (v *verifier) compare(what string, example, coordinate int, recorded, recomputed, tolerance float64) {
	if recorded == recomputed || !math.IsInf(recomputed, 0) && math.Abs(recorded-recomputed) <= tolerance*math.Abs(recomputed) {
		return
	}
	v.report(what, example, coordinate, recorded, recomputed)
}

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

// tolerance returns the relative tolerance of a bound, which another processor computed: two
// computed ‖z‖ differ by at most twice the allowance for their rounding.
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
