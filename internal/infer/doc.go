// Package infer speaks the Open Inference Protocol v2 over REST, as KServe, Triton,
// OpenVINO Model Server and MLServer do: a Client that asks a server for a model's
// outputs, and a Handler that serves nets of package nn.
//
// Tensors travel as JSON numbers or, where the server offers binary_tensor_data, as
// little-endian bytes behind the JSON. Either way a float32 arrives as the float32 that
// was sent: numbers are written as the shortest decimal of the float32.
//
// Everything a server or a client of ours sends is bounded before it is read. Errors are
// one line that names the address without the token, the status and what the other
// side said.
package infer
