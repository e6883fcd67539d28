// Package nn evaluates and differentiates neural nets.
//
// A [Graph] is a net as data; [NewNet] compiles it into a [Net], which maps batches
// [batch, p] of inputs to batches [batch, n] of features. Linearize keeps what is
// needed to multiply by each example's own Jacobian (JVP) and by its transpose (VJP), in
// float32 and float64. In float64 the net also bounds its own rounding error
// ([Net.ForwardError64], [Net.ForwardWide64]). [Training] computes gradients of the
// parameters; package nn/train uses them. Package nn/zoo builds well-known nets.
//
// Activations are row-major, the batch first, images as [channels, height, width].
// Functions panic if a length does not fit a shape; what comes from outside, a graph or
// data, is refused with an error.
//
// # Where to find what
//
//	graph.go builder.go init.go      a net as data, built step by step, initialised
//	op.go                            what an operator and its kernel must do
//	net.go model.go source.go        the compiled net, the interfaces of models and data
//	training.go norm_chain.go        gradients of the parameters
//	cost.go jump.go upsampled.go     questions about graphs, and a pass that enlarges inputs
//
// Passes over graphs before they are compiled:
//
//	simplify.go fold_*.go derive.go  constants and layers that fold into one another
//	recognise.go                     exporters' spellings of Gelu and of norms
//
// The executor:
//
//	plan.go plan_join.go engine.go   which buffer holds which tensor; sweeps over operators
//	tape.go memory*.go               linearisations, and how much they keep
//	param.go spares.go pass.go       packed parameters, buffers, loops that the cores share
//	proof*.go                        bounds on rounding, in float64 and in pairs of float64
//
// Operators, each with its kernel beside it:
//
//	unary*.go relu.go                functions of one number
//	binary*.go where.go              functions of several, over broadcast*.go
//	dense.go matmul*.go conv*.go     matrix products and convolutions
//	pool*.go window.go               pools
//	batchnorm*.go layernorm*.go rowwise.go softmax*.go hardmax.go
//	reduce*.go                       sums over axes
//	rearrange*.go structure.go constant.go
package nn
