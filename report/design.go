package report

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"tattle/attack"
	"tattle/bound"
	"tattle/dataset"
	"tattle/design"
	"tattle/measure"
	"tattle/release"
)

// Design is the answer to "how much noise, on how many features, at what cost?"
type Design struct {
	Target      DesignTarget  `json:"target"`
	MaxDrop     float64       `json:"max_accuracy_drop,omitempty"` // a fraction; zero where none was asked for
	Met         bool          `json:"met"`
	Near        string        `json:"near,omitempty"` // how near it came where nothing met the target, in words
	Binds       []string      `json:"binds"`          // whom the target is about: what is met limits nobody else
	Best        *DesignPoint  `json:"best,omitempty"`
	Confirmed   *Confirmation `json:"confirmed,omitempty"`
	Within      float64       `json:"within,omitempty"`  // to which directions are resolved where the target names none
	Frontier    []DesignPoint `json:"frontier"`          // along σ for every family, projection and number of features
	Reproduce   string        `json:"command,omitempty"` // that bounds the best point
	Evaluations int           `json:"evaluations"`
}

// within is the standard deviation to which the points' directions are resolved,
// zero if it is not known.
func (d *Design) within() float64 {
	if d.Target.Within > 0 {
		return d.Target.Within
	}
	return d.Within
}

// DesignTarget is what a release must keep to itself; zero fields ask nothing.
type DesignTarget struct {
	Directions int     `json:"directions,omitempty"` // at most so many resolved …
	Within     float64 `json:"within,omitempty"`     // … to within this standard deviation
	MedianStd  float64 `json:"median_std,omitempty"`
	AttackMSE  float64 `json:"attack_mse,omitempty"`
}

// DesignPoint is one release that was tried. Accuracies and drops are
// fractions, intervals at 95 %.
type DesignPoint struct {
	Family       string    `json:"family"`
	Projection   string    `json:"projection,omitempty"`
	Keep         int       `json:"keep"` // numbers that leave the device
	Sigma        float64   `json:"sigma"`
	Accuracy     Number    `json:"accuracy"`
	Drop         Number    `json:"drop"`
	DropInterval [2]Number `json:"drop_interval"`
	Directions   Number    `json:"directions"` // median resolved to within Design.within
	MedianStd    Number    `json:"median_std"`
	AbovePrior   *bool     `json:"above_prior,omitempty"` // whether MedianStd is above what guessing the mean errs by, as bound.Summary has it
	AttackMSE    Number    `json:"attack_mse"`
	Meets        bool      `json:"meets"` // what was asked for, of Design.Binds
}

// Confirmation is the best point measured again with fresh noise.
type Confirmation struct {
	Accuracy     Number    `json:"accuracy"`
	Interval     [2]Number `json:"interval"`
	Drop         Number    `json:"drop"`
	DropInterval [2]Number `json:"drop_interval"`
	MedianStd    Number    `json:"median_std"`            // certified on a sample, null where it was not
	AbovePrior   *bool     `json:"above_prior,omitempty"` // of MedianStd, as bound.Summary has it
	Examples     int       `json:"examples"`
	Seed         uint64    `json:"seed"`

	Identified *Identified `json:"identified,omitempty"` // demonstrated
}

// Identified is how often a release showed which of a list of inputs it is of, to an
// adversary who has the list and the model and takes the likeliest.
type Identified struct {
	Inputs     int `json:"inputs"`     // one release of each
	Candidates int `json:"candidates"` // the inputs among them
	Found      int `json:"found"`
}

// sentence says it in words.
func (x *Identified) sentence() string {
	return fmt.Sprintf("Demonstrated: an adversary who has a list of %d candidate inputs and takes the likeliest identified %s of %s by one release each.", x.Candidates, percent(float64(x.Found)/float64(x.Inputs)), Count(x.Inputs, "input"))
}

// Whom a design's target can be about.
const (
	bindsUnbiased = "unbiased estimators"
	bindsLinear   = "the linear attack"
)

