package measure

import (
	"context"
	"math"
	"os"
	"slices"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/classify"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/onnx"
	"tattle/internal/must"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/release"
	"tattle/internal/shared"
)

// TestNoAttackBeatsCeilings attacks a sensitive attribute of three data sets: the writers of
// QMNIST's digits, the gender of FairFace's people and the sex in Adult. No attack guesses it
// right more often than the upper limits for adversaries with the sample as their list and
// without a list, by more than four standard errors of the attack's own share.
func TestNoAttackBeatsCeilings(t *testing.T) {
	if os.Getenv("TATTLE_FULL") == "" {
		t.Skip("long: attacks on sensitive attributes against ceilings for every adversary; set TATTLE_FULL=1")
	}
	read := func(name string) func(*testing.T, *dataset.Set) *nn.Graph {
		return func(t *testing.T, _ *dataset.Set) *nn.Graph {
			return must.Get(onnx.Read(shared.Path(t, name)))(t)
		}
	}
	for _, c := range []struct {
		name, data string
		options    dataset.Options
		labels     string
		candidates int
		graph      func(*testing.T, *dataset.Set) *nn.Graph
	}{
		{"writer", "data/mnist", dataset.Options{}, "data/qmnist", 10000, read("models/mnist-mlp.onnx")},
		{"gender", "data/fairface64.zip", dataset.Options{Target: "age: <30, >=30", Sensitive: []string{"gender"}, Preprocess: preprocess(t, "resize=32,32 mean=.485,.456,.406 std=.229,.224,.225"), Shape: []int{3, 32, 32}},
			"", 4000, read("models/resnet20-cifar10.onnx")},
		{"sex", "data/adult", dataset.Options{Sensitive: []string{"sex"}}, "", 10000, randomNet},
	} {
		t.Run(c.name, func(t *testing.T) {
			var sets [2]*dataset.Set
			for i, part := range []dataset.Split{dataset.Train, dataset.Test} {
				o := c.options
				o.Part = part
				if c.labels != "" {
					o.Labels = shared.Path(t, c.labels)
				}
				sets[i], _ = must.Get2(dataset.OpenInputs(context.Background(), shared.Path(t, c.data), o))(t)
			}
			s := must.Get(Release{}.Split(context.Background(), c.graph(t, sets[1]), nil))(t)
			scale, _ := must.Get2(release.FeatureScale(context.Background(), s.Front, sets[1]))(t)
			for _, times := range []float64{.2, 1, 5} {
				attackCeilings(t, s.Front, sets, c.name, c.candidates, scale, times)
			}
		})
	}
}

func attackCeilings(t *testing.T, front nn.Model, sets [2]*dataset.Set, attribute string, candidates int, scale, times float64) {
	noise := must.Get(release.NewGaussian(times * scale))(t)
	legal := must.Get(LegalDomain(sets[1]))(t)
	o := ListOptions{Candidates: &List{Name: "the training part", Set: sets[0], Most: candidates}, Sample: &List{Name: "the test part", Set: sets[1]}, Attributes: []string{attribute}, Seed: 1}
	target := Target{Front: front, Noise: noise, Coordinates: bound.Pixels(nn.Size(sets[1].Shape)), Legal: legal}
	found := must.Get(o.Run(context.Background(), target))(t)
	in := found.EverySample().Inferred[0]
	attacks := slices.Clone(in.Attacks)
	l := newLists(o, target)
	known, attacked := l.choose(l.Candidates), l.chooseSample()
	known, attacked = known[:min(len(known), mostLearned)], attacked[:min(len(attacked), mostAttacked)]
	from := must.Get(l.released(context.Background(), l.Candidates, known, streamLearned))(t)
	on := must.Get(l.released(context.Background(), l.Sample, attacked, streamAttacked))(t)
	names := []string{attribute}
	learned, truth := l.attributes(l.Candidates, Peopled{Indices: known}, names)[0], l.attributes(l.Sample, Peopled{Indices: attacked}, names)[0]
	for _, learner := range []classify.Learner{classify.Trees{}, classify.Network{}} {
		name := learner.Name()
		fitted := must.Get(learner.Fit(context.Background(), classify.NewTable(nn.Float32s(from), l.columns).All(), []classify.Target{{Labels: learned.Class, Classes: learned.Classes}}, 1))(t)
		scores := [][]float32{make([]float32, len(attacked)*truth.Classes)}
		must.Do(t, fitted.Predict(context.Background(), scores, classify.NewTable(nn.Float32s(on), l.columns).All()))
		attacks = append(attacks, InferredAttack{name, classify.Accuracy(classify.Guesses(scores[0], truth.Classes), truth.Class)})
	}
	for _, a := range attacks {
		spread := math.Sqrt(.25 / float64(a.Right.Examples))
		t.Logf("%g σ: %s %.4f of %d; best with the sample as a list %.4f (at most %.4f), without a list at most %.4f, majority %.4f", times, a.Name, a.Right.Value, a.Right.Examples, in.Right.Mean, in.Right.High, in.Anybody, in.Majority)
		if a.Right.Value > in.Right.High+4*spread || a.Right.Value > in.Anybody+4*spread {
			t.Errorf("%g σ: %s guesses %s right for %.4f, and no adversary for more than %.4f with the sample as a list, %.4f without", times, a.Name, attribute, a.Right.Value, in.Right.High, in.Anybody)
		}
	}
}

