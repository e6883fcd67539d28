package audit

import (
	"math/rand/v2"

	"tattle/curious"
	"tattle/run"
)

// studyKind is a way in which classifiers of the study come about.
type studyKind struct {
	name    string
	attack  curious.Kind
	outputs curious.Outputs
	beta    curious.Beta // zero is the attack's own
	normal  bool
}

// honest classifiers are audited by their raw and by their soft outputs.
var honest = studyKind{name: "standard", attack: curious.Standard, outputs: curious.Raw}

// curiousKinds are B's ways to be curious: its first pairs of multipliers, and βx of
// .4, which evens out the entropies that would give a classifier away.
var curiousKinds = []studyKind{
	{name: "parameterized", attack: curious.Parameterized, outputs: curious.Raw},
	{name: "mixture, hard", attack: curious.MixtureKind, outputs: curious.Soft},
	{name: "parameterized, βx .4", attack: curious.Parameterized, outputs: curious.Raw, beta: curious.Beta{X: .4, Y: .7, S: .3}},
	{name: "regularized", attack: curious.Regularized, outputs: curious.Soft},
	{name: "mixture, normal", attack: curious.MixtureKind, outputs: curious.Soft, normal: true},
	{name: "parameterized", attack: curious.Parameterized, outputs: curious.Soft},
	{name: "regularized, βx .4", attack: curious.Regularized, outputs: curious.Soft, beta: curious.Beta{X: .4, Y: .5, S: .5}},
	{name: "parameterized, βx .4", attack: curious.Parameterized, outputs: curious.Soft, beta: curious.Beta{X: .4, Y: .5, S: .5}},
}

// The kinds whose first classifier is the positive control for raw and soft outputs.
const (
	plantedRaw  = 0
	plantedSoft = 4
)

// studySize is a number of examples, and of audits of honest and as many of curious
// classifiers with it, over all data.
type studySize struct{ examples, audits int }

var (
	studySizes = []studySize{{500, 50}, {2000, 50}, {10000, 20}}
	quickSizes = []studySize{{400, 2}}
)

// Audits of correlated but honest classifiers, over all data, and their examples.
const (
	studyCorrelated         = 100
	studyCorrelatedExamples = 2000
	quickCorrelated         = 2
	quickCorrelatedExamples = 400
)

// plan lists all that a study does. Whatever it is, it is a function of the tasks'
// number, the seed and Quick.
type plan struct {
	nets     []planNet
	controls []planAudit // whose net is curious
	audits   []planAudit
	sizes    []studySize
}

// planNet is a training; curious ones are of tasks whose y and s are independent.
type planNet struct {
	task int
	kind studyKind
	seed uint64
}

// planAudit is an audit of one net's outputs on examples drawn by the seed.
type planAudit struct {
	net        int
	references []int
	outputs    curious.Outputs
	examples   int
	seed       uint64
}

// newPlan deals the audits to the tasks: every audited classifier is one of its own,
// and the references of each are others of the honest ones, drawn at random. Tasks
// come in pairs, the second of each correlated.
func newPlan(tasks []*studyTask, o StudyOptions) *plan {
	p := &plan{sizes: studySizes}
	correlated, examples := studyCorrelated, studyCorrelatedExamples
	if o.Quick {
		p.sizes, correlated, examples = quickSizes, quickCorrelated, quickCorrelatedExamples
	}
	data := len(tasks) / 2
	for t := 0; t < len(tasks); t += 2 {
		p.independent(t, data, o.Seed)
		p.correlated(t+1, max(correlated/data, studyReferences+1), correlated/data, examples, o.Seed)
	}
	return p
}

// add puts a training on the list and returns its number.
func (p *plan) add(task int, k studyKind, seed uint64) int {
	i := len(p.nets)
	p.nets = append(p.nets, planNet{task, k, run.Rand(seed, studyNets, i).Uint64()})
	return i
}

// Streams of the study's seed.
const (
	studyNets = 300 + iota
	studyDraws
)

// independent plans the audits of honest and of curious classifiers on task t, the
// honest ones by raw and by soft outputs in turn.
func (p *plan) independent(t, data int, seed uint64) {
	each := 0
	for _, s := range p.sizes {
		each += s.audits / data
	}
	var pool []int
	for range max(each, studyReferences+1) {
		pool = append(pool, p.add(t, honest, seed))
	}
	first := make([]int, len(curiousKinds)) // classifiers that serve as controls
	for i, k := range curiousKinds {
		first[i] = -1
		if i == plantedRaw || i == plantedSoft {
			first[i] = p.add(t, k, seed)
		}
	}
	next, turn := 0, 0
	for _, s := range p.sizes {
		for _, c := range []int{plantedRaw, plantedSoft} {
			p.controls = append(p.controls, p.audit(first[c], pool, curiousKinds[c].outputs, s.examples, seed, -1-len(p.controls)))
		}
		for i := range s.audits / data {
			outputs := []curious.Outputs{curious.Raw, curious.Soft}[i%2]
			p.audits = append(p.audits, p.audit(pool[next], pool, outputs, s.examples, seed, len(p.audits)))
			next++
			k := curiousKinds[turn%len(curiousKinds)]
			turn++
			p.audits = append(p.audits, p.audit(p.add(t, k, seed), pool, k.outputs, s.examples, seed, len(p.audits)))
		}
	}
}

// correlated plans audits of honest classifiers on a task whose y and s are
// dependent.
func (p *plan) correlated(t, nets, audits, examples int, seed uint64) {
	var pool []int
	for range nets {
		pool = append(pool, p.add(t, honest, seed))
	}
	for i := range audits {
		outputs := []curious.Outputs{curious.Raw, curious.Soft}[i%2]
		p.audits = append(p.audits, p.audit(pool[i], pool, outputs, examples, seed, len(p.audits)))
	}
}

// audit plans one audit, with references from the pool other than the net itself.
func (p *plan) audit(net int, pool []int, outputs curious.Outputs, examples int, seed uint64, number int) planAudit {
	r := run.Rand(seed, studyDraws, number)
	a := planAudit{net: net, outputs: outputs, examples: examples, seed: r.Uint64()}
	for _, i := range r.Perm(len(pool)) {
		if pool[i] != net && len(a.references) < studyReferences {
			a.references = append(a.references, pool[i])
		}
	}
	return a
}

// draw returns the examples of an audit, without repetition: none of those that true
// figures are measured on.
func (a *planAudit) draw(pool int) []int {
	_, known := poolParts(pool)
	r := rand.New(rand.NewPCG(a.seed, 1))
	return r.Perm(known)[:min(a.examples, known)]
}
