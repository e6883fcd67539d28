package design

import (
	"context"

	"tattle/internal/engine/nn"
	"tattle/internal/protect/measure"
	"tattle/internal/protect/release"
	"tattle/internal/protect/shape"
)

// The draws of the final accuracy.
const (
	finalDraws    = 8
	streamFinally = 0x6672657368 // "fresh": noise that the search did not use
)

// FinalAccuracy measures on test data, with noise that the search did not use, how often the
// head of a release answers right, or what vectors are worth. The drop is that from the original model, if that is not nil.
func FinalAccuracy(ctx context.Context, front, head nn.Model, purpose measure.Purpose, noise release.Noise, seed uint64, original nn.Model) (release.Utility, error) {
	return purpose.Utility(ctx, original, release.Features{Front: front, Head: head, Noise: noise},
		release.UtilityOptions{Draws: finalDraws, Seed: seed ^ streamFinally}, nil)
}

// A Utility is how often a release and its original model answer right, on test data.
type Utility struct {
	release.Utility                    // Clean is that of the original model
	Tasks           []release.Accuracy // of the release on each further task
}

// Utility measures an answer on test data with the noise for its number of values. The original
// is the model that it was made of, written its Model as it was stored, split makes both sides of the release of such a
// model, what its outputs are used for, and the tasks are those of the search.
func (a *Answer) Utility(ctx context.Context, original, written *nn.Graph, split func(*nn.Graph) (front, head *nn.Graph, err error), purpose measure.Purpose, tasks []string, noiseOf func(values int) (release.Noise, error), seed uint64) (u Utility, err error) {
	whole, err := nn.NewNet(original)
	if err != nil {
		return u, err
	}
	bare, _, err := written.Cut(Node)
	if err != nil {
		return u, err
	}
	models := []*nn.Graph{written}
	for _, head := range a.Heads[1:] {
		models = append(models, shape.Join(bare, head))
	}
	for k, g := range models {
		front, head, err := split(g)
		if err != nil {
			return u, err
		}
		s, err := measure.NewSplit(Node, front, head, nil)
		if err != nil {
			return u, err
		}
		_, n := s.Front.Dims()
		noise, err := noiseOf(n)
		if err != nil {
			return u, err
		}
		if k == 0 {
			if u.Utility, err = FinalAccuracy(ctx, s.Front, s.Head, purpose, noise, seed, whole); err != nil {
				return u, err
			}
			continue
		}
		other := *purpose.Data
		other.Y = other.Attribute(tasks[k-1]).Labels
		task, err := FinalAccuracy(ctx, s.Front, s.Head, measure.Purpose{Data: &other}, noise, seed, nil)
		if err != nil {
			return u, err
		}
		u.Tasks = append(u.Tasks, task.Released)
	}
	return u, nil
}
