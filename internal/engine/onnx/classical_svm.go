package onnx

import (
	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/classical"
)

// Support vectors. Their kernels are ordinary operators.

// svm are the attributes that classifiers and regressors share.
type svm struct {
	kernel              string
	gamma, coef, degree float64
	coefficients, rho   []float64
}

func (r *nodeReader) svm() (s svm) {
	s.kernel = r.text("kernel_type", "LINEAR")
	params := r.numbers("kernel_params")
	switch {
	case len(params) == 3:
		s.gamma, s.coef, s.degree = params[0], params[1], params[2]
	case len(params) > 0 || s.kernel != "LINEAR":
		panic(malformedf("attribute \"kernel_params\" has %d values: it must have 3", len(params)))
	}
	s.coefficients, s.rho = r.numbers("coefficients"), r.numbers("rho")
	malformedIf(len(s.coefficients) == 0 || len(s.rho) == 0, "attributes \"coefficients\" and \"rho\" are needed")
	return s
}

// kernels replaces rows by their kernels with n vectors.
func (c *view) kernels(s svm, vectors []float64, n int) *view {
	dot := func() *view { return c.affine(n, vectors, nil) }
	switch s.kernel {
	case "LINEAR":
		return dot()
	case "POLY":
		return dot().number("Mul", s.gamma).number("Add", s.coef).number("Pow", s.degree)
	case "SIGMOID":
		return dot().number("Mul", s.gamma).number("Add", s.coef).then(&nn.Unary{Function: "Tanh"})
	case "RBF":
		width := c.shape[len(c.shape)-1]
		malformedIf(len(vectors) != n*width, "%d numbers of %d support vectors for rows of %d", len(vectors), n, width)
		rows := append(append([]int{}, c.shape[:len(c.shape)-1]...), 1, width)
		c = c.as(rows).then(&nn.Binary{Operator: "Sub", Constant: c.r.fixedParam("support_vectors", vectors, n, width)})
		c.r.mustFit(c.shape)
		return c.reduced("SumSquare", []int{len(c.shape) - 1}, false).number("Mul", -s.gamma).then(&nn.Unary{Function: "Exp"})
	}
	panic(malformedf("attribute \"kernel_type\" is %q: it must be LINEAR, POLY, RBF or SIGMOID", s.kernel))
}

// svmRegressor is ONNX SVMRegressor-1. ONNX Runtime applies no post_transform.
func (r *nodeReader) svmRegressor() {
	c, _ := r.table()
	s := r.svm()
	if n := r.int("n_supports", 0); n > 0 {
		c = c.kernels(s, r.numbers("support_vectors"), r.count("n_supports"))
	}
	c = c.affine(1, s.coefficients, s.rho[:1])
	if r.flag("one_class", false) {
		c = c.number("Greater", 0).affine(1, []float64{2}, []float64{-1})
	}
	r.answer(c, 0, 1)
}

// svmClassifier is ONNX SVMClassifier-1.
func (r *nodeReader) svmClassifier() {
	c, _ := r.table()
	s, k, how := r.svm(), r.classes(0), r.postTransform()
	perClass := r.integers("vectors_per_class")
	n, pairs := len(k.codes), len(k.codes)*(len(k.codes)-1)/2
	total := 0
	for _, v := range perClass {
		malformedIf(v < 0 || v > maxActivation, "attribute \"vectors_per_class\" holds %d", v)
		total += int(v)
	}
	if total == 0 {
		r.linearSVM(c, s, k, how)
		return
	}
	a, b := r.numbers("prob_a"), r.numbers("prob_b")
	malformedIf(len(perClass) != n || len(s.coefficients) != (n-1)*total || len(s.rho) != pairs || len(a) != len(b) || len(a) > 0 && len(a) != pairs || n < 2,
		"has %d vectors_per_class, %d coefficients, %d rho, %d prob_a and %d prob_b, which do not fit %d classes and %d support vectors", len(perClass), len(s.coefficients), len(s.rho), len(a), len(b), n, total)
	c = c.kernels(s, r.numbers("support_vectors"), total).affine(pairs, r.pairWeights(s, perClass, total), s.rho)
	r.labelBy(classical.PairVotes(k.codes), c, k)
	switch {
	case len(a) > 0:
		for i := range a {
			a[i], b[i] = -a[i], -b[i]
		}
		c = c.perInput("Mul", "prob_a", a).perInput("Add", "prob_b", b).then(&nn.Unary{Function: "Sigmoid"})
		c = c.then(&nn.Unary{Function: "Clip", Alpha: leastPair, Beta: 1 - leastPair})
		r.scores(c.opaque(classical.Coupling(n)).transform(how), k)
	case n > 2:
		r.scores(c.transform(how), classes{}) // of pairs
	case how == "NONE":
		r.scores(c.second(0), k)
	default:
		r.scores(c.both(how), k)
	}
}

// leastPair is the least probability of a class in a pair, as in LIBSVM.
const leastPair = 1e-7

// pairWeights returns the weights of the kernels in the scores of pairs, [pairs, vectors]:
// row j−1 of the coefficients has those of i's vectors in the pair (i, j), and row i those
// of j's.
func (r *nodeReader) pairWeights(s svm, perClass []int64, total int) []float64 {
	n := len(perClass)
	pairs := n * (n - 1) / 2
	if total > maxFolded/max(pairs, 1) {
		r.claim(-1)
	}
	r.claim(pairs * total)
	starts := make([]int, n+1)
	for i, v := range perClass {
		starts[i+1] = starts[i] + int(v)
	}
	weights, row := make([]float64, pairs*total), 0
	for i := range n {
		for j := i + 1; j < n; j++ {
			to := weights[row*total : (row+1)*total]
			copy(to[starts[i]:starts[i+1]], s.coefficients[(j-1)*total+starts[i]:])
			copy(to[starts[j]:starts[j+1]], s.coefficients[i*total+starts[j]:])
			row++
		}
	}
	return weights
}

// linearSVM is a classifier without support vectors: a linear one.
func (r *nodeReader) linearSVM(c *view, s svm, k classes, how string) {
	n := len(k.codes)
	bias := make([]float64, n)
	for i := range bias {
		bias[i] = s.rho[0]
	}
	c = c.affine(n, s.coefficients, bias)
	unsupportedIf(n == 2 && r.usage.readers[r.outputs[0]] > 0, "the label of a linear classifier of two classes")
	r.label(c, k, 0)
	r.scores(c.transform(how), k)
}
