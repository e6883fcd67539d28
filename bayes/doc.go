// Package bayes plays the adversary whom nobody beats: one who holds a list of
// candidate inputs, knows the model and the noise, and computes the exact posterior.
//
// The truth is drawn from the list x_1 … x_N, the release is Y = a(x_t) + Z, and
//
//	p_j(Y) ∝ f(Y − a(x_j))
//
// is the probability that the truth is candidate j. From draws of t and Y, Run takes
//
//   - the probability that the likeliest candidate is the truth, E[max_j p_j], and that the
//     truth is among the ten likeliest: no adversary with the list names it more often;
//   - a second candidate s, drawn from the posterior. Given Y, t and s are independent draws
//     of one distribution, so that ½E‖x_t − x_s‖² is the mean of the posterior's variance,
//     and no adversary with the list reconstructs the input with a smaller mean-square error.
//     This holds for every linear map of the inputs, so one run serves all coordinates;
//   - log₂N − E[H(p)], the bits that the release tells about which candidate it is;
//   - the posterior of an attribute of the candidates, P(s | Y), with and without knowledge of
//     their target class: no adversary with the list guesses s right more often than E[max_s P(s | Y)].
//
// Each is the mean of a bounded variable over independent draws, and has a limit that
// holds with a stated confidence (Limit). Population carries them over to adversaries
// without a list who know the distribution of the inputs.
//
// stream.go has the posterior, in one pass over the candidates; limit.go the limits.
package bayes
