// Package curious trains classifiers that are honest but curious (paper B): they
// tell the target attribute y as well as a standard classifier does, and hide a
// sensitive attribute s in the same outputs, where an attack G of whoever receives
// them finds it.
//
// F maps inputs to Y raw outputs (scores) or, ending in a softmax, to Y soft ones
// (probabilities). G maps these to S scores, whose largest is the guess. Both are
// graphs of package nn, and so ONNX files. Honesty δy is the accuracy on y,
// curiosity δs that of G on s. What an attack reaches is demonstrated: one that
// fails shows nothing about others.
package curious
