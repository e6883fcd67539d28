package main

import (
	"math/rand/v2"

	"tattle/bound"
	"tattle/nn"
	"tattle/report"
)

const galleryPictures = 6 // as many as fit a screen beside their reconstructions

// gallery shows the first examples beside their best unbiased reconstructions.
func (m *measurement) gallery(r *report.Report, res *bound.Result) error {
	if res.Experiment.Coordinates.Name() != "dct" || len(m.data.Shape) != 3 || m.data.Shape[0] != 1 && m.data.Shape[0] != 3 {
		return nil
	}
	p := nn.Size(m.data.Shape)
	rng := rand.New(rand.NewPCG(m.seed, 2))
	for i, index := range res.Indices[:min(galleryPictures, len(res.Indices))] {
		o := report.Original{Index: index, Label: res.Labels[i], Shape: m.data.Shape, Theta: make([]float32, p), Denormalize: m.data.Denormalize}
		if names := m.data.YNames; o.Label >= 0 && o.Label < len(names) {
			o.Name = names[o.Label]
		}
		m.data.Examples(o.Theta, []int{index})
		var names []string
		var std [][]float64
		for _, s := range res.Sizes {
			names = append(names, "s = "+report.Fraction(s.Size))
			std = append(std, s.Std[i*p:(i+1)*p])
		}
		if err := r.Add(o, names, std, rng); err != nil {
			return err
		}
	}
	return nil
}
