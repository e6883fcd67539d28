package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"sync"

	"tattle/internal/protect/bayes"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/release"
	"tattle/internal/run"
)

const (
	// mostListing limits the default number of candidates: the product of candidates, features
	// and draws, which takes about a minute on two cores. All candidates would be 9.4e10 for
	// paper A's MNIST net and 3.1e11 for its CIFAR-10 net.
	mostListing = 1e12
	// slowListing is the cost of a draw with other noise, relative to Gaussian noise.
	slowListing = 30
	// mostGram is the largest number of features for the upper limit on bits, which needs their
	// covariance: 0.5 GB.
	mostGram = 8192

	// DefaultConfidence is that of limits whose expectations are over random draws.
	DefaultConfidence = .999
	// GarbageShare is the garbage that may be in memory, in percent of the rest. Lists and features are arrays without pointers, which a collection
	// does not read, so it costs little.
	GarbageShare = 10
	// listAlpha is the probability that a limit does not hold, at any look.
	listAlpha = 1 - DefaultConfidence
)

// FirstLook is the first look's part of the probability that a limit does not hold. It is most of it,
// because that look is mostly the only one, and a wider limit costs accuracy. Looks is the
// largest number of looks.
const (
	FirstLook = .9
	Looks     = 14
)

// alpha is the probability that a limit of this look does not hold. Those of all looks add up to
// at most listAlpha.
func (o *ListOptions) alpha() float64 {
	if o.Look == 0 {
		return listAlpha
	}
	if o.Look == 1 {
		return FirstLook * listAlpha
	}
	all := 0. // later looks have parts in proportion to 1/k
	for k := 2; k <= Looks; k++ {
		all += 1 / float64(k)
	}
	return (1 - FirstLook) * listAlpha / (all * float64(o.Look))
}

// String lists the settings that decide the figures.
func (o *ListOptions) String() string {
	if o == nil {
		return "no lists"
	}
	s := fmt.Sprintf("%d draws against lists", o.Draws)
	if o.Look > 0 {
		s += fmt.Sprintf(", look %d", o.Look)
	}
	for _, l := range []*List{o.Candidates, o.Sample} {
		if l != nil {
			s += fmt.Sprintf(", %s (%s, most %d)", l.Name, l.Set.SHA256, l.Most)
		}
	}
	return fmt.Sprintf("%s, exposure of %d above %v, attributes %q, tasks %q", s, o.Subjects, o.Than, o.Attributes, o.Tasks)
}

// lists computes ListFigures.
type lists struct {
	ListOptions
	target Target // several releases with Gaussian noise are one with less noise, their mean
	each   Target // the same, with the noise of each release
	out    *ListFigures

	columns  int  // features
	gaussian bool // the densities are those of Gaussian noise, so that likelihoods are a matrix product
	atOnce   int  // releases that are drawn for one that is measured: a single one where the noise of their mean is known

	readers sync.Pool // of *bandReader
}

// newLists returns lists without figures.
func newLists(o ListOptions, t Target) *lists {
	each := t
	if _, ok := t.Noise.(release.Gaussian); ok && t.Queries > 1 {
		// The mean of the releases is a sufficient statistic: one release with less noise.
		t.Noise, t.Queries = release.MeanOf(t.Noise, t.Queries)
	}
	o.memos = cmp.Or(o.memos, newMemos(0))
	l := &lists{ListOptions: o, target: t, each: each, out: &ListFigures{Attributes: o.Attributes, Tasks: o.Tasks, Look: o.Look}, columns: columnsOf(t.Front)}
	_, l.gaussian = release.AsGaussian(t.Noise)
	_, l.atOnce = release.MeanOf(t.Noise, max(t.Queries, 1))
	l.out.Processed = t.Label && !l.labelAlone()
	return l
}

// Run computes the limits on a release. It returns an error if ctx ends, if a list has fewer
// than two different inputs, or that of Check. Figures that cannot be computed for this noise are left out, with
// the reason in LeftOut.
func (o ListOptions) Run(ctx context.Context, t Target) (*ListFigures, error) {
	l := newLists(o, t)
	defer debug.SetGCPercent(debug.SetGCPercent(GarbageShare))
	if !l.possible() {
		return l.out, nil
	}
	if fits, err := l.setDraws(); err != nil || !fits {
		return l.out, err
	}
	l.out.Draws = l.Draws
	if err := checkPeople(o.Candidates, o.Sample); err != nil {
		return nil, err
	}
	if o.Known != nil {
		l.out = o.Known
	} else if err := l.limits(ctx); err != nil {
		return nil, err
	}
	if o.SkipAttacks {
		return l.out, nil
	}
	if err := l.attackAttributes(ctx); err != nil {
		return nil, fmt.Errorf("attacks on attributes: %w", err)
	}
	return l.out, nil
}

