// Package bound proves how badly any unbiased reconstruction of a model's input
// from its noisy features must do, after K. Chaudhuri, C. Guo, L. van der
// Maaten, S. Mahloujifar and M. Tygert, Guarantees of confidentiality via
// Hammersley-Chapman-Robbins bounds (paper A in the comments).
//
// θ ∈ R^p is the input, a(θ) ∈ R^n its features, X = a(θ) + Z the release, Z noise
// with standard deviation σ per feature, Gaussian in paper A, J = ∂a/∂θ, and
// w ∈ R^p the linear functional of the input whose reconstruction is bounded: a mode
// of the discrete cosine transform, a pixel, a vector of the user's.
//
// Search is not certificate. A search ([SearchOptions]) finds perturbations ε, the
// witnesses, by any means, in float32. A [Certifier] computes bounds from
// witnesses in float64, with every rounding error bounded and counted in the
// adversary's favour, so that what it says holds whatever the search did. It calls
// unbounded only what is at least [UnboundedFrom] by that count, and by what a runtime
// that computes the features in float32 may err ([Runtime]). Of nets so deep that
// the count says nothing, rounding is proved in pairs of float64, or measured, and then
// nothing is called certified ([Experiment].Rounding). [Run] searches,
// certifies and stores bounds and witnesses; [Verify] computes the bounds again
// from the model, the inputs and the witnesses alone. Cramér-Rao figures are
// linear algebra on J, without a witness: they are estimates, and say so. Where J is too
// large to be decomposed its products still tell how many directions can be resolved,
// with an interval ([Spectrum]). All that a run holds follows from a budget
// ([Experiment].Memory).
//
// Bounds speak of estimators that are unbiased on a [Domain]: all real inputs, those in
// a box, or those that the data can hold, such as pixels of 8 bits.
//
// Beside Algorithm 1's witnesses an [Experiment] has rungs: far witnesses
// ([FarOptions]), twins, inputs of the same features in
// real arithmetic or, among stored inputs, nearly the same ([TwinOptions]), and the
// combination of many witnesses by stored coefficients ([BarankinOptions]), which
// certifies what Cramér-Rao estimates.
package bound
