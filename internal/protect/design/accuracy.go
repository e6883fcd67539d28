package design

import (
	"context"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/protect/release"
	"tattle/internal/protect/shape"
)

// The draws of the final accuracy.
const (
	finalDraws    = 8
	streamFinally = 0x6672657368 // "fresh": noise that the search did not use
)

// FinalAccuracy measures on test data, with noise that the search did not use, how often the
// head of a release answers right. Where right is not nil, it says which examples the original
// model classifies correctly, and drop is the difference of the two accuracies.
func FinalAccuracy(ctx context.Context, front, head nn.Model, data nn.Source, people []int, noise release.Noise, seed uint64, right []bool) (released, drop release.Accuracy, err error) {
	u, err := release.Features{Front: front, Head: head, Noise: noise}.Utility(ctx, data,
		release.UtilityOptions{Draws: finalDraws, Seed: seed ^ streamFinally, Against: right, People: people})
	return u.Released, u.Drop, err
}

// A Utility is how often a release and its original model answer right, on test data.
type Utility struct {
	Clean    release.Accuracy // of the original model
	Released release.Accuracy
	Drop     release.Accuracy   // from Clean: Fraction and Interval are differences
	Tasks    []release.Accuracy // of the release on each further task
}

// Utility measures an answer on test data with the noise for its number of values. The original
// is the model that it was made of, written its Model as it was stored, split makes both sides of the release of such a
// model, and the tasks are those of the search.
func (a *Answer) Utility(ctx context.Context, original, written *nn.Graph, split func(*nn.Graph) (front, head *nn.Graph, err error), data *dataset.Set, tasks []string, noiseOf func(values int) (release.Noise, error), seed uint64) (u Utility, err error) {
	whole, err := nn.NewNet(original)
	if err != nil {
		return u, err
	}
	var right []bool
	if u.Clean, right, err = release.Right(ctx, whole, data, data.People()); err != nil {
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
		frontGraph, headGraph, err := split(g)
		if err != nil {
			return u, err
		}
		front, err := nn.NewNet(frontGraph)
		if err != nil {
			return u, err
		}
		head, err := nn.NewNet(headGraph)
		if err != nil {
			return u, err
		}
		_, n := front.Dims()
		noise, err := noiseOf(n)
		if err != nil {
			return u, err
		}
		if k == 0 {
			u.Released, u.Drop, err = FinalAccuracy(ctx, front, head, data, data.People(), noise, seed, right)
		} else {
			var task release.Accuracy
			task, _, err = FinalAccuracy(ctx, front, head, answering(data, tasks[k-1]), data.People(), noise, seed, nil)
			u.Tasks = append(u.Tasks, task)
		}
		if err != nil {
			return u, err
		}
	}
	return u, nil
}
