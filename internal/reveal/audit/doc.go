// Package audit decides whether the outputs of a classifier reveal a sensitive attribute s
// beyond what the target attribute y explains (paper B, sections 6 and 7).
//
// It needs only outputs and the labels of the same examples. Attacks of several families
// are fitted by cross-fitting: each example is judged by attacks that were fitted, and
// chosen, without its attributes; only what needs no attribute, such as means of the outputs, is
// of all examples. Accuracy is compared with that of baselines, which know the majority,
// the true y and the answered label; a proper score of the attacks' scores is compared with
// what y and the label together say of s. Each audit also checks itself: on shuffled labels
// it must find nothing, and it must find a planted curious model. What attacks reach is
// demonstrated. That none succeeds proves nothing about others, so a Finding states how
// large an excess it would have found.
//
// The main entry points are [Record.Audit] for a [Sample] with references, planted models and
// defences, [OpenOutputs] for a sample of stored outputs, and [Request] for an audit of a model
// or an endpoint.
//
// An audit goes through the files in this order: the doors that end in a Sample (open*.go, request*.go, model.go, endpoint.go)
// by joining outputs to labels (answers*.go); run.go, sample.go, copies.go, outliers.go and result.go; the attacks
// (crossfit.go, folds.go, joint.go, select.go, forms*.go, calibrate.go); a finding: its excess (excess.go)
// and its gain (given.go), their tests (permute.go) and the references (reference.go); what is known of the
// test itself (control.go, channel*.go, power.go); verdict.go, and the rules of a
// build (failon.go, accept.go). Beside it stand what is trained for an audit (prepare.go, training.go,
// planted.go), what is kept of it (record.go), what could be released instead (defence*.go), and what
// the report says (report*.go).
package audit
