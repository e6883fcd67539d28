package report

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
)

// runsSentence counts what ran and names the most curious run.
func (r *Report) runsSentence() string {
	var best *Run
	ran := 0
	for i := range r.Runs {
		x := &r.Runs[i]
		if !x.shown() {
			continue
		}
		ran++
		if x.exceeds() && (best == nil || x.Excess > best.Excess) {
			best = x
		}
	}
	if ran == 0 {
		return fmt.Sprintf("None of %s has figures.", Count(len(r.Runs), "run"))
	}
	if best == nil {
		return fmt.Sprintf("None of the attacks of %s shows an excess over its baseline, which does not show that there is none.", Count(ran, "run"))
	}
	s := fmt.Sprintf("Demonstrated by attacks that ran: of %s, the most curious beyond its baseline is %s, with honesty %s and curiosity %s", Count(ran, "run"), best.Name, percent(float64(best.Honesty)), percent(float64(best.Curiosity)))
	if best.Baseline > 0 {
		s += ", where the baseline is " + percent(float64(best.Baseline))
		if w := kindWords[best.BaselineKind]; w != "" {
			s += ", always guessing " + w
		}
	}
	return s + "."
}

// exceeds tells whether a run's attack shows an excess over its baseline, as far as
// is known.
func (r Run) exceeds() bool {
	return r.Excess > 0 && (!r.ExcessInterval.known() || r.ExcessInterval[0] > 0)
}

// overSeeds says what several seeds of one setting gave together.
func (r *Report) overSeeds() []string {
	var said []string
	for _, p := range r.runPlanes() {
		for _, s := range p.spots {
			if s.runs > 1 {
				said = append(said, fmt.Sprintf("Over %d seeds, of which the figures above are seed %d's (%s; %s): honesty %s and curiosity %s, mean ± standard deviation.", s.runs, r.Seed, p.title, s.setting(),
					meanWords(s.honesty, s.honestySpan), meanWords(s.curiosity, s.curiousSpan)))
			}
		}
	}
	return said
}

func meanWords(mean float64, s span) string {
	return fmt.Sprintf("%.2f ± %.2f %%", 100*mean, 50*(s.hi-s.lo))
}

// cells are a run in words, its name and setting aside.
func (r Run) cells() []string {
	if !r.shown() {
		return []string{"–", "–", "–", "–", "–"}
	}
	return []string{
		accuracyCell(r.Honesty, r.HonestyStd, r.HonestyInterval), accuracyCell(r.Curiosity, r.CuriosityStd, r.CuriosityInterval),
		percent1(positive(r.Baseline)), signed(r.Excess), hundredths(float64(r.EntropyBits)),
	}
}

// accuracyCell is a share in percent with its standard deviation over seeds, or
// half of its interval.
func accuracyCell(mean, std Number, i Interval) string {
	s := fmt.Sprintf("%.2f", 100*float64(mean))
	switch {
	case math.IsNaN(float64(mean)):
		return "–"
	case std > 0:
		return s + fmt.Sprintf(" ±%.2f", 100*float64(std))
	case i.known():
		return s + fmt.Sprintf(" (%.1f–%.1f)", 100*float64(i[0]), 100*float64(i[1]))
	}
	return s
}

// runsIntro says what the columns are.
const runsIntro = "In percent: behind ± the standard deviation over seeds, in brackets the 95 % interval of one run. Excess: curiosity less baseline, in points. H: mean entropy of the outputs, bits."

// mostRuns is how many runs a terminal lists beside tables that sum them up.
const mostRuns = 20