// Binds lists whom a target is about. Without one, the answer is chosen by what unbiased
// estimators can resolve.
func (t DesignTarget) Binds() []string {
	var who []string
	if t.AttackMSE == 0 || t.Within > 0 || t.MedianStd > 0 {
		who = append(who, bindsUnbiased)
	}
	if t.AttackMSE > 0 {
		who = append(who, bindsLinear)
	}
	return who
}

// notLimited is what every answer leaves open.
const notLimited = "it does not limit an adversary who knows what inputs look like"

// costOnly reports whether the target is a limit on the cost alone.
func (d *Design) costOnly() bool { return d.Target == (DesignTarget{}) }

// For says whom what was met is about.
func (d *Design) For() string { return strings.Join(d.Target.Binds(), " and ") }

// A DesignRun is a search for a release, and what a report needs besides its answer.
type DesignRun struct {
	Options      design.Options
	Answer       *design.Answer
	Labelled     int    // examples on which accuracy was measured
	Command      string // that bounds the best point; empty if there is none
	TrainingPath string // of the data that attacks learned from
	Missing      error  // why there are no training data; nil if there are
}

// SetDesign reports what a search found, and what the release that it chose gives away.
// r has the model and the data.
func (r *Report) SetDesign(d DesignRun) {
	a, t := d.Answer, d.Options.Target
	r.Model.Features, r.Data.Examples = a.Features, a.Examples
	r.Utility = UtilityOf(release.Utility{Examples: d.Labelled, Clean: a.Clean})
	r.Design = &Design{
		Target:  DesignTarget{Directions: t.Directions, Within: t.Within, MedianStd: t.MedianStd, AttackMSE: t.AttackMSE},
		MaxDrop: d.Options.MaxDrop, Met: a.Met, Near: a.Near, Evaluations: a.Evaluations, Within: a.Within,
	}
	r.Design.Binds = r.Design.Target.Binds()
	for _, p := range a.Frontier {
		r.Design.Frontier = append(r.Design.Frontier, designPoint(p))
	}
	if a.Best != nil {
		r.setDesignBest(d)
	}
	r.warnDesign(d)
	r.Outcome = metOrNot(a.Met)
}

// designPoint is a point in the report's terms: there it meets all that is asked for.
func designPoint(p design.Point) DesignPoint {
	return DesignPoint{
		Family: p.Family, Projection: p.Projection, Keep: p.Keep, Sigma: p.Sigma,
		Accuracy: Number(p.Accuracy.Fraction), Drop: Number(p.Drop.Mean),
		DropInterval: [2]Number{Number(p.Drop.Interval.Low), Number(p.Drop.Interval.High)},
		Directions:   Number(p.Directions), MedianStd: Number(p.MedianStd), AttackMSE: Number(p.AttackMSE),
		Meets: p.Meets && p.Keeps,
	}
}

// setDesignBest reports on the best point as on a release that was bounded and attacked.
func (r *Report) setDesignBest(d DesignRun) {
	p, c := d.Answer.Best, d.Answer.Confirmed
	best := designPoint(*p)
	best.AttackMSE = Number(c.AttackMSE)
	r.Design.Best, r.Design.Reproduce = &best, d.Command
	r.Design.Confirmed = &Confirmation{
		Accuracy: Number(c.Accuracy.Fraction), Interval: [2]Number{Number(c.Accuracy.Interval.Low), Number(c.Accuracy.Interval.High)},
		Drop: Number(c.Drop.Mean), DropInterval: [2]Number{Number(c.Drop.Interval.Low), Number(c.Drop.Interval.High)},
		MedianStd: Number(math.NaN()), Examples: c.Examples, Seed: c.Seed,
	}
	if c.Status == bound.StatusCertified {
		r.Design.Confirmed.MedianStd = Number(c.MedianStd)
	}
	if x := c.Identified; x != nil {
		r.Design.Confirmed.Identified = &Identified{Inputs: x.Inputs, Candidates: x.Candidates, Found: x.Found}
	}
	r.Model.Features = p.Keep
	r.Utility = UtilityOf(release.Utility{Examples: d.Labelled, Draws: c.Drop.Draws, Clean: d.Answer.Clean, Released: c.Accuracy})
	l := measure.Release{Spec: p.Spec, Family: p.Family}
	r.setSurface(l)
	if noise, err := release.ParseNoise(p.Family, p.Sigma, p.Keep); err == nil { // as it was when the point was measured
		r.Release.Noise = describeNoise(p.Family, noise, p.Sigma/p.Scale)
	}
	r.Release.Noise.Spec = p.Family
	r.Bounds = c.Bounds
	if c.Attacks != nil {
		r.AddAttacks(c.Attacks, d.Options.Coordinates, d.Options.Band)
	}
}

