// Package design searches for the release that keeps limits at the least cost in accuracy.
//
// Limits are of two kinds. A promise is about every adversary: nobody with a list of candidates
// identifies the input more often than so, nobody who knows the distribution of inputs reconstructs it
// better than so, the release reveals at most so many bits, nobody infers a sensitive attribute more
// often than so. A target is about unbiased estimators, or the linear attack, and limits nobody else.
//
// A place is a node of the model and a [Method]: how the numbers that leave are made of the
// features there. Each place gives lines, on which only the strength σ of the noise varies. On
// a line, the search finds the least σ that keeps the limits, with a margin for the limits of the
// final measurement, and the accuracy at this σ. Where only the cost is limited, it finds the largest σ
// that keeps to it.
//
// With a promise, the noise is Gaussian, and the search uses training data only: shapes and heads are
// learned on one part, and accuracies measured on the other. Without one nothing is learned under
// the noise: the lines are families of noise on all features, or on projections of them, and accuracy is
// measured on the data of the final measurement, with the same draws at every σ.
//
// Methods of others ([Method.Peer]) make lines too, which are drawn beside these and never chosen.
//
// The best line becomes a model of its own, [Answer.Model], whose node [Node] is what noise is
// added to. What the release gives away is then measured on it by other code (package measure), with
// other noise and on test data.
package design