// textRuns lists every run and draws the planes.
func (r *Report) textRuns(w io.Writer) {
	if len(r.Runs) == 0 {
		return
	}
	fmt.Fprintln(w)
	if len(r.Tables) > 0 && len(r.Runs) > mostRuns {
		wrap(w, fmt.Sprintf("%s, one by one, and their honesty-curiosity planes: in report.html.", Count(len(r.Runs), "run")))
		return
	}
	wrap(w, "The runs. "+runsIntro)
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	panel := ""
	for i, x := range r.Runs {
		if p := x.panel(); i == 0 || p != panel {
			fmt.Fprintf(t, "%s:\n attack\tβx,y,s\tseed\thonesty\tcuriosity\tbase\texcess\tH\n", cut(p, width-1))
			panel = p
		}
		cells := x.cells()
		cells[2] = strings.TrimSuffix(cells[2], " %")
		fmt.Fprintf(t, " %s\t%s\t%s\t%s\n", x.brand(), x.Beta.short(), x.seedWords(), strings.Join(cells, "\t"))
	}
	t.Flush()
	for _, x := range r.Runs {
		if x.Failed != "" {
			wrap(w, x.Name+" has no figures: "+x.Failed)
		}
	}
	for _, p := range r.runPlanes() {
		p.text(w)
	}
}

// brand is an attack and its outputs as a terminal has room for: "param. raw".
func (r Run) brand() string {
	name := r.Attack
	if r.Attack == "parameterized" || r.Attack == "regularized" || r.Attack == "overlearning" {
		name = name[:5] + "."
	}
	return cut(name, 8) + " " + cut(r.Outputs, 4)
}

func (r Run) seedWords() string {
	if r.Seeds > 1 {
		return fmt.Sprintf("%d×", r.Seeds)
	}
	return fmt.Sprint(r.Seed)
}

// The size of a plane on a terminal, in letters.
const (
	planeWidth  = 58
	planeHeight = 15
)

// text draws the plane in letters: capitals are raw outputs, small ones soft.
func (p *runPlane) text(w io.Writer) {
	x, y := newSpan(), newSpan()
	for _, r := range p.runs {
		x.add(float64(r.Honesty))
		y.add(float64(r.Curiosity))
	}
	y.add(p.baseline.hi, p.chanceS)
	x.lo, x.hi = x.padded()
	y.lo, y.hi = y.padded()
	grid := make([][]rune, planeHeight)
	for i := range grid {
		grid[i] = []rune(strings.Repeat(" ", planeWidth))
	}
	row := func(v float64) int { return int(math.Round((y.hi - v) / (y.hi - y.lo) * (planeHeight - 1))) }
	rule := func(v float64, with rune) {
		if v >= y.lo && v <= y.hi {
			for i := range planeWidth {
				grid[row(v)][i] = with
			}
		}
	}
	rule(p.chanceS, '·')
	rule(p.baseline.hi, '-')
	for _, r := range p.runs {
		c := int(math.Round((float64(r.Honesty) - x.lo) / (x.hi - x.lo) * (planeWidth - 1)))
		grid[row(float64(r.Curiosity))][c] = r.letter()
	}
	fmt.Fprintln(w)
	wrap(w, fmt.Sprintf("%s: curiosity up, honesty across. %s; capitals: raw outputs, small letters: soft.%s", p.title, p.letters(), p.ruleWords()))
	for i, line := range grid {
		v := ""
		if i%7 == 0 {
			v = percent1(y.hi - (y.hi-y.lo)*float64(i)/(planeHeight-1))
		}
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%9s |%s", v, string(line)), " "))
	}
	lo, hi := percent1(x.lo), percent1(x.hi)
	fmt.Fprintf(w, "%10s+%s\n%10s %s%*s\n", "", strings.Repeat("-", planeWidth), "", lo, planeWidth-len(lo), hi)
}

func (r Run) letter() rune {
	l := rune(lookOf(r.Attack).letter)
	if r.Outputs == "soft" {
		l += 'a' - 'A'
	}
	return l
}

// letters say which attack is which.
func (p *runPlane) letters() string {
	var said []string
	for _, r := range p.runs {
		said = append(said, string(lookOf(r.Attack).letter)+" "+r.Attack)
	}
	return strings.Join(unique(said), ", ")
}

// ruleWords say what the lines are.
func (p *runPlane) ruleWords() string {
	s := ""
	if p.baseline.lo <= p.baseline.hi {
		s += " ---: " + p.baselineLine() + "."
	}
	if p.chanceS > 0 {
		s += " ···: chance, " + percent1(p.chanceS) + "."
	}
	return s
}

// hundredths prints a figure of a column.
func hundredths(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return fmt.Sprintf("%.2f", x)
}
