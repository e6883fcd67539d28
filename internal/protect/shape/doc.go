// Package shape learns what to release of a model's features, so that noise hides the input
// and the task survives.
//
// A release is a layer on the features, noise, and a head that answers from the noisy values.
// The noise is isotropic. Noise of another covariance on the features is the same thing: with
// a layer W that is regular, W·a + N(0, σ²I) is a bijection of a + N(0, σ²(WᵀW)⁻¹), and where W
// has fewer rows than columns, the directions that it ignores are not released. So every
// certificate for isotropic noise holds for a shape, on the features after the layer.
//
//   - [NewMoments] and [Moments.Discriminant] give the layer that Fisher's linear discriminant
//     makes, in closed form, [Moments.Head] the linear head for it.
//   - [Fit] improves the layer and a small head by gradients, under the noise, with a penalty
//     on what the release gives away (leak.go): how likely an adversary with a list of
//     candidates names the input, and guesses sensitive attributes.
//   - [Bits] is a penalty on the information limit of what a batch releases.
//
// All of it is search. What a release then gives away is measured elsewhere (packages bayes,
// bound and measure), on other draws and inputs.
package shape
