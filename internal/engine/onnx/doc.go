// Package onnx reads and writes ONNX files: networks as nn.Graph.
//
// It has its own small schema over protobuf's wire format (wire.go, schema.go), for the
// operators that package nn computes. Files are read from opset 7 on and written at
// opset 13, or the lowest that has all operators of a graph.
//
// # Where what is
//
//   - decode.go reads a model: it chooses input and output (inputs.go), sorts out which
//     nodes are needed (usage.go) and reads them one by one (node.go).
//   - operators.go is the table of all operators: their inputs, attributes and readers.
//     A reader (reader.go) adds operators of package nn to the graph (chain.go,
//     builder.go). Where all inputs are constants, these operators run at once (fold.go).
//   - batch.go refuses models that mix the examples of a batch.
//   - encode.go writes a graph, describe.go says what is in a file.
//
// # What a graph holds
//
// A file is read at batch 1. Package nn maps examples independently, so a tensor
// of ONNX shape [1, s…] is one example's tensor of shape s. A tensor of another
// first dimension, such as the windows of a Swin transformer, is one example's whole
// tensor. Since the batch is known, all shapes are: whatever a file computes from shapes
// and other constants is computed while reading, integers exactly up to 2⁵³, and is not part
// of the graph. Written graphs have a dynamic batch.
//
// Float attributes of a file are float32. They are read as the shortest decimal
// of that float32, so an epsilon of 1e-5 is 1e-5 and not 9.99999974737875e-6.
// Weights are finite: ±Inf may only be added, subtracted, compared, chosen or padded
// with, as masks of attention are, or be a limit. What is computed as a bool or an integer
// is a float here, 0 and 1 or without a fraction, whose derivative is 0.
//
// Weights are float32: float16 and bfloat16 are widened, float64 is rounded to the
// nearest. A net declared in float64 is computed in float32, and certified in float64 with
// these rounded weights. Casts to float16 and bfloat16 round; arithmetic in these formats
// is not supported (types.go).
//
// # Files from outside
//
// Whatever a file claims, parameters take at most eight times the memory of the file and
// of the files beside it that it refers to (each byte of which one tensor may have).
// Computed constants have at most 2²⁵ elements plus one for each of those bytes. The
// structure around them has at most 2¹⁸ parts and takes some hundred times its bytes. No
// path or link to data leads out of the model's folder.
//
// A damaged file is a [FormatError] that names node and operator. A sound file that needs
// more than nn computes is an [UnsupportedError] that lists everything it needs.
package onnx
