package audit

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"tattle/internal/math/stat"
)

// Power is what the audit could have found in the kinds of channel that were planted.
// Smallest is the excess (over the honest mean if there are references) that would have
// been found with Probability in each of them: the largest of their figures; it is nil if
// the sample could not be audited. Other channels can hide more.
type Power struct {
	Smallest       *float64
	StandardError  float64        // of the excess, at the discordance that was seen or independence implies
	FromReferences *float64       // what the references' spread alone would hide
	Channels       []ChannelPower // by kind
}

// ChannelPower is the power for one kind of channel.
type ChannelPower struct {
	Channel  string
	Smallest *float64 // nil unless a channel of this kind was planted and found
	Note     string   // why none was planted; empty if one was
}

// power returns the excess that could have been found by attacks that lose nothing by learning, given
// how many attributes share the level: the excess that the score test against the best
// baseline finds with PowerProbability at Holm's smallest level, and shuffling within y, too. Guess and baseline are
// taken to differ as often as was observed or, if that is more, as independence implies. With
// references the excess over their mean must also pass the test against them, and reach
// the margin.
func power(f *Finding, attributes int, o Options) (p Power) {
	b := f.BestBaseline()
	if f.Unusable != "" || b == nil || f.Examples < 2 {
		return p
	}
	alpha := (1 - o.Confidence) / float64(testsOf(max(1, attributes)))
	t, smallest := excessTest{f.counted(), *o.Margin, alpha, f.People > 0}, 0.
	if f.Numeric && !t.grouped {
		smallest, p.StandardError = t.smallestGain(b)
	} else {
		smallest, p.StandardError = t.smallestOver(b)
	}
	if x := f.Shuffling; x != nil {
		if x.Smallest == nil {
			return p
		}
		smallest = max(smallest, *x.Smallest)
	}
	if r := f.Reference; r != nil {
		p.FromReferences = new(hidden(r, alpha, o))
		smallest = max(*p.FromReferences, smallest-(r.Mean-b.figure()))
	}
	p.Smallest = new(min(1, smallest))
	return p
}

// lose makes the smallest excess larger by what attacks lose by having learned from this many examples, in
// the scores. It was measured on one planted model and varies by the given standard error: the two
// errors' root of squares replaces the excess's own.
func (p *Power) lose(loss, lossError float64) {
	if p.Smallest == nil {
		return
	}
	z := distuv.UnitNormal.Quantile(PowerProbability)
	p.Smallest = new(min(1, min(1, *p.Smallest+loss)+z*(math.Hypot(p.StandardError, lossError)-p.StandardError)))
}

// powerOf returns the power of a finding for every kind of channel: in the scores by the
// first planted model, and by the codes that were planted.
func (r *Result) powerOf(f *Finding, attributes int) Power {
	p := power(f, attributes, r.Settings.Options)
	if p.Smallest == nil {
		return p
	}
	known := *p.Smallest
	loss, lossError, planted := r.learningLoss()
	p.lose(loss, lossError)
	if r.Outputs != Vector {
		scores := ChannelPower{Channel: ScoreChannel}
		if planted {
			scores.Smallest = p.Smallest
		} else {
			scores.Note = "no curious model was planted"
		}
		p.Channels = []ChannelPower{scores}
	}
	for _, c := range r.Channels {
		k := ChannelPower{Channel: c.Channel, Note: c.Note}
		if c.Planted != nil {
			k.Smallest = new(min(1, known+c.LearningLoss))
			p.Smallest = new(max(*p.Smallest, *k.Smallest))
		}
		p.Channels = append(p.Channels, k)
	}
	return p
}

// missed reports whether a channel of some kind was planted and not found.
func (p *Power) missed() bool {
	return slices.ContainsFunc(p.Channels, func(c ChannelPower) bool { return c.Smallest == nil && c.Note == "" })
}

// excessTest is the test of an excess against the margin, at the level alpha.
type excessTest struct {
	n             int // examples or people
	margin, alpha float64
	grouped       bool // n people have several examples each, which count as much as one
}

