package audit

import (
	"context"
	"testing"

	"tattle/internal/must"
)

// A training with its true figures, and audits of the sizes that the study has.
func BenchmarkStudy(b *testing.B) {
	ctx := context.Background()
	tasks := must.Get(studyTasks(ctx, StudyOptions{Seed: 1}))(b)
	s := &bench{tasks: tasks, plan: newPlan(tasks, StudyOptions{Seed: 1}), nets: make([]*netCell, studyReferences+1)}
	s.plan.controls, s.plan.nets = nil, s.plan.nets[:len(s.nets)]
	b.Run("training", func(b *testing.B) {
		for range b.N {
			must.Get(s.train(ctx, s.plan.nets[0]))(b)
		}
	})
	for i := range s.nets {
		s.nets[i] = must.Get(s.train(ctx, s.plan.nets[i]))(b)
	}
	for _, size := range []struct {
		name string
		n    int
	}{{"500", 500}, {"2000", 2000}, {"10000", 10000}} {
		b.Run(size.name, func(b *testing.B) {
			a := planAudit{net: 0, references: []int{1, 2, 3, 4, 5}, outputs: honest.outputs, examples: size.n, seed: 1}
			for range b.N {
				must.Get(s.audit(ctx, &a))(b)
			}
		})
	}
}
