package main

import (
	"math/rand/v2"

	"tattle/internal/reveal/audit"
	"tattle/internal/reveal/curious"
	"tattle/internal/run"
)

// kind is a way in which classifiers come about.
type kind struct {
	name   string
	attack curious.Kind
	soft   bool
	beta   curious.Beta // zero is the attack's own
	normal bool
}

// honestKind are the honest classifiers, audited by their raw and by their soft outputs.
var honestKind = kind{name: "standard", attack: curious.Standard}

// curiousKinds are paper B's ways to be curious: its first pairs of multipliers, and βx of
// .4, which evens out the entropies that would give a classifier away.
var curiousKinds = []kind{
	{name: "parameterized", attack: curious.Parameterized},
	{name: "mixture, hard", attack: curious.MixtureKind, soft: true},
	{name: "parameterized, βx .4", attack: curious.Parameterized, beta: curious.Beta{X: .4, Y: .7, S: .3}},
	{name: "regularized", attack: curious.Regularized, soft: true},
	{name: "mixture, normal", attack: curious.MixtureKind, soft: true, normal: true},
	{name: "parameterized", attack: curious.Parameterized, soft: true},
	{name: "regularized, βx .4", attack: curious.Regularized, soft: true, beta: curious.Beta{X: .4, Y: .5, S: .5}},
	{name: "parameterized, βx .4", attack: curious.Parameterized, soft: true, beta: curious.Beta{X: .4, Y: .5, S: .5}},
}

// plantedKinds are those whose first classifier is the positive control, for raw and soft outputs.
var plantedKinds = []kind{curiousKinds[0], curiousKinds[4]}

// size is a number of examples, and of audits of honest and as many of curious
// classifiers with it, over all data.
type size struct{ examples, audits int }

// sizes returns those of the audits where y and s are independent, and that of the audits of honest
// classifiers where they depend on each other.
func (o options) sizes() (independent []size, correlated size) {
	if o.quick {
		return []size{{400, 2}}, size{400, 2}
	}
	return []size{{500, 50}, {2000, 50}, {10000, 20}}, size{2000, 100}
}

// Streams of the seed.
const (
	streamNets = 300 + iota
	streamDraws
)

// newStudy deals the audits to the tasks: every audited classifier is one of its own,
// and the references of each are other honest ones, drawn at random. Tasks
// come in pairs, the second of each correlated.
func newStudy(tasks []*task, o options) *study {
	s := &study{options: o, tasks: tasks}
	_, correlated := o.sizes()
	data := len(tasks) / 2
	for t := 0; t < len(tasks); t += 2 {
		s.independent(tasks[t], data)
		each := correlated.audits / data
		pool := s.honest(tasks[t+1], max(each, audit.DefaultReferences+1))
		for i := range each {
			s.add(pool[i], pool, i%2 == 1, correlated.examples)
		}
	}
	return s
}

// train puts a training on the list.
func (s *study) train(t *task, k kind) *net {
	n := &net{task: t, kind: k, seed: run.Rand(s.seed, streamNets, len(s.nets)).Uint64()}
	s.nets = append(s.nets, n)
	return n
}

// honest puts trainings of honest classifiers on the list.
func (s *study) honest(t *task, count int) (pool []*net) {
	for range count {
		pool = append(pool, s.train(t, honestKind))
	}
	return pool
}

// independent plans the audits of honest and of curious classifiers on a task, the
// honest ones by raw and by soft outputs in turn.
func (s *study) independent(t *task, data int) {
	sizes, _ := s.sizes()
	each := 0
	for _, z := range sizes {
		each += z.audits / data
	}
	pool := s.honest(t, max(each, audit.DefaultReferences+1))
	var planted []*net
	for _, k := range plantedKinds {
		planted = append(planted, s.train(t, k))
	}
	next := 0
	for _, z := range sizes {
		for _, n := range planted {
			s.controls = append(s.controls, s.check(n, pool, n.kind.soft, z.examples, -1-len(s.controls)))
		}
		for i := range z.audits / data {
			s.add(pool[next], pool, i%2 == 1, z.examples)
			k := curiousKinds[next%len(curiousKinds)]
			s.add(s.train(t, k), pool, k.soft, z.examples)
			next++
		}
	}
}

// add puts an audit on the list.
func (s *study) add(n *net, pool []*net, soft bool, examples int) {
	s.audits = append(s.audits, s.check(n, pool, soft, examples, len(s.audits)))
}

// check plans one audit, with references from the pool other than the net itself.
func (s *study) check(n *net, pool []*net, soft bool, examples, number int) *check {
	r := run.Rand(s.seed, streamDraws, number)
	c := &check{net: n, soft: soft, examples: examples, seed: r.Uint64()}
	for _, i := range r.Perm(len(pool)) {
		if pool[i] != n && len(c.references) < audit.DefaultReferences {
			c.references = append(c.references, pool[i])
		}
	}
	return c
}

// poolParts divides a pool of n examples for the true figures: attacks learn from those before
// learned, are chosen on those before known, and are measured on the rest, which no audit
// uses.
func poolParts(n int) (learned, known int) { return n / 2, n * 7 / 10 }

// draw returns the examples of an audit, without repetition: none of those that true
// figures are measured on.
func (c *check) draw(pool int) []int {
	_, known := poolParts(pool)
	r := rand.New(rand.NewPCG(c.seed, 1))
	return r.Perm(known)[:min(c.examples, known)]
}
