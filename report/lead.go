package report

import (
	"fmt"
	"strings"

	"tattle/stat"
)

// lead returns what the report says first.
func (r *Report) lead() verdictBlock {
	switch {
	case r.Design != nil:
		return r.designLead()
	case len(r.Published) > 0:
		return r.figureLead()
	case r.released():
		return r.releaseLead()
	case len(r.Tables) > 0 && r.Curiosity == nil:
		return r.tablesLead()
	}
	v := r.otherLead()
	switch {
	case r.Curiosity != nil:
		v = r.curiousLead()
	case r.Training != nil:
		v = r.trainingLead()
	}
	if r.Outcome == Unfinished {
		v.Badge, v.Tone = "Interrupted", Warn
	}
	return v
}

// Tone returns the tone of the verdict.
func (r *Report) Tone() Tone { return r.lead().Tone }

// subtitle says in a line what was measured, and by which command.
func (r *Report) subtitle() string {
	var said []string
	if n := r.Data.Examples; n > 0 && r.Data.Name != "" {
		said = append(said, fmt.Sprintf("%s from %s", Count(n, "example"), r.Data.Name))
	}
	if name := r.Subcommand(); name != "" {
		said = append(said, "tattle "+name)
	}
	return strings.Join(said, " · ")
}

// trainingLead is the verdict on a model that was trained for its task alone.
func (r *Report) trainingLead() verdictBlock {
	u, t := r.Utility, r.Training
	v := verdictBlock{Badge: "Trained", Tone: Calm, Says: fmt.Sprintf("The classifier was trained for its task alone, and its accuracy measured on %s.", Count(u.Examples, "held-out example"))}
	v.Tiles = []tile{{"Accuracy", percent1(float64(u.CleanAccuracy)), "", "95 % interval " + bareInterval(u.CleanInterval)}}
	if t.Noise != nil && u.Draws > 0 {
		v.Tiles = append(v.Tiles, tile{"With noise", percent1(float64(u.ReleasedAccuracy)), "", fmt.Sprintf("σ = %s on the features", number(float64(t.Noise.Sigma)))})
	}
	v.Tiles = append(v.Tiles, t.overSeeds()...)
	v.Tiles = append(v.Tiles, tile{"Training", fmt.Sprint(len(t.Epochs)), plural(len(t.Epochs), "epoch"), "on " + Count(t.Examples, "example")},
		tile{"Model", grouped(t.Parameters), "parameters", ""})
	v.Tiles = v.Tiles[:min(4, len(v.Tiles))]
	return v
}

// overSeeds is how accurate the models of several seeds are; none if there is one.
func (t *Training) overSeeds() []tile {
	if len(t.SeedAccuracies) < 2 {
		return nil
	}
	all := make([]float64, len(t.SeedAccuracies))
	for i, a := range t.SeedAccuracies {
		all[i] = 100 * float64(a)
	}
	mean, std := stat.MeanStd(all)
	return []tile{{fmt.Sprintf("Over %d seeds", len(all)), fmt.Sprintf("%.2f ± %.2f", mean, std), "%", "mean and standard deviation"}}
}

// bareInterval prints an interval of a share in percent, to one decimal.
func bareInterval(i [2]float64) string { return fmt.Sprintf("%.1f to %.1f %%", 100*i[0], 100*i[1]) }

// otherLead is the verdict on curves, planes and prunings.
func (r *Report) otherLead() verdictBlock {
	v := verdictBlock{Badge: "Done", Tone: r.Outcome.Tone()}
	var said []string
	for _, p := range r.Pruning {
		said = append(said, p.says())
	}
	if len(said) > 0 {
		v.Badge = "Pruned"
	} else if len(r.Runs) > 0 {
		said = append(said, r.runsSentence())
	}
	if x := r.Plane; x != nil {
		said = append(said, x.says())
	}
	v.Says = strings.Join(readable(said), " ")
	return v
}
