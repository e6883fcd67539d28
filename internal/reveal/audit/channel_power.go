package audit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"tattle/internal/engine/classify"
	"tattle/internal/report"
)

const (
	// plantsOfSize is how many plants of a size, attacked in five folds each, must all be
	// found with PowerProbability. Where their mean had to be, a size that was too small
	// was taken too often.
	plantsOfSize = 3
	// plantStep is the ratio of a size to the one before: figures are at most a quarter
	// too large.
	plantStep = 1.25
	// leastCarried is the share of the rows that must be able to carry a code.
	leastCarried = .5
)

// Channel is what planting a code of one kind into the audited outputs showed.
type Channel struct {
	Channel  string // its kind
	Examples int
	// Planted is the smallest excess, among the sizes that were tried, that is found with
	// PowerProbability; nil if none is.
	Planted *float64
	// LearningLoss is by how much it exceeds what would be found so often if attacks
	// knew the code and the best baseline were no better than the frequencies are.
	LearningLoss float64
	// Note says why the kind was not planted; empty if it was.
	Note string
}

// measureChannels plants codes of every kind into the outputs of s, at as many examples
// as there are but plantedExamples at most, and returns the size at which each is found.
// The planted attribute has two classes, drawn evenly.
func measureChannels(ctx context.Context, s *Sample, attributes int, o Options) ([]Channel, error) {
	o = o.withDefaults()
	kinds := channelsOf(s)
	s = s.some(plantedExamples, random(o.Seed, streamChannel, 0))
	list, done := make([]Channel, len(kinds)), o.counter("planted channels", len(kinds))
	return list, inParallel(len(list), func(i int) error {
		defer done()
		list[i] = Channel{Channel: kinds[i], Examples: s.Len()}
		if err := list[i].measure(ctx, s, attributes, o, uint64(i+1)); err != nil {
			return fmt.Errorf("planted channel: %w", err)
		}
		return nil
	})
}

// measure looks for the smallest size at which the channel is found.
func (c *Channel) measure(ctx context.Context, s *Sample, attributes int, o Options, index uint64) error {
	r := random(o.Seed, streamChannel, index)
	writer, none := codeOf(c.Channel, s, r)
	if none != "" {
		c.Note = none
		return nil
	}
	if o.Attacks != nil && !slices.Contains(o.Attacks, writer.read.learner) {
		c.Note = fmt.Sprintf("the attack %q was left out", writer.read.learner)
		return nil
	}
	x := writer.write(s, r)
	carried := x.carried()
	if carried < leastCarried {
		c.Note = fmt.Sprintf("only %s of the rows can carry one", report.Exactly(carried, report.Share))
		return nil
	}
	reader, err := x.reader(writer.read, o)
	if err != nil {
		return err
	}
	_, people := s.people()
	known := excessTest{people, *o.Margin, (1 - o.Confidence) / float64(testsOf(max(1, attributes))), people < s.Len()}
	smallest := known.smallest(evenly)
	for size := smallest; size < carried/2; size *= plantStep {
		found := true
		for plants := 0; found && plants < plantsOfSize; plants++ {
			x.say(size/carried, r)
			read, luck, err := x.read(ctx, reader, o, r.Uint64())
			if err != nil {
				return err
			}
			excess := size/carried*read - luck
			found = known.finds(excess, evenly(excess))
		}
		if found {
			c.Planted, c.LearningLoss = new(size), size-smallest
			return nil
		}
	}
	return nil
}

// evenly is how often a guess of two even classes and its baseline differ: what an audit finds of an excess if its attacks
// know the code follows from it.
func evenly(excess float64) float64 { return max(.5, excess) }

// reader returns the attack that reads the code among coins. Whatever an attribute is that the code says, the forms stay.
func (x *written) reader(read attackName, o Options) (*hunt, error) {
	attacks, err := allAttacks(x.Sample, o, read)
	if err != nil {
		return nil, err
	}
	h := &hunt{folded: newFolded(x.Sample, o), attacks: attacks, accuracyAlone: true}
	h.keepForms(attacks)
	return h, nil
}

// read attacks the attribute as an audit does, on folds of its own, which follow its frequencies. It returns the part of its
// excess that the chosen guesses have, counted on the bits that were written. luck is by how much the best baseline is right
// more often than one half. It is the best of several, each of which follows the frequencies of the sample.
func (x *written) read(ctx context.Context, h *hunt, o Options, seed uint64) (part, luck float64, err error) {
	forms := h.made
	o.Seed = seed
	h.folded = newFolded(x.Sample, o)
	h.made = forms
	goal, none := goalOf(x.Sample, 0)
	if none != "" || h.guesses[0] == nil {
		return 0, 0, nil
	}
	g := newGuesses(h.folded, goal)
	h.out, h.seed = []*guesses{g}, seed
	if err := h.run(ctx, nil); err != nil {
		return 0, 0, err
	}
	for _, b := range g.baselines() {
		luck = max(luck, classify.Accuracy(b.guess, g.at.Labels).Value-.5)
	}
	right := 0
	for i, b := range x.bits {
		switch g.best[i] {
		case b:
			right++
		case 1 - b:
			right--
		}
	}
	return float64(right) / float64(len(x.bits)), luck, nil
}

// coin replaces an attack that cannot read a planted code: it guesses by a hash of the row.
// A planted attribute is drawn evenly and independently of the outputs, so the guesses of
// such an attack are right for Binomial(m, ½) of m examples held back, as those of a coin
// are. Choosing between the attack that reads the code and coins is therefore as hard as
// choosing among all attacks, and harder if these agree with one another, or read the code
// as well.
type coin struct{ classify.Learner }

// coinScore is so small that a coin's guesses cost no more in log-loss than a guess of
// one half.
const coinScore = 1e-3

func (c coin) Fit(_ context.Context, _ classify.Rows, targets []classify.Target, seed uint64) (classify.Fitted, error) {
	f := fittedCoin{seed: seed}
	for _, t := range targets {
		f.widths = append(f.widths, t.Width())
	}
	return f, nil
}

type fittedCoin struct {
	seed   uint64
	widths []int
}

func (f fittedCoin) Predict(_ context.Context, dst [][]float32, rows classify.Rows) error {
	var source rand.PCG
	r := rand.New(&source)
	for i := range rows.Len() {
		h := f.seed
		for _, v := range rows.Row(i) {
			h = (h ^ uint64(math.Float32bits(v))) * 0x9e3779b97f4a7c15
		}
		source.Seed(f.seed, h)
		for t, w := range f.widths {
			if dst[t] == nil {
				continue
			}
			clear(dst[t][i*w : (i+1)*w])
			dst[t][i*w+r.IntN(w)] = coinScore
		}
	}
	return nil
}
