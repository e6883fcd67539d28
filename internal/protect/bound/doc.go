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
// witnesses, by any means, in float32. A [Certifier] computes bounds from witnesses in
// float64, with every rounding error bounded and counted in the adversary's favour, so its
// bounds hold whatever the search did. It calls a bound unbounded only if it is at least
// [UnboundedFrom] after that allowance, and after one for a runtime that computes the
// features in float32 ([Runtime]). For nets so deep that the allowance exceeds the bound,
// the features are computed in pairs of float64. Where that does not help either, rounding
// is measured, and no bound is called certified ([Settings].Rounding). [Verify] computes
// the bounds of a run again from the model, the inputs and the witnesses alone. Cramér-Rao
// bounds are linear algebra on J, without a witness, and are called estimates. [Experiment].Memory limits the memory of a run.
//
// Bounds hold for estimators that are unbiased on a [Domain]: all real inputs, those in a
// box, or those that the data can hold, such as pixels of 8 bits.
//
// Beside Algorithm 1's near witnesses an [Experiment] may have far witnesses ([FarOptions]);
// twins, inputs with the same features in real arithmetic or, among stored inputs, nearly the
// same ([TwinOptions]); and many witnesses combined by stored coefficients
// ([BarankinOptions]), which certifies what the Cramér-Rao bound estimates.
//
// [Run] works through a data set, in a folder; [Certify] takes one input, in memory.
package bound
