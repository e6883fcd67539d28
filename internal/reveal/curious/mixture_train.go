package curious

import (
	"context"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
)

// Streams of the seed that are a mixture's own.
const (
	drawMixtureTarget = 100 + iota
	drawMixtureSensitive
	drawMixtureAttack
)

// metaMixture says in a mixture's metadata whether it is "hard" or "normal".
const metaMixture = "tattle.mixture"

// trainMixture trains two standard classifiers, of y and of the one sensitive
// attribute, each keeping its own best epoch, and mixes them. o has its defaults.
func trainMixture(ctx context.Context, p *dataset.Parts, o Options) (*Result, error) {
	index := o.Attributes[0]
	fy, err := trainComponent(ctx, p, o, "target", drawMixtureTarget, 0)
	if err != nil {
		return nil, err // half a mixture is none
	}
	fs, stopped := trainComponent(ctx, sensitiveParts(p, index), o, "sensitive", drawMixtureSensitive, fy.Steps)
	if fs == nil {
		return nil, stopped
	}
	r := &Result{Epochs: bothEpochs(fy, fs, o.Beta), Best: fy.Best, Steps: fy.Steps + fs.Steps}
	r.Classifier = mixtureGraph(fy.Classifier, fs.Classifier, len(p.Train.YNames), len(p.Train.Sensitive[index].Values), o.Beta, !o.Normal)
	attack, err := mixtureAttack(ctx, r.Classifier, p, index, o)
	if attack == nil {
		return nil, err
	}
	if err != nil { // a network that was broken off is one
		stopped = err
	}
	r.describe(p.Train, attack, fs.Best, o)
	r.Attacks = []Attack{*attack}
	return r, stopped
}

// describe fills in what the mixture's and its attack's metadata say.
func (r *Result) describe(train *dataset.Set, a *Attack, best int, o Options) {
	kind := "hard"
	if o.Normal {
		kind = "normal"
	}
	a.Best = best
	r.Classifier.Metadata = metadata(train, o, r.Best)
	r.Classifier.Metadata[metaMixture] = kind
	a.describe(train, Soft, o)
}

// trainComponent trains one standard classifier, the first or second half of all
// steps.
func trainComponent(ctx context.Context, p *dataset.Parts, o Options, part string, stream, before int) (*Result, error) {
	c := o
	c.part = part
	c.Attack, c.Outputs, c.Beta, c.Attributes = Standard, Raw, Beta{Y: 1}, []int{}
	c.Seed = derive(o.Seed, stream, 0)
	if o.Progress != nil {
		c.Progress = func(done, total int, loss float64) { o.Progress(before+done, 2*total, loss) }
	}
	return trainDirect(ctx, p, c)
}

// sensitiveParts returns the parts with a sensitive attribute as their target.
func sensitiveParts(p *dataset.Parts, index int) *dataset.Parts {
	swap := func(s *dataset.Set) *dataset.Set {
		if s == nil {
			return nil
		}
		c, a := *s, s.Sensitive[index]
		c.Y, c.YName, c.YNames, c.Sensitive, c.SHA256 = a.Labels, a.Name, a.Values, nil, ""
		return &c
	}
	return &dataset.Parts{Train: swap(p.Train), Validation: swap(p.Validation), Test: swap(p.Test)}
}

// bothEpochs sets the two trainings' epochs side by side.
func bothEpochs(fy, fs *Result, b Beta) []Epoch {
	var epochs []Epoch
	for i := range min(len(fy.Epochs), len(fs.Epochs)) {
		e, s := fy.Epochs[i], fs.Epochs[i]
		e.ValidationS = []float64{s.ValidationY}
		e.Score = score(b, e.ValidationY, e.ValidationS)
		epochs = append(epochs, e)
	}
	return epochs
}

// mixtureAttack returns G: the decoder of a hard mixture; of a normal one of two
// classes each the threshold of eq. (2) that is best on the validation part, and
// otherwise a network fitted to the outputs.
func mixtureAttack(ctx context.Context, f *nn.Graph, p *dataset.Parts, index int, o Options) (*Attack, error) {
	a := p.Train.Sensitive[index]
	y, s := len(p.Train.YNames), len(a.Values)
	if o.Normal && (y != 2 || s != 2) {
		fitted, err := FitAttacks(ctx, f, p, []int{index}, Options{Epochs: o.Epochs, Batch: o.Batch, LearningRate: o.LearningRate, Seed: derive(o.Seed, drawMixtureAttack, 0)})
		if len(fitted) == 0 {
			return nil, err
		}
		return &fitted[0], err
	}
	attack := &Attack{Attribute: a.Name, Index: index, Kind: DecoderAttack}
	out, err := Predict(context.WithoutCancel(ctx), f, p.Validation)
	if err != nil {
		return nil, err
	}
	labels := p.Validation.Sensitive[index].Labels
	if !o.Normal {
		attack.Graph = mixtureDecoder(y, s, o.Beta)
		attack.Validation, err = guessed(attack.Graph, out, labels)
		return attack, err
	}
	for i := 1; i < 50; i++ { // B eq. 2 takes every τ′ between 0 and 1/2: here .01, .02 … .49
		tau := float64(i) / 100
		g := mixtureThreshold(tau)
		v, err := guessed(g, out, labels)
		if err != nil {
			return nil, err
		}
		if attack.Graph == nil || v > attack.Validation {
			attack.Graph, attack.Tau, attack.Validation = g, tau, v
		}
	}
	return attack, nil
}
