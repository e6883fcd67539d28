package curious

import (
	"fmt"
	"math"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/train"
)

// An objective is the loss of F as a function of its scores z. It is a mean over the batch, in
// nats:
//
//	βy·CE(z, y) + βs·(the term of the regularized or the parameterized attack) + βx·H(softmax z)
//
// The gradient is with respect to the scores, so that the derivative of the softmax cancels
// each 1/p. Sums are in float64 for every T.
type objective[T nn.Float] struct {
	beta       Beta
	soft       bool        // the input of G is softmax z, not z
	entropies  bool        // the regularized attack, B eq. 3
	perExample bool        // eq. 3 as a sum of ±H over examples, not as a difference of means of classes
	attacks    []frozen[T] // the parameterized attack, B eq. 10: G of each attribute

	p, logp      []float64 // softmax of the scores and its logarithm, [batch, Y]
	h, weight    []float64 // entropy of each example, and its weight in the regularized term
	grad         []float64 // with respect to the scores, [batch, Y]
	released, dy []T       // [batch, Y]
	du           []T       // with respect to G's scores, [batch, S]
}

// frozen linearises a G that is not trained, at the outputs of a batch.
type frozen[T nn.Float] func(outputs []T) nn.Linearization[T]

// at returns the loss at scores, [batch, Y], with the labels y and the labels s of each
// attribute, and CE(z, y) alone. It overwrites grad with the gradient of the loss. It panics if a label is not a class.
func (o *objective[T]) at(grad, scores []T, y []int, s [][]int) (total, ofY float64) {
	o.size(len(scores), len(y))
	ofY = o.crossEntropy(scores, y)
	entropy, ofS := o.entropy(len(y), s)
	for i, attack := range o.attacks {
		ofS += o.guess(attack, scores, s[i], len(o.attacks)) / float64(len(o.attacks))
	}
	for i, v := range o.grad {
		grad[i] = T(v)
	}
	return o.beta.Y*ofY + o.beta.S*ofS + o.beta.X*entropy, ofY
}

// size gives the buffers the length for a batch.
func (o *objective[T]) size(n, batch int) {
	if batch == 0 || n%batch != 0 {
		panic(fmt.Sprintf("curious: %d scores for %d labels", n, batch))
	}
	o.p, o.logp, o.grad = sized(o.p, n), sized(o.logp, n), sized(o.grad, n)
	o.h, o.weight = sized(o.h, batch), sized(o.weight, batch)
	o.released, o.dy = sized(o.released, n), sized(o.dy, n)
}

// crossEntropy fills in p and logp, and sets grad to βy·(p − onehot(y))/batch.
func (o *objective[T]) crossEntropy(scores []T, y []int) (loss float64) {
	n, scale := len(scores)/len(y), o.beta.Y/float64(len(y))
	for k, label := range y {
		p, logp := o.p[k*n:][:n], o.logp[k*n:][:n]
		softmax(p, logp, scores[k*n:][:n])
		loss -= logp[label]
		for i, v := range p {
			o.grad[k*n+i] = scale * v
		}
		o.grad[k*n+label] = scale * math.Expm1(logp[label])
	}
	return loss / float64(len(y))
}

// entropy returns the mean of H(p) = −Σ p·log p and the term of the regularized attack, which
// is 0 for another attack. It adds both gradients to grad, by
//
//	∂H/∂z_i = −p_i·(log p_i + H).
func (o *objective[T]) entropy(batch int, s [][]int) (mean, term float64) {
	for k := range o.weight {
		o.weight[k] = 0
	}
	if o.entropies {
		for _, labels := range s {
			o.separate(labels, 1/float64(len(s)))
		}
	}
	n := len(o.p) / batch
	for k := range o.h {
		p, logp := o.p[k*n:][:n], o.logp[k*n:][:n]
		h := entropyOf(p, logp)
		mean += h
		term += o.weight[k] * h
		w := o.beta.S*o.weight[k] + o.beta.X/float64(batch)
		for i, v := range p {
			o.grad[k*n+i] -= w * v * (logp[i] + h)
		}
	}
	return mean / float64(batch), term
}

// separate adds to weight the weight of each example's entropy in eq. (3). By default the term
// is the mean over s = 0 minus the mean over s = 1, as in the authors' program; with
// perExample the weights are ±1/batch, as in the paper. A class that is missing in the batch
// adds nothing.
func (o *objective[T]) separate(s []int, share float64) {
	count := [2]int{}
	for _, v := range s {
		count[v]++
	}
	for k, v := range s {
		of := count[v]
		if o.perExample {
			of = len(s)
		}
		o.weight[k] += share * float64(1-2*v) / float64(of)
	}
}

// guess returns the cross entropy of the guesses of one of m attacks, and adds βs/m times its
// gradient, J_softmaxᵀ·J_Gᵀ·∂CE, to grad. For raw outputs there is no J_softmaxᵀ.
func (o *objective[T]) guess(attack frozen[T], scores []T, s []int, m int) float64 {
	outputs := scores
	if o.soft {
		outputs = o.released
		for i, v := range o.p {
			outputs[i] = T(v)
		}
	}
	lin := attack(outputs)
	o.du = sized(o.du, len(lin.Features()))
	loss := crossEntropy(o.du, lin.Features(), s, o.beta.S/float64(m))
	lin.VJP(o.dy, o.du)
	if o.soft {
		o.throughSoftmax(len(s))
		return loss
	}
	for i, v := range o.dy {
		o.grad[i] += float64(v)
	}
	return loss
}

// throughSoftmax adds the gradient with respect to the scores, p_i·(dy_i − Σ p·dy), to grad;
// dy is the gradient with respect to p.
func (o *objective[T]) throughSoftmax(batch int) {
	n := len(o.p) / batch
	for k := range batch {
		p, d, grad := o.p[k*n:][:n], o.dy[k*n:][:n], o.grad[k*n:][:n]
		mean := 0.0
		for i, v := range p {
			mean += v * float64(d[i])
		}
		for i, v := range p {
			grad[i] += v * (float64(d[i]) - mean)
		}
	}
}

// crossEntropy returns the mean of −log softmax(scores)_y and overwrites grad with
// scale times its gradient, all [batch, classes].
func crossEntropy[T nn.Float](grad, scores []T, y []int, scale float64) (loss float64) {
	n := len(scores) / len(y)
	scale /= float64(len(y))
	for k, label := range y {
		row := scores[k*n:][:n]
		_, logSum := train.LogSumExp(row)
		loss += logSum - float64(row[label])
		for i, v := range row {
			grad[k*n+i] = T(scale * math.Exp(float64(v)-logSum))
		}
		grad[k*n+label] = T(scale * math.Expm1(float64(row[label])-logSum))
	}
	return loss / float64(len(y))
}

// softmax overwrites p with the softmax of x and logp with its logarithm, which is finite for
// finite x.
func softmax[T nn.Float](p, logp []float64, x []T) {
	_, logSum := train.LogSumExp(x)
	for i, v := range x {
		logp[i] = float64(v) - logSum
		p[i] = math.Exp(logp[i])
	}
}

// entropyOf returns −Σ p·log p in nats; an entry that is 0 counts as 0.
func entropyOf(p, logp []float64) float64 {
	h := 0.0
	for i, v := range p {
		if v > 0 {
			h -= v * logp[i]
		}
	}
	return h
}

// sized returns a slice of n entries. It uses the storage of x if that is large enough.
func sized[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n)
	}
	return x[:n]
}
