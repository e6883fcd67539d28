package bayes

import (
	"math"
	"sort"

	"tattle/internal/math/stat"
)

// A Population says what a list of inputs is to the adversaries without a list, who know the
// distribution P of the inputs. Limits for them hold if the list is independent draws of P on
// which the model does not depend.
type Population struct {
	// N is the number of independent draws in the list: inputs, or people with their inputs. Means are then over people of
	// the mean over their inputs, which is in the same range, and the proofs hold with the people's.
	N     int
	Alpha float64 // probability with which each limit may be wrong
	// Choices is the number of releases among which the list decided; 0: it decided nothing.
	// Limits then hold for all of them at once.
	Choices int
	// Scaled says that the strength of the noise was computed from the list, as a multiple of the
	// root mean square of its features. Limits then hold for every strength at once, see scaled. The
	// release must not depend on the list in any other way.
	Scaled bool
}

// Floor extends a floor g on the mean-square error of adversaries with the list to adversaries
// without one. It returns a lower limit on their error, averaged over P. Squared errors are at
// most most.
//
// Proof. Let t° be the best estimator for P and ℓ(x) the mean-square error of t° at input x,
// over the noise; its mean over P is the error r° to be bounded. No estimator does better on the
// list than the list's own best one: g ≤ (1/n)Σℓ(x_j). The ℓ(x_j) are independent, in [0, most]
// and of mean r°, so by Hoeffding (1963, Theorem 1) their mean reaches m > r° with a probability of at most
// exp(−n·kl(m/most, r°/most)), kl(p, q) = p ln(p/q) + (1−p) ln((1−p)/(1−q)). So with probability 1 − alpha
// r° is at least the r below g at which n·kl(g/most, r/most) = ln(1/alpha). (The limit by bounded
// differences, g − most·√(ln(1/alpha)/2n), is weaker; it follows from this one by Pinsker's inequality.)
//
// Estimates may be taken to be in the range of the inputs: projecting them onto it, which is
// convex, lowers every error. Inputs may also be projected onto a convex set that does not depend on the
// list: projecting the estimates, too, lowers every error, so a floor for the projected inputs is
// one for the inputs, and most is the largest squared error in the set.
func (p Population) Floor(g, most float64) float64 {
	if !(most > 0) {
		return 0
	}
	return most * p.low(g/most, p.N)
}

// Ceiling is the analogue of Floor for the probability q of a right guess, for example of an
// attribute. It returns an upper limit for adversaries without a list. On the list, the best rule
// for P guesses no better than the list's own best rule.
func (p Population) Ceiling(q float64) float64 { return 1 - p.low(1-q, p.N) }

// Enough returns the least number of draws in a list for which a limit is as good as is asked, if the list's own
// figure stays as it is; 0 if no number up to 2⁴⁰ is.
func (p Population) Enough(good func(Population) bool) int {
	for p.N = 1; !good(p); p.N *= 2 {
		if p.N > 1<<40 {
			return 0
		}
	}
	return sort.Search(p.N, func(n int) bool {
		p.N = n
		return n > 0 && good(p)
	})
}

// AUC is the analogue of Ceiling for the area under the ROC curve. counts are the numbers of
// inputs of the list in each of two classes. The area of the best score for P on the list is a two-sample U statistic, which
// is the mean, over the ways to pair the inputs of the smaller class with others, of means of
// independent terms in [0, 1]. So the proof of Floor holds with the size of the smaller class
// (Hoeffding 1963, 5b).
func (p Population) AUC(area float64, counts [2]int) float64 {
	n := min(counts[0], counts[1])
	if n == 0 {
		return 1
	}
	return 1 - p.low(1-area, n)
}

// smoothing is the part of the uniform distribution in the posteriors of Bits.
const smoothing = .01

// Bits is the analogue of Ceiling for the bits I(s; Y) that the release reveals about an attribute
// with that number of classes. left is at most the list's entropy H(s|Y), and entropy at least the entropy
// of s under P; given a target, both are those given the target.
//
// Proof. Among posteriors q of at least λ/classes everywhere, let q° be the best for P: the one with the
// least mean loss r° = E[−log₂q°(s)]. Losses are in [0, log₂(classes/λ)]. On the list the mean
// loss of q° is at least left, the least of all posteriors. So r° has the limit of Floor. Mixing
// the true posterior with a part λ of the uniform distribution costs at most log₂(1/(1−λ)), so
// H(s|Y) ≥ r° − log₂(1/(1−λ)).
func (p Population) Bits(left, entropy float64, classes int) float64 {
	most := math.Log2(float64(classes) / smoothing)
	return max(0, entropy-max(0, p.Floor(left, most)+math.Log2(1-smoothing)))
}

// Entropy returns an upper limit on the entropy, in bits, under P of an attribute. shares are the parts
// of the list in each class. The limit is that of the uniform distribution, or for two classes of the
// probability nearest to one half that the shares allow.
func (p Population) Entropy(shares []float64) float64 {
	if len(shares) != 2 {
		return math.Log2(float64(len(shares)))
	}
	q := min(shares[0], shares[1], 1)
	q = min(1-stat.ChernoffLow(1-q, p.N, p.Alpha/2), .5) // half for each class that may be the rarer one
	return stat.EntropyBits([]float64{q, 1 - q})
}

// low returns a lower limit on the mean under P of a risk whose mean on the list is g, with n
// independent draws.
func (p Population) low(g float64, n int) float64 {
	alpha := p.Alpha / float64(max(p.Choices, 1))
	if p.Scaled {
		return scaled(g, n, alpha)
	}
	return stat.ChernoffLow(g, n, alpha)
}

// Risks for which scaled makes limits: each is scaledStep times the one before, from 1 to below 10⁻⁴.
const (
	scaledStep   = .98
	scaledLevels = 457
)

// scaled is the limit for a list on which the strength σ of the noise depends. It holds for all
// strengths at once.
//
// Proof. Let r(σ) be the least risk for P at strength σ, and g(σ) that of the list. Both rise
// with σ if noise of strength σ' > σ is distributed as noise of strength σ plus further noise
// (release.SelfDecomposable): an adversary can add that noise. Let r be fixed. Of the strengths with
// r(σ) ≤ r, each has a limit from g(σ) above r with a probability of at most β, and these events
// grow with σ, so with a probability of at most β one of them happens at all. Take β = alpha/scaledLevels
// and the levels r = 1, .98, .98², …. Unless one of these events happens, a limit l above the
// last level proves that r(σ) is above it, too; and if .98r < r(σ) ≤ r for a level r, then l ≤ r <
// r(σ)/.98.
func scaled(g float64, n int, alpha float64) float64 {
	l := stat.ChernoffLow(g, n, alpha/scaledLevels)
	if l <= math.Pow(scaledStep, scaledLevels-1) {
		return 0
	}
	return scaledStep * l
}
