package measure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tattle/internal/engine/nn"
	"tattle/internal/progress"
	"tattle/internal/protect/attack"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/release"
)

// AttackNames are the attacks there are.
var AttackNames = []string{"linear", "inversion", "decoder", "posterior"}

// mostDecoding is how many operations the training of a decoder that nobody asked for by
// name may take: less than a minute on two cores. Paper A's MNIST net takes 1.9e12; its
// CIFAR-10 net takes 8e12 and 0.6 GB for the features, and is left out.
const mostDecoding = 5e12

// Adversaries say what is learned from training data and run against a release.
type Adversaries struct {
	Attacks        []string // of AttackNames, in the order in which they run
	Draws          int      // of the noise, for each example; 0 is attack.DefaultDraws
	Training       nn.Source
	TrainingSHA256 string
	Lists          *ListOptions // of the limits on every adversary; nil for none
	TrainingPath   string       // where Training was read from
	LeftOut        string       // what does not run because there is no training data; empty for nothing
	Seed           uint64
	// NeedsAttacks says that the attacks were asked for by name: they may take any time, and
	// failing them is an error.
	NeedsAttacks bool
	Progress     progress.Func

	memory int64 // of the request, in bytes; 0 for the default
}

// String lists what runs, and the digest of what it learns from.
func (a Adversaries) String() string {
	learned := "nothing"
	if a.Training != nil {
		learned = a.TrainingSHA256
	}
	return fmt.Sprintf("attacks %q, %d draws, learned from %s; %v", a.Attacks, a.Draws, learned, a.Lists)
}

// WithoutTraining leaves out everything that learns, for the given reason.
func (a *Adversaries) WithoutTraining(why error) {
	var out []string
	for _, name := range a.Attacks {
		out = append(out, "the "+name+" attack")
	}
	a.Attacks = nil
	a.LeftOut = fmt.Sprintf("There are no training data (%v), so these are left out: %s. --training-data names a folder.", why, strings.Join(out, ", "))
}

// A Target is what adversaries attack.
type Target struct {
	Front       nn.Model
	Model       nn.Model // the whole model, which recognises reconstructions; nil for none
	Noise       release.Noise
	Queries     int
	Label       bool // only the label of the features with noise is released
	Data        nn.Source
	Indices     []int // of the examples whose releases are attacked
	Coordinates bound.Coordinates
	Legal       bound.Domain // where reconstructions are clipped
	FromData    NoiseFrom    // what of the noise was computed from inputs of Data, among others
	Seed        uint64       // of the noise
	Pictures    int          // reconstructions kept
}

// released returns the model of the numbers that the noise is added to.
func (t Target) released() nn.Model { return release.Dithered(t.Front, t.Noise) }

// A Learned is what adversaries came to.
type Learned struct {
	*Attacks
	Listed  *ListFigures             // limits from lists of inputs; nil if they were not asked for
	LeftOut []string                 // what failed without having been asked for by name, and why
	Timing  map[string]time.Duration // of each part, by name
}

// adversary is a run of Adversaries under way.
type adversary struct {
	Adversaries
	target Target
	prior  *attack.Prior
	made   []*attack.Attack // from which inversions start
	linear *attack.Linear   // that the decoder is added to; nil if it was not made
	memos  *memos           // of the released features
	lesson nn.Source        // what attacks learn from: the training data, or some of them
	out    *Learned
}

// Run learns from the training data what an adversary may know, computes limits on every
// adversary with that knowledge, and attacks the target.
func (a Adversaries) Run(ctx context.Context, t Target) (*Learned, error) {
	if (t.Noise == release.None{}) {
		a.Draws = 1 // all are the same
	}
	r := &adversary{Adversaries: a, target: t, memos: newMemos(a.memory), out: &Learned{Attacks: &Attacks{}, Timing: map[string]time.Duration{}}}
	if r.lesson = a.Training; a.Training != nil && len(a.Attacks) > 0 && !a.NeedsAttacks {
		all := a.Training.Len()
		if few := affordable(bound.GraphOf(t.Front), lessonWork, leastScaling, all); few < all {
			r.lesson = someOf(a.Training, few)
			r.out.LeftOut = append(r.out.LeftOut, fmt.Sprintf("%d of %d training inputs, for attacks to learn from: the model is large (--attack takes all)", all-few, all))
		}
	}
	parts := []part{
		{a.Training != nil && slices.Contains(a.Attacks, "inversion"), a.NeedsAttacks, "prior", "the prior", r.learnPrior},
		{a.Lists != nil, true, "lists of inputs", "limits from lists of inputs", r.lists},
		{a.Training != nil, false, "prior alone", "guessing the mean, without the release", r.priorAlone},
	}
	for _, name := range a.Attacks {
		parts = append(parts, part{true, a.NeedsAttacks, name + " attack", "the " + name + " attack", func(ctx context.Context) error { return r.attack(ctx, name) }})
	}
	for _, p := range parts {
		if !p.wanted {
			continue
		}
		started := time.Now()
		err := p.do(ctx)
		if front, ok := t.Front.(*nn.Net); ok {
			front.Rest() // the next part needs the memory for other things
		}
		if r.out.Timing[p.name] = time.Since(started); err == nil {
			continue
		}
		if err = fmt.Errorf("%s: %w", p.says, err); p.needed || ctx.Err() != nil {
			return nil, err
		}
		r.out.LeftOut = append(r.out.LeftOut, err.Error())
	}
	return r.out, nil
}

