// Package curious trains classifiers that are honest but curious (paper B): they answer the
// target attribute y as well as a standard classifier, and hide a sensitive attribute s in the
// same outputs, from which an attack G guesses it.
//
// F maps inputs to Y raw outputs (scores) or, if it ends in a softmax, to Y soft outputs
// (probabilities). G maps these outputs to S scores; the largest is the guess. Both are graphs
// of package nn, which can be stored as ONNX files. Honesty δy is the accuracy of F on y,
// curiosity δs is the accuracy of G on s. An attack demonstrates what is possible; an attack
// that fails shows nothing about other attacks.
package curious