// warnDesign says what a reader must know of the answer.
func (r *Report) warnDesign(d DesignRun) {
	a := d.Answer
	r.warn("The number of directions (resolved to within a standard deviation of %g, median of %d examples) and median standard deviations limit unbiased reconstructions only. An adversary who knows what inputs look like is biased and may come much closer. %s", a.Within, a.Examples, r.linearAttack(d))
	if d.Options.Target.AttackMSE > 0 {
		r.warn("The target for the linear attack limits that attack only, on average over inputs. Other attacks may err by less: tattle bound --attack linear,inversion,decoder runs them.")
	}
	r.warn("The figures of the frontier are estimates. Medians are about the part of an input that the released numbers depend on: compare them for one number of features only.")
	if c := a.Confirmed; c != nil {
		if c.Status != bound.StatusCertified {
			r.warn("Nothing is certified for the answer: bounds for %s noise are estimates.", a.Best.Family)
		} else {
			r.warn("The witnesses of the certificates are not stored. The tattle bound command finds them again, with further bounds, for tattle verify.")
		}
		if c.Note != "" {
			r.warn("The noise was adjusted: %s.", c.Note)
		}
	}
	for _, left := range a.Left {
		r.warn("Left out: %s.", left)
	}
	if d.Missing != nil {
		r.warn("There are no training data (%v), so principal projections and the linear attack were not tried. --training-data names a folder.", d.Missing)
	}
	if r.Data.Split == string(dataset.Train) && r.Data.Path != dataset.KindGlyphs {
		r.warn("Accuracy was measured on the training part of the data, where a model does better than elsewhere: the drop may differ on other data.")
	}
	if a.Clean.Fraction < poor {
		r.warn("The model by itself classifies only %.3g %% correctly: a small drop then says little.", 100*a.Clean.Fraction)
	}
}

// poor is an accuracy below which a drop says little.
const poor = .3

// linearAttack says what the linear attack came to at the answer, beside guessing the mean.
func (r *Report) linearAttack(d DesignRun) string {
	c := d.Answer.Confirmed
	if c == nil || c.Attacks == nil {
		return "No attack was run here."
	}
	linear, mean := c.Attacks.Best(), c.Attacks.PriorAlone
	levels := func(of *attack.Result) string {
		rms := of.RootMeanSquare()
		if r.Data.GreyLevels == 0 {
			return fmt.Sprintf("%.3g", rms)
		}
		return fmt.Sprintf("%.3g (%.3g grey levels of 255)", rms, rms*float64(r.Data.GreyLevels))
	}
	closer := "The attack is not shown to come closer."
	if linear.Gain(mean, nil, 1).Better() {
		closer = fmt.Sprintf("The attack comes closer, with %.1f %% confidence over inputs.", 100*attack.Confidence)
	}
	return fmt.Sprintf("Here the linear attack, which learned from %s, errs by %s (root mean square) on %s; guessing the mean, without the release, errs by %s on the same inputs. %s The model assigns %.0f %% of its reconstructions to the original's class.",
		filepath.Base(d.TrainingPath), levels(linear), Count(len(linear.MeanSquare), "input"), levels(mean), closer, 100*linear.Recognised)
}
