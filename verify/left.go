package verify

import (
	"fmt"
	"slices"

	"tattle/bound"
	"tattle/measure"
	"tattle/report"
)

// To add a field to a report, recompute it with the others (figures.go or audit.go), or name
// it here. Otherwise verify reports it as a difference, and TestEveryLeaf fails.

// leftOfBounds lists the parts of a report on bounds that are not recomputed.
var leftOfBounds = []notChecked{
	{paths: []string{"release.surface", "release.temperature", "release.projection", "model.sha256", "model.feature_node"},
		name: "THE RELEASE: that release.onnx and head.onnx are what the report says of the model",
		why:  "the model is absent, so the bounds are about release.onnx alone; --model names it", when: func(a absent) bool { return a.model }},
	{paths: []string{"release.projection.kind"},
		name: "the projection: that its directions are those of the training data",
		why:  "the training data are absent; --training-data names them", when: func(a absent) bool { return a.training && !a.model }},
	{paths: []string{"release.noise.scale", "release.noise.from_training"},
		name: "THE NOISE: that its strength was computed from training data, not from the sample",
		why:  "the training data or the model are absent; --training-data and --model name them", when: func(a absent) bool { return a.scaling }},
	{paths: []string{"data.name", "data.path", "data.split", "data.shape", "data.sha256", "data.grey_levels_per_unit", "data.columns", "data.range", "data.stored"},
		name: "the data: that the inputs are theirs", why: absentData, when: withoutData},
	{paths: []string{"utility", "release.noise.scale"}, name: "accuracies and the scale of the noise", why: absentData, when: withoutData},
	{paths: []string{"gallery", "pairs"}, name: "the gallery and the pairs", why: absentData, when: withoutData},
	{paths: []string{"lists"}, name: "the limits from lists of inputs", why: absentData, when: withoutData},
	{paths: []string{"lists.list_holder", "lists.hidden", "lists.shared", "lists.left_out", "outcome"}, name: "the limits for adversaries with a list of candidates", why: "the candidates are absent; --training-data names them", when: func(a absent) bool { return a.candidates }},
	{paths: []string{"lists.plausible_pairs", "lists.plausible_made", "pairs"}, name: "pairs of an input and a candidate or a constructed input, and pictures of pairs", why: "the candidates are absent; --training-data names them", when: func(a absent) bool { return a.candidates }},
	{paths: []string{"lists.list_holder.list.path", "lists.list_holder.list.name", "lists.list_holder.list.split", "lists.hidden.list.path", "lists.hidden.list.name", "lists.hidden.list.split", "lists.anybody[*].list.path", "lists.anybody[*].list.name", "lists.anybody[*].list.split"}, name: "where the lists of inputs were, and their names", why: "they are taken from where they are found, and compared by their digests"},
	{paths: []string{"lists.anybody[*].attributes[*].attacks"}, name: "how often attacks guess a sensitive attribute", why: "attacks are not run again"},
	{paths: []string{"utility.clean_accuracy", "utility.clean_interval"},
		name: "the accuracy of the model itself", why: "the model is absent", when: func(a absent) bool { return a.model }},
	{paths: []string{"model.path"}, name: "where the model was", why: "it is not read from there", when: func(a absent) bool { return a.model || a.modelMoved }},
	{paths: []string{"data.path", "data.name"}, name: "where the data were", why: "they are not read from there", when: func(a absent) bool { return a.dataMoved }},
	{paths: []string{"data.notes"}, name: "notes on how the data were read", why: "they name places as the command line did"},
	{paths: []string{"command"}, name: "the command line", why: "only run.json records it, too, with the folder and the time: the command line there is compared"},
	{paths: []string{"seed"}, name: "the seed of the searches", why: "they are not run again: verify checks the witnesses that they found"},
	{paths: []string{"experiment.reasons", "experiment.search.iteration", "experiment.search.repeats", "experiment.search.stack", "experiment.search.lsqr"},
		name: "how the search for witnesses was done", why: "it is not run again: verify checks the witnesses that it found"},
	{paths: []string{"attacks[*].about", "attacks[*].draws", "attacks[*].recognised", "prior_alone[*].about", "prior_alone[*].draws", "prior_alone[*].recognised"}, name: "of each attack: what it knew, how often the noise was drawn, and the share of reconstructions in which the model recognises the class, on which a verdict may rest", why: "attacks are not run again; their errors are compared with attacks.npz"},
	{paths: []string{"release.post.digits", "release.post.top_k"}, name: "what is done to the release after the noise", why: "only the accuracy depends on it, and is recomputed with it"},
	{paths: []string{"reading"},
		name: "the flags by which model and data were read", why: "they are read with them again; flags that make no difference are not noticed"},
	{paths: []string{"learned_from"}, name: "what prior and attacks learned from", why: "they are not run again"},
	{paths: []string{"version"}, name: "the version of tattle", why: "this one may be another"},
	{paths: []string{"settings"}, name: "the kernels that the run used", why: "this machine may have others"},
	{paths: []string{"design.points", "design.nearest", "design.cuts", "design.left_out", "design.released.method", "design.released.node", "design.released.weight", "design.validation_accuracy", "design.command", "design.pack"},
		name: "the search for the release", why: "it is not run again: its limits are compared with the figures of the release"},
	{paths: []string{"design.drop", "design.drop_interval", "design.original_accuracy", "design.original_interval", "design.tasks"},
		name: "accuracies beside the limits: those of the original model and of further tasks, and the drop", why: "the original model and the heads of further tasks are not part of the run"},
	{paths: []string{"design.accuracy", "design.interval"}, name: "the accuracy of the release that keeps the limits", why: absentData, when: withoutData},
	{paths: []string{"design.checked", "design.met", "outcome"}, name: "whether the limits are kept", why: absentData, when: withoutPromise},
	{paths: []string{"training"}, name: "how the model was trained", why: "it is not trained again"},
	{name: "by the independent check: figures without a stored witness (Cramér-Rao bounds, limits from lists, pairs of an input and a candidate), allowances for rounding and the grid of inputs",
		why: "it computes bounds and floors on pairs from stored witnesses", when: func(a absent) bool { return a.independent }},
	{name: "the arrays " + measure.MadeName + "_… of attacks.npz, if it has any", why: "constructed inputs are not constructed again: only the digest of the file is compared", when: func(a absent) bool { return a.attacks }},
	{name: leftOutWarnings, why: otherWarnings, when: always},
	{paths: []string{"timing"}, name: "timing", why: "it differs from run to run"},
	{paths: []string{"checks"}, name: "which shards of workers were computed again", why: "nothing else records it"},
}