// limits computes the limits that bind every adversary.
func (l *lists) limits(ctx context.Context) error {
	if c := l.Candidates; c != nil {
		if err := l.roundable(l.holder(ctx), "limits for adversaries with a list", "candidates ("+c.Name+")"); err != nil {
			return err
		}
	}
	if s := l.Sample; s != nil {
		err := l.anybody(ctx)
		if err != nil {
			l.out.Anybody = nil
		}
		if err := l.roundable(err, "limits for adversaries without a list", s.Name); err != nil {
			return err
		}
	}
	const hidden = "inputs of the sample among the candidates"
	return l.roundable(l.hide(ctx), hidden, hidden)
}

// roundable returns the error of a part, but leaves the part out if rounding made its figures useless.
func (l *lists) roundable(err error, part, of string) error {
	switch {
	case errors.Is(err, bayes.ErrRounding):
		l.leaveOut("%s: %v", part, err)
	case err != nil:
		return fmt.Errorf("%s: %w", of, err)
	}
	return nil
}

// labelAlone reports whether the release is the label without noise.
func (l *lists) labelAlone() bool {
	return l.target.Noise == release.None{} && l.target.Label
}

func (l *lists) leaveOut(format string, a ...any) {
	if s := fmt.Sprintf(format, a...); !slices.Contains(l.out.LeftOut, s) {
		l.out.LeftOut = append(l.out.LeftOut, s)
	}
}

// choose returns the indices of the inputs of a list to use, in an order drawn by the seed.
func (l *lists) choose(of *List) []int { return of.Draw(l.most(of), l.Seed) }

// chooseSample is choose of the sample.
func (l *lists) chooseSample() []int { return l.Sample.sample(l.most(l.Sample), l.Seed) }

// most returns how many inputs of a list to use, at most; all if negative.
func (l *lists) most(of *List) int {
	each := float64(l.draws()) * float64(l.columns)
	if !l.gaussian {
		each *= slowListing * float64(l.atOnce)
	}
	most := of.Most
	if most == 0 {
		most = max(2, int(min(mostListing/each, math.MaxInt32)))
		work := candidatesWork
		if of == l.Sample {
			work = sampleWork
		}
		if few := affordable(bound.GraphOf(l.target.Front), float64(work), leastScaling, most); few < min(most, of.Set.Len()) {
			l.leaveOut("%d of the %d inputs of %s: the model is large", of.Set.Len()-few, of.Set.Len(), of.Name)
			most = few
		}
	}
	return most
}

// DrawCandidates returns which of n inputs are on a list of so many, in an order drawn by the seed;
// all if most is negative.
func DrawCandidates(n, most int, seed uint64) []int {
	order := run.Rand(seed, 0, streamList).Perm(n)
	if most >= 0 && most < len(order) {
		order = order[:most]
	}
	return order
}

// streamList is the number of the random stream that chooses the inputs of a list.
const streamList = 7

// holder computes the limits for adversaries with the list of candidates.
func (l *lists) holder(ctx context.Context) error {
	chosen := l.choose(l.Candidates)
	list := l.list(l.Candidates, chosen)
	distinct := list.Indices
	if l.Candidates.Set.Group != nil && list.Count < 2 { // who would be named for certain
		l.leaveOut("limits for adversaries with a list: it holds fewer than two people of %s", l.Candidates.Name)
		return nil
	}
	if len(distinct) < 2 {
		return fmt.Errorf("%d different inputs: at least 2 are needed", len(distinct))
	}
	h := &ListHolder{List: l.Candidates.used(list, len(chosen)-len(distinct))}
	if h.List.Merged > 0 {
		h.List.Commonest = commonest(l.Candidates.Set, chosen)
	}
	found, err := l.posterior(ctx, "candidates", l.Candidates, list)
	if err != nil {
		return err
	}
	if list.People == nil {
		if err := l.bitsAbove(ctx, h, distinct); err != nil {
			return err
		}
	}
	h.Draws = len(found.Draws)
	for i, first := range found.IdentifiedAmong(l.alpha()) {
		h.Among = append(h.Among, ShorterList{l.Candidates.shorter(list)[i], l.atLeast(0, outward(first))})
	}
	first, ten := found.Identified(l.alpha())
	bits, most, last := found.PriorBits, 1., float64(len(distinct)+1)/2
	if h.BitsMost != nil {
		bits, most = *h.BitsMost, *h.Fano
	}
	h.First, h.Ten = l.between(list.likeliest(1), most, first), l.between(list.likeliest(10), 1, ten)
	h.Rank, h.Bits = within(outward(found.Rank(l.alpha())), 1, last), l.between(0, bits, found.Bits(l.alpha()))
	if l.out.Processed {
		h.Rank.High = digits(last, math.Ceil)
	}
	if list.People != nil {
		h.Person = new(l.between(1/float64(list.Count), 1, found.Named(l.alpha())))
	}
	if h.Floors, err = l.floors(ctx, "candidates", found, l.alpha(), nil); err != nil {
		return err
	}
	if h.List.Merged > 0 && len(l.Attributes) > 0 { // equal inputs may differ in an attribute
		if found, err = l.posterior(ctx, "attributes", l.Candidates, PeopledOf(l.Candidates.Set, chosen)); err != nil {
			return err
		}
	}
	h.Inferred = l.inferred(found, l.alpha())
	if err := l.exposed(ctx, h, list); err != nil {
		return err
	}
	l.out.Holder = h
	return nil
}

