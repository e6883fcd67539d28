// Package paper has paper B's experiments as data: M. Malekzadeh, A. Borovykh and
// D. Gündüz, Honest-but-curious nets: sensitive attributes of private inputs can be
// secretly coded into the classifiers' outputs (2021). Each [Experiment] is a grid of
// trainings, the tables that their results fill, and what the paper prints in each
// cell, mistakes included and noted.
//
// The lines of published/*.csv are the rows of the paper's tables, setting by
// setting; the grids follow from them. One standard net serves all cells of its
// target: every sensitive attribute, raw and soft outputs.
package paper