// finds reports whether an excess is found with PowerProbability. discordant is the share of examples in
// which guess and baseline differ, or the variance of the differences of people.
func (t excessTest) finds(excess, discordant float64) bool {
	switch {
	case excess <= t.margin:
		return false
	case t.grouped:
		return stat.PeoplePower(t.n, excess, math.Sqrt(discordant), t.margin, t.alpha) >= PowerProbability
	}
	return stat.PairedPower(t.n, discordant, excess, t.margin, t.alpha) >= PowerProbability
}

// smallest returns the smallest excess that is found.
func (t excessTest) smallest(discordant func(excess float64) float64) float64 {
	return stat.SmallestDifference(t.margin, func(excess float64) bool { return t.finds(excess, discordant(excess)) })
}

// smallestOver returns the smallest excess over a baseline that is found, and the standard error of an excess. The means of
// people vary as much as was seen or, if that is more, as single examples do.
func (t excessTest) smallestOver(b *Baseline) (smallest, se float64) {
	n, seen := float64(t.n), float64(b.AttackAlone+b.BaselineAlone)/float64(t.n)
	if t.grouped {
		seen = b.StandardError * b.StandardError * n
	}
	discordant := func(excess float64) float64 {
		if b.Accuracy == nil {
			return max(seen, 4*excess-2*excess*excess)
		}
		base, attack := b.Accuracy.Value, min(1, b.Accuracy.Value+excess)
		return max(seen, base*(1-attack)+(1-base)*attack)
	}
	if t.grouped {
		return t.smallest(discordant), math.Sqrt(discordant(t.margin)) / math.Sqrt(n)
	}
	return t.smallest(discordant), math.Sqrt(discordant(0) / n)
}

// smallestGain is smallestOver of a numeric attribute. Where a prediction explains Δ
// of a normal variable's variance more than the baseline does, the gain of an example
// has the variance 4Δ − 2Δ², in units of the variance squared.
func (t excessTest) smallestGain(b *Baseline) (smallest, se float64) {
	z := distuv.UnitNormal.Quantile(1-t.alpha) + distuv.UnitNormal.Quantile(PowerProbability)
	errorAt := func(gain float64) float64 {
		return max(b.StandardError, math.Sqrt(max(0, 4*gain-2*gain*gain)/float64(t.n)))
	}
	found := func(gain float64) bool { return gain >= t.margin+z*errorAt(gain) }
	return stat.SmallestDifference(t.margin, found), errorAt(t.margin)
}

// hidden returns the excess over the honest mean that the references' spread hides:
// what exceeds their test's quantile with PowerProbability, and the margin, too.
func hidden(r *ReferenceTest, alpha float64, o Options) float64 {
	df := float64(len(r.Figures) - 1)
	if df < 1 {
		return 1
	}
	spread := r.SD * math.Sqrt(1+1/(df+1))
	if r.Unpaired { // their limits also hold what the examples vary by
		spread = max(spread, (r.Difference-r.Low)/stat.StudentQuantile(o.Confidence, df))
	}
	reach := stat.StudentQuantile(PowerProbability, df) * spread
	return reach + max(*o.Margin, stat.StudentQuantile(1-alpha, df)*spread)
}

// Shuffling is what shuffling s within the examples of one y and fold can find. A finding
// beyond the target needs this test, too, and it has nothing to shuffle where few examples share
// y and fold with one of another s.
type Shuffling struct {
	Movable int // examples that share y and fold with one of another s
	// Smallest is the smallest excess over the best baseline that the test finds with
	// PowerProbability; nil if it finds none.
	Smallest *float64
}

