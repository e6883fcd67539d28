// Package audit decides whether the outputs of a classifier tell more than they
// should: whether they tell a sensitive attribute s beyond what the target attribute
// y explains (paper B, sections 6 and 7).
//
// It needs outputs and the labels of the same examples, and nothing else. Attacks
// of several families are fitted to the outputs so that every example is judged by
// attacks that never saw it, one of them is chosen without looking at the example
// either, and what it guesses right is held against what the majority, the true y
// and the hard label tell of s. The scores of another are held, by a proper score,
// against what y and the label together say of s. Every audit audits itself, too: on shuffled labels
// it must find nothing, and a planted curious model it must find. What attacks
// reach is demonstrated; that none succeeds proves nothing about others, which is
// why a Finding says how large an excess it would have seen.
package audit