func always(absent) bool { return true }

// The entry for warnings that depend on more than a report has.
const (
	leftOutWarnings = "warnings about what the run left out"
	otherWarnings   = "verify recomputes the other warnings only"
)

const absentData = "the data are absent; --data names them"

// withoutPromise reports whether limits cannot be compared with the figures.
func withoutPromise(a absent) bool { return a.promise && (a.data || a.candidates) }

func withoutData(a absent) bool { return a.data }

// among returns the entries of lists in this report that are not recomputed, while others
// are.
func (v *recomputed) among(r *report.Report) (all []notChecked) {
	add := func(name, why string, format string, a ...any) {
		all = append(all, notChecked{paths: []string{fmt.Sprintf(format, a...)}, name: name, why: why})
	}
	if r.Audit == nil && r.Figure == "" && r.Subcommand() != "bound" {
		add("the title", "it is that of another command", "title")
	}
	if x := r.Experiment; x != nil {
		switch x.Runtime.From {
		case bound.RuntimeGiven:
			add("THE RUNTIME ERROR: that --runtime-error gave it, and that no runtime errs by more", "the report says that it was given: the certificates are checked with it as it is", "experiment.runtime_error")
		case bound.RuntimeMeasured:
			add("the runtime error, within a factor of 4", "it is measured, and processors differ", "experiment.runtime_error.error")
		}
	}
	for i, p := range r.Gallery {
		recomputed := 0
		if i < len(v.report.Gallery) {
			recomputed = len(v.report.Gallery[i].Shots)
		}
		for k := recomputed; k < len(p.Shots); k++ {
			if p.Shots[k].Status == report.StatusDemonstrated {
				add("the attack's pictures in the gallery", "attacks are not run again", "gallery[%d].shots[%d]", i, k)
			}
		}
	}
	for i, w := range r.Warnings {
		if !slices.Contains(v.report.Warnings, w) {
			add(leftOutWarnings, otherWarnings, "warnings[%d]", i)
		}
	}
	return all
}

// alongside returns the recorded warnings, with those that were recomputed at their places.
// A recomputed warning that is not recorded is added at the end.
func alongside(recorded, recomputed []string) []string {
	all := append([]string{}, recorded...)
	at := 0
	for _, w := range recomputed {
		i := slices.Index(recorded[at:], w)
		if i < 0 {
			all = append(all, w)
			continue
		}
		at += i + 1
	}
	return all
}

// leftOfAudits lists the parts of a report on an audit that are not recomputed.
var leftOfAudits = []notChecked{
	{paths: []string{"model.path", "model.sha256", "model.inputs", "model.features"}, name: "the model: that the outputs are its", why: "the model is absent; --model names it", when: func(a absent) bool { return a.model }},
	{paths: []string{"model.path"}, name: "the model: that the outputs are its", why: "the model is not applied again", when: func(a absent) bool { return a.questions }},
	{paths: []string{"model.path"}, name: "the endpoint: that the outputs are its", why: "it is not asked again", when: func(a absent) bool { return a.endpoint }},
	{paths: []string{"data.name", "data.path", "data.split", "data.shape", "data.sha256", "data.grey_levels_per_unit", "data.columns", "audit.sample"},
		name: "the data that the model was applied to", why: "it is not applied again", when: func(a absent) bool { return a.data }},
	{paths: []string{"data.name", "data.path", "data.sha256", "audit.sample"}, name: "the file that the outputs were read from", why: "it is absent", when: func(a absent) bool { return a.outputs }},
	{name: "how the references were trained", why: "their outputs, which the run kept, are taken as they are", when: func(a absent) bool { return a.references }},
	{name: "how planted models and defences were made", why: "they are not trained again: the outputs that the run kept, and trained.json on what was planted, are taken as they are", when: func(a absent) bool { return a.trained }},
	{paths: []string{"audit.notes", "data.notes"}, name: "notes on how data and outputs were read", why: "only the outputs that were kept are read again"},
	{paths: []string{"settings", "reading"}, name: "what the command line asked for", why: "outputs are not computed again, and nothing is trained again"},
	{paths: []string{"audit.settings.permutations", "audit.settings.max_fit"}, name: "the number of permutations, and the most examples that attacks are fitted on",
		why: "the audit is done again with them; where they make no difference a change is not noticed"},
	{paths: []string{"fail_on"}, name: "the thresholds of --fail-on", why: "the breaches are recomputed with them"},
	{paths: []string{"command"}, name: "the command line", why: "only run.json records it, too, with the folder and the time: the command line there is compared"},
	{paths: []string{"version"}, name: "the version of tattle", why: "this one may be another"},
	{name: leftOutWarnings, why: otherWarnings, when: always},
	{paths: []string{"timing"}, name: "timing", why: "it differs from run to run"},
	{paths: []string{"checks"}, name: "which shards of workers were computed again", why: "nothing else records it"},
}
