// Package design searches for the release that keeps limits at the least cost in accuracy.
//
// The limits are a promise about every adversary: nobody with a list of candidates
// identifies the input more often than so, nobody who knows the distribution of inputs reconstructs it
// better than so, the release reveals at most so many bits, nobody infers a sensitive attribute more
// often than so.
//
// A place is a node of the model and a [Method]: how the numbers that leave are made of the
// features there. Each place gives a line, on which only the strength σ of the Gaussian noise varies.
// On a line, the search finds the least σ that keeps the limits, with a margin for the limits of the
// final measurement, and the accuracy at this σ. It uses training data only: shapes and heads are
// learned on one part, and accuracies measured on the other.
//
// The best line becomes a model of its own, [Answer.Model], whose node [Node] is what noise is
// added to. What the release gives away is then measured on it by other code (package measure), with
// other noise and on test data.
package design
