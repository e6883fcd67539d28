package curious

import (
	"context"
	"fmt"
	"math"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/classify"
	"tattle/internal/engine/nn"
	"tattle/internal/math/stat"
)

// part is a set with the outputs of F.
type part struct {
	set     *dataset.Set
	outputs []float32 // [n, classes]
	classes int
	labels  []int // F's hard ones
	kind    Outputs
	bits    []float64 // entropies of the outputs
}

// observe evaluates F on both parts, once where they are the same. Without attacks
// there are no baselines, and r is not needed.
func observe(ctx context.Context, f *nn.Graph, attacks []Attack, reference, test *dataset.Set) (t, r *part, err error) {
	if t, err = newPart(ctx, f, "test", test); err != nil {
		return nil, nil, err
	}
	if r = t; reference != test && len(attacks) > 0 {
		if r, err = newPart(ctx, f, "reference", reference); err != nil {
			return nil, nil, err
		}
	}
	t.kind = outputsKind(f, attacks, t)
	t.bits = entropiesOf(t.outputs, t.classes, t.kind)
	for i, h := range t.bits {
		t.bits[i] = min(h/math.Ln2, math.Log2(float64(t.classes))) // no more but for rounding
	}
	return t, r, nil
}

func newPart(ctx context.Context, f *nn.Graph, name string, set *dataset.Set) (*part, error) {
	outputs, err := Predict(ctx, f, set)
	if err != nil {
		return nil, err
	}
	p := &part{set: set, outputs: outputs, classes: len(set.YNames)}
	if err := allFinite("the classifier", name, outputs, p.classes); err != nil {
		return nil, err
	}
	p.labels = classify.Guesses(outputs, p.classes)
	return p, nil
}

// allFinite errs on the first output, [n, classes], that is no number.
func allFinite(what, part string, outputs []float32, classes int) error {
	for i, v := range outputs {
		if x := float64(v); math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("output %d of %s is %v for example %d of the %s part: the net is broken, or its inputs are", i%classes, what, v, i/classes, part)
		}
	}
	return nil
}

// outputsKind returns whether outputs are distributions or scores, as Evaluate describes.
func outputsKind(f *nn.Graph, attacks []Attack, t *part) Outputs {
	if endsInDistribution(f) {
		return Soft
	}
	claimed := f.Metadata[metaOutputs] == string(Soft)
	for _, a := range attacks {
		claimed = claimed || a.Kind == DecoderAttack
	}
	if claimed && areDistributions(t.outputs, t.classes) {
		return Soft
	}
	return Raw
}

func endsInDistribution(g *nn.Graph) bool {
	n := g.Node(g.Output)
	if n == nil {
		return false
	}
	switch n.Op.(type) {
	case *nn.Softmax, *nn.Hardmax:
		return true
	}
	return false
}

// areDistributions reports whether no entry is negative and each row sums to 1 but
// for rounding.
func areDistributions(outputs []float32, classes int) bool {
	for i := 0; i < len(outputs); i += classes {
		sum := 0.0
		for _, v := range outputs[i : i+classes] {
			if v < 0 {
				return false
			}
			sum += float64(v)
		}
		if math.Abs(sum-1) > 1e-4 {
			return false
		}
	}
	return true
}

// evaluation returns what needs no attack.
func (t *part) evaluation() *Evaluation {
	s := t.set
	e := &Evaluation{
		Examples:     s.Len(),
		Target:       s.YName,
		Classes:      s.YNames,
		Outputs:      t.kind,
		Honesty:      classify.Accuracy(t.labels, s.Y),
		Confusion:    classify.Confusion(s.Y, t.labels, t.classes, t.classes),
		ROC:          curves(t.outputs, t.kind, s.Y, s.YNames),
		Entropy:      t.entropy(nil, 0),
		Sensitive:    []Curiosity{},
		Correlations: []classify.MutualInformation{},
	}
	for _, a := range s.Sensitive {
		e.Correlations = append(e.Correlations, mutual(s.YName, a.Name, s.Y, a.Labels, t.classes, len(a.Values)))
	}
	for i, a := range s.Sensitive {
		for _, b := range s.Sensitive[i+1:] {
			e.Correlations = append(e.Correlations, mutual(a.Name, b.Name, a.Labels, b.Labels, len(a.Values), len(b.Values)))
		}
	}
	return e
}

// mutual returns the mutual information of two labels of the same examples.
func mutual(aName, bName string, a, b []int, rows, columns int) classify.MutualInformation {
	return classify.Information(aName, bName, classify.Confusion(a, b, rows, columns), classify.Confidence)
}

// entropy summarises the entropies of the examples whose label is class, all where
// there are no labels.
func (t *part) entropy(labels []int, class int) Entropy {
	most := math.Log2(float64(t.classes))
	h := stat.NewHistogram(stat.Edges(0, most, entropyBinCount))
	var bits []float64
	for i, b := range t.bits {
		if labels == nil || labels[i] == class {
			bits = append(bits, b)
		}
	}
	h.Add(bits...)
	e := Entropy{Examples: len(bits), Edges: h.Edges, Counts: h.Counts, Interval: [2]float64{0, most}}
	if len(bits) > 0 {
		mean, std := stat.MeanStd(bits)
		e.MeanBits = mean
		if len(bits) > 1 {
			half := normal95 * std / math.Sqrt(float64(len(bits)))
			e.Interval = [2]float64{max(0, mean-half), min(most, mean+half)}
		}
	}
	return e
}

// normal95 is the standard normal's quantile for Confidence, on both sides.
const normal95 = 1.959963984540054