// A part of what adversaries do. An error of one that is not needed, because nobody asked for it by name, is only noted.
type part struct {
	wanted, needed bool
	name, says     string
	do             func(context.Context) error
}

// lists computes the limits that bind every adversary.
func (r *adversary) lists(ctx context.Context) (err error) {
	o := *r.Lists
	o.Progress, o.memos = r.Progress, r.memos
	r.out.Listed, err = o.Run(ctx, r.target)
	return err
}

// learnPrior estimates the mean and the covariance of inputs.
func (r *adversary) learnPrior(ctx context.Context) (err error) {
	p, _ := r.target.Front.Dims()
	if p > attack.UsualPrior && !r.NeedsAttacks {
		return fmt.Errorf("the covariance of %d inputs takes gigabytes and many minutes (limit: %d, unless the inversion attack is asked for by name)", p, attack.UsualPrior)
	}
	r.prior, err = attack.NewPrior(ctx, r.Training, p)
	return err
}

// priorAlone measures guessing the mean of the training data, which needs no release, as
// attacks are measured: on the same inputs, within the same range.
func (r *adversary) priorAlone(ctx context.Context) error {
	p, _ := r.target.Front.Dims()
	mean, err := attack.PriorMean(ctx, r.Training, p)
	if err != nil {
		return err
	}
	r.out.PriorAlone, err = r.measure(ctx, attack.NewMean(r.setting(r.target.Data), mean))
	return err
}

// setting is the release of examples of the data.
func (r *adversary) setting(data nn.Source) attack.Setting {
	t := r.target
	return attack.Setting{Front: t.released(), Noise: t.Noise, Queries: t.Queries, Label: t.Label, Domain: t.Legal, Data: data, Seed: t.Seed}
}

// measure measures an attack on the examples.
func (r *adversary) measure(ctx context.Context, a *attack.Attack) (*attack.Result, error) {
	t, s := r.target, r.setting(r.target.Data)
	s.Progress = r.Progress.Of(a.Name + " attack")
	return attack.Measure(ctx, a, s, t.Indices, attack.Options{Draws: r.Draws, Coordinates: t.Coordinates, Classifier: t.Model, Pictures: t.Pictures})
}

// attack makes one attack and measures it.
func (r *adversary) attack(ctx context.Context, name string) error {
	a, err := r.make(ctx, name)
	if err != nil {
		return err
	}
	if slices.Contains(r.Attacks, "inversion") {
		r.made = append(r.made, a)
	}
	res, err := r.measure(ctx, a)
	if err != nil {
		return err
	}
	r.out.Results = append(r.out.Results, res)
	return nil
}

// make makes the attack of that name, which knows all that an adversary can: the model,
// the noise, the post-processing, the data's range and the training data.
func (r *adversary) make(ctx context.Context, name string) (a *attack.Attack, err error) {
	s := r.setting(r.lesson)
	s.Seed, s.Progress = r.Seed, r.Progress.Of("making the "+name+" attack")
	if r.lesson != nil {
		s.Memo = r.memos.memo(r.lesson, columnsOf(s.Front))
	}
	switch name {
	case "linear":
		if r.linear, err = attack.NewLinear(ctx, s); err != nil {
			return nil, err
		}
		return r.linear.Attack, nil
	case "decoder":
		if err := r.tooLong(s.Front, r.lesson.Len()); err != nil {
			return nil, err
		}
		d, err := attack.NewDecoder(ctx, s, r.linear, attack.DecoderOptions{})
		r.linear = nil
		if err != nil {
			return nil, err
		}
		return d.Attack, nil
	case "posterior":
		return attack.NewPosterior(ctx, s)
	case "inversion":
		if r.prior == nil {
			return nil, errors.New("it needs the prior, which was left out")
		}
		return attack.NewInversion(s, r.prior, attack.InversionOptions{Starts: r.made})
	}
	return nil, errors.New("there is no such attack")
}

// tooLong returns an error if training a decoder that was not asked for by name takes too long.
func (a Adversaries) tooLong(front nn.Model, examples int) error {
	p, n := front.Dims()
	if work := (attack.DecoderOptions{}).Operations(p, n, examples); !a.NeedsAttacks && work > mostDecoding {
		return fmt.Errorf("training it takes %.2g operations, more than the limit of %.2g for attacks that were not asked for; --attack %s runs it", work, float64(mostDecoding), strings.Join(AttackNames, ","))
	}
	return nil
}