// shuffling measures the test of Permutation. A leak of an excess e is guesses that are right for
// certain for a share e/(1 − b) of the examples, where b is the accuracy of the best baseline, and for the others are
// the attack's own, shuffled within the strata. A leak in numbers explains a share of the variance that the
// baseline leaves.
func shuffling(g *guesses, b *Baseline, o Options) *Shuffling {
	at := g.at
	level := distuv.UnitNormal.Quantile(1 - (1-o.Confidence)/float64(testsOf(len(g.in.Sensitive))))
	power := distuv.UnitNormal.Quantile(PowerProbability)
	x := &Shuffling{}
	var mixed [][]int
	for _, rows := range g.in.strata {
		if varies(pick(at.Labels, rows)) || varies(pick(at.Numbers, rows)) {
			mixed, x.Movable = append(mixed, rows), x.Movable+len(rows)
		}
	}
	if len(mixed) == 0 {
		return x
	}
	var leak leakOf
	left := 0.
	if at.Numeric() {
		leak, left = leakOfNumbers(at.Numbers, mixed), 1-max(0, *b.R2)
	} else {
		leak, left = leakOfClasses(g.best, at, mixed), 1-b.Accuracy.Value
	}
	found := func(share float64) bool {
		above, spread, variance := leak(share)
		return variance > 1e-9 && (above-power*spread)/crossFitStretch >= level*math.Sqrt(variance)
	}
	if found(1) {
		x.Smallest = new(stat.SmallestDifference(0, found) * left)
	}
	return x
}

// leakOf returns how far the statistic of a leak of a share is above its mean over the permutations within the strata,
// the standard deviation of that, and the variance over the permutations, as expected over leaks that are drawn.
type leakOf func(share float64) (above, spread, variance float64)

// leakOfClasses is the leak of a categorical attribute, whose statistic is the number of right guesses. With G_k
// guesses and C_k examples of class k among n, their mean is Σ G_k·C_k/n, and the variance (W. Hoeffding, Ann.
// Math. Statist. 22, 1951)
//
//	(Σ G_k·C_k − Σ G_k·C_k·(G_k + C_k)/n + (Σ G_k·C_k/n)²)/(n − 1).
//
// A share σ that is right makes G_k into (1−σ)·G_k + σ·C_k, and adds 1 − C_k/n for each of its examples. From what
// is above, half a step of 2 is taken, which one exchange makes.
func leakOfClasses(guess []int, at *Attribute, mixed [][]int) leakOf {
	k := len(at.Values)
	counts := make([]float64, 2*k*len(mixed)) // of classes and of guesses
	for i, rows := range mixed {
		for _, row := range rows {
			counts[2*k*i+at.Labels[row]]++
			counts[2*k*i+k+guess[row]]++
		}
	}
	return func(share float64) (above, spread, variance float64) {
		for i, rows := range mixed {
			n := float64(len(rows))
			var both, weighted float64
			for j, c := range counts[2*k*i:][:k] {
				g := (1-share)*counts[2*k*i+k+j] + share*c
				both += g * c
				weighted += g * c * (g + c)
				above += share * c * (1 - c/n)
				spread += share * (1 - share) * c * (1 - c/n) * (1 - c/n)
			}
			variance += max(0, both-weighted/n+both*both/(n*n)) / (n - 1)
		}
		return above - crossFitStretch, math.Sqrt(spread + (1-share)*variance), variance
	}
}

// leakOfNumbers is the leak of a numeric attribute, whose statistic is the sum of its products with a signal: the
// numbers less their mean in the stratum, divided by their standard deviation, times √σ, and Gaussian noise of
// variance 1 − σ.
func leakOfNumbers(numbers []float64, mixed [][]int) leakOf {
	var squares, free float64
	deviations := make([]float64, len(mixed))
	for i, rows := range mixed {
		_, deviations[i] = stat.MeanStd(pick(numbers, rows))
		squares += deviations[i] * deviations[i] * float64(len(rows)-1)
		free += float64(len(rows) - 1)
	}
	unit := math.Sqrt(squares / free)
	return func(share float64) (above, spread, variance float64) {
		for i, rows := range mixed {
			own := deviations[i] * deviations[i]
			variance += (share*own/unit/unit + 1 - share) * own * float64(len(rows)-1)
		}
		return math.Sqrt(share) / unit * squares, math.Sqrt((1 - share) * squares), variance
	}
}