// list returns chosen inputs of a list with whom they are of. Equal inputs count once, but where the data say who the inputs are
// of: they may be of several people.
func (l *lists) list(of *List, chosen []int) Peopled {
	if of.Set.Group == nil {
		chosen = DistinctInputs(of.Set, chosen)
	}
	return PeopledOf(of.Set, chosen)
}

func (l *List) used(in Peopled, merged int) ListUsed {
	u := ListUsed{Name: l.Name, Path: l.Path, Split: string(l.Split), SHA256: l.Set.SHA256, Of: l.Set.Len(), Inputs: len(in.Indices), Merged: merged}
	if in.People != nil {
		u.People, u.Group = in.Count, l.Set.Group.Name
	}
	return u
}

// bitsAbove adds the upper limit on bits, and Fano's limit that follows from it.
func (l *lists) bitsAbove(ctx context.Context, h *ListHolder, distinct []int) error {
	noise, ok := l.target.Noise.(bayes.Density)
	if !ok {
		return nil
	} else if l.columns > mostGram {
		l.leaveOut("the upper limit on bits: there are more than %d features", mostGram)
		return nil
	}
	bits, err := bayes.BitsAbove(ctx, l.inputs(l.Candidates, distinct), noise, l.target.Queries)
	if errors.Is(err, bayes.ErrNotGaussian) {
		l.leaveOut("the upper limit on bits: %v", err)
		return nil
	}
	if err != nil {
		return err
	}
	h.BitsMost, h.Fano = new(digits(bits, math.Ceil)), new(digits(1-bayes.Fano(bits, len(distinct)), math.Ceil))
	return nil
}

// hide measures how often an input of the sample, or the person whom it is of, is identified among the candidates, one of whom
// gives way to them.
func (l *lists) hide(ctx context.Context) error {
	c, s := l.Candidates, l.Sample
	noise, ok := l.target.Noise.(bayes.Density)
	if c == nil || s == nil || c.same(s) || !ok || l.out.Processed {
		return nil
	}
	list, hidden := l.list(c, l.choose(c)), PeopledOf(s.Set, l.chooseSample())
	if list.Count < 2 || hidden.Count < 1 {
		return nil
	}
	if (list.People == nil) != (hidden.People == nil) {
		l.leaveOut("how often new people are named among the candidates: one of %s and %s does not say who its inputs are of", c.Name, s.Name)
		return nil
	}
	others := list.Others()
	r, err := bayes.RunHidden(ctx, l.inputs(c, others.Indices), l.inputs(s, hidden.Indices), hidden.People, noise, bayes.Options{
		Prior: others.Prior, People: others.People, Draws: l.draws(), Queries: l.target.Queries, Seed: l.Seed ^ streamHidden, Progress: l.share("inputs of the sample among the candidates")})
	if err != nil {
		return err
	}
	l.out.Hidden = &HiddenFigures{List: s.used(hidden, 0), First: outward(r.Identified(l.alpha()))}
	return nil
}

const streamHidden = 0x68696464656e // "hidden"

func (l *lists) inputs(of *List, indices []int) bayes.Inputs {
	return bayes.Inputs{Front: l.target.released(), Data: of.Set, Indices: indices, Memo: l.memos.memo(of.Set, l.columns)}
}
