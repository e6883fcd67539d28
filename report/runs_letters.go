package report

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// The size of a plane on a terminal, in letters.
const (
	planeWidth  = 58
	planeHeight = 15
)

// letters are a plane on a terminal.
type letters struct {
	x, y    span
	rows    [planeHeight][]rune
	several bool // some place has points of several attacks
}

func newLetters(x, y span) *letters {
	g := &letters{}
	g.x.lo, g.x.hi = x.padded()
	g.y.lo, g.y.hi = y.padded()
	for i := range g.rows {
		g.rows[i] = []rune(strings.Repeat(" ", planeWidth))
	}
	return g
}

func (g *letters) row(v float64) []rune {
	return g.rows[int(math.Round((g.y.hi-v)/(g.y.hi-g.y.lo)*(planeHeight-1)))]
}

// rule draws a line across.
func (g *letters) rule(v float64, with rune) {
	if v >= g.y.lo && v <= g.y.hi {
		copy(g.row(v), []rune(strings.Repeat(string(with), planeWidth)))
	}
}

// point puts a letter, or, where another one stands, a star.
func (g *letters) point(x, y float64, letter rune) {
	at := &g.row(y)[int(math.Round((x-g.x.lo)/(g.x.hi-g.x.lo)*(planeWidth-1)))]
	if !strings.ContainsRune(" -·", *at) && *at != letter {
		letter, g.several = '*', true
	}
	*at = letter
}

// print writes the plane with its scales.
func (g *letters) print(w io.Writer) {
	for i, line := range g.rows {
		v := ""
		if i%7 == 0 {
			v = percent1(g.y.hi - (g.y.hi-g.y.lo)*float64(i)/(planeHeight-1))
		}
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%9s |%s", v, string(line)), " "))
	}
	lo, hi := percent1(g.x.lo), percent1(g.x.hi)
	fmt.Fprintf(w, "%10s+%s\n%10s %s%*s\n", "", strings.Repeat("-", planeWidth), "", lo, planeWidth-len(lo), hi)
}

// text draws the plane in letters: capitals are raw outputs, small ones soft.
func (p *runPlane) text(w io.Writer) {
	x, y := newSpan(), newSpan()
	for _, r := range p.runs {
		x.add(float64(r.Honesty))
		y.add(float64(r.Curiosity))
	}
	y.add(p.baseline.hi, p.chanceS)
	g := newLetters(x, y)
	g.rule(p.chanceS, '·')
	g.rule(p.baseline.hi, '-')
	for _, r := range p.runs {
		g.point(float64(r.Honesty), float64(r.Curiosity), r.letter())
	}
	several := ""
	if g.several {
		several = " *: several."
	}
	fmt.Fprintln(w)
	wrap(w, fmt.Sprintf("%s: curiosity up, honesty across. %s; capitals: raw outputs, small letters: soft.%s%s", p.title, p.letters(), several, p.ruleWords()))
	g.print(w)
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