// TestNoAttackBeatsFloors attacks paper A's net on 2,000 test images, with 1.6 million guesses of a coordinate by each
// attack. No attack may err by less than the floor for every adversary, in any band.
// The images are from the sample of the floors. So beyond the limits of the floors there is only the spread of the
// attacks' own means: six times their standard errors.
func TestNoAttackBeatsFloors(t *testing.T) {
	if os.Getenv("TATTLE_FULL") == "" {
		t.Skip("long: attacks of paper A's net against floors for every adversary; set TATTLE_FULL=1")
	}
	g := must.Get(onnx.Read(shared.Path(t, "models/mnist-mlp.onnx")))(t)
	var sets [2]*dataset.Set
	for i, part := range []dataset.Split{dataset.Train, dataset.Test} {
		sets[i], _ = must.Get2(dataset.OpenInputs(t.Context(), shared.Path(t, "data/mnist"), dataset.Options{Part: part}))(t)
	}
	train, test := sets[0], sets[1]
	s := must.Get(Release{}.Split(context.Background(), g, nil))(t)
	legal := must.Get(LegalDomain(test))(t)
	var indices []int
	for i := range 2000 {
		indices = append(indices, 5*i)
	}
	for _, times := range []float64{1, 5, 20} {
		noise := must.Get(release.NewGaussian(1.7024195 * times))(t)
		c := bound.DCT(test.Shape)
		a := Adversaries{Attacks: AttackNames, Draws: 1, Training: train, Seed: 1, NeedsAttacks: true,
			Lists: &ListOptions{Sample: &List{Name: "the test part", Set: test}, Seed: 1}}
		found := must.Get(a.Run(context.Background(), Target{Front: s.Front, Noise: noise, Data: test, Indices: indices, Coordinates: c, Legal: legal, Seed: 2}))(t)
		for k, band := range bound.Octaves(c) {
			floor := found.Listed.EverySample().Floors[k].Anybody
			for _, r := range found.Results {
				mean, within := r.BandMeanSquare(band.Keep), r.Interval(band.Keep)
				if mean+6*(within[1]-mean)/1.96 < floor {
					t.Errorf("%g σ: the %s attack errs by %.4g, %.4g to %.4g, in %s, and nobody by less than %.4g", times, r.Attack, mean, within[0], within[1], band.Name, floor)
				}
				t.Logf("%g σ, %s: %s %.4g, floor %.4g", times, band.Name, r.Attack, math.Sqrt(mean), math.Sqrt(floor))
			}
		}
	}
}

func preprocess(t *testing.T, spec string) dataset.Preprocess {
	return must.Get(dataset.ParsePreprocess(spec))(t)
}

// randomNet returns a net with random weights for tables of two classes.
func randomNet(_ *testing.T, set *dataset.Set) *nn.Graph {
	b := nn.NewBuilder("random", set.Shape...)
	b.Dense("first", 64, true)
	b.Add("relu", &nn.ReLU{})
	b.Dense("last", 2, true)
	b.Graph.Init(1)
	return b.Graph
}
