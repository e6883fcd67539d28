// Package training keeps trainings of classifiers in folders, one for each seed: the
// models, and result.json, which is written last. Train computes those that are missing
// as a stage of a run; OpenTeacher opens one again, to distill or prune its classifier. A Recipe
// is the honest training of paper A. All of them make their reports.
package training
