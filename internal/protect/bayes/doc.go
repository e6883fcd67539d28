// Package bayes computes what the best possible adversary with a list of candidate
// inputs achieves: one who knows the model and the noise and computes the exact posterior.
//
// The true input x_t is drawn from the list x_1 … x_N, the release is Y = a(x_t) + Z, and
//
//	p_j(Y) ∝ f(Y − a(x_j))
//
// is the probability that candidate j is the true input. From draws of t and Y, Run estimates
//
//   - the probability that the likeliest candidate is the true input, E[max_j p_j], and that
//     the true input is among the ten likeliest. No adversary with the list identifies it
//     more often;
//   - the floor ½E‖x_t − x_s‖² on the mean-square error, from a second candidate s that is
//     drawn from the posterior. Given Y, t and s are independent draws of one distribution.
//     So this is the mean of the posterior's variance, and no adversary with the list
//     reconstructs the input with a smaller mean-square error. It holds for every linear map
//     of the inputs, so one run serves all coordinates;
//   - log₂N − E[H(p)], the bits that the release reveals about the index of the true input;
//   - the posterior P(s | Y) of an attribute of the candidates, with and without knowledge of
//     the target class. No adversary with the list guesses s right more often than
//     E[max_s P(s | Y)].
//
// Each is the mean of a bounded variable over independent draws, and has a limit that
// holds with a stated confidence (Limit). Population extends the limits to adversaries who have
// no list but know the distribution of the inputs.
//
// stream.go computes the posterior, in one pass over the candidates; limit.go the limits with the
// list, and population.go those without.
package bayes
