// Package nn evaluates, differentiates and trains neural nets.
//
// A [Graph] is a net as data; [NewNet] compiles it into a [Model], which maps
// batches [batch, p] of inputs to batches [batch, n] of features and linearises
// itself about an input: products with each example's own Jacobian (JVP), with
// its transpose (VJP), and the exact finite difference a(θ+d) − a(θ) without
// cancellation (Shift), in float32 and float64. In float64 it also bounds its own
// rounding error ([Net.ForwardError64]). [Trainer] and [Train] fit the parameters.
//
// Activations are row-major, the batch first, images as [channels, height, width].
// Functions of this package panic where a length does not fit a shape; what
// comes from outside, a graph or data, is refused with an error.
package nn
