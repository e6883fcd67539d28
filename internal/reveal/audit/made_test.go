package audit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"tattle/internal/reveal/curious"
)

// made draws examples whose outputs are honest scores plus, in the direction of all
// ones, a shift by s: with two classes of s, independent of y, the best possible
// guess is right with probability Φ(shift·√classes), whatever y.
type made struct {
	n, classes int
	values     []int   // classes of each attribute
	shift      float64 // of the first attribute
	lean       float64 // probability that an attribute follows y
	seed       uint64
	noise      uint64 // of the outputs alone
}

func (m made) sample() *Sample {
	r, noise := rand.New(rand.NewPCG(m.seed, 77)), rand.New(rand.NewPCG(m.seed, 78+m.noise))
	s := &Sample{Name: "made", Kind: curious.Raw, Target: "y", Outputs: make([]float32, m.n*m.classes), Y: make([]int, m.n)}
	for c := range m.classes {
		s.Classes = append(s.Classes, strconv.Itoa(c))
	}
	for a, k := range m.values {
		at := Attribute{Name: fmt.Sprintf("s%d", a+1), Labels: make([]int, m.n)}
		for v := range k {
			at.Values = append(at.Values, string(rune('a'+v)))
		}
		s.Sensitive = append(s.Sensitive, at)
	}
	for i := range m.n {
		s.Y[i] = r.IntN(m.classes)
		for a, k := range m.values {
			s.Sensitive[a].Labels[i] = r.IntN(k)
			if r.Float64() < m.lean {
				s.Sensitive[a].Labels[i] = s.Y[i] % k
			}
		}
		up := 0.
		if len(m.values) > 0 {
			up = m.shift * (2*float64(s.Sensitive[0].Labels[i])/float64(m.values[0]-1) - 1)
		}
		row := s.Outputs[i*m.classes : (i+1)*m.classes]
		for j := range row {
			row[j] = float32(noise.NormFloat64() + up)
		}
		row[s.Y[i]] += 2
	}
	return s
}

// settingsOf are those of an audit at a confidence and a margin.
func settingsOf(confidence, margin float64) Settings {
	return Settings{Options: Options{Confidence: confidence, Margin: &margin}}
}

// bayes returns the accuracy of the best guess of the first attribute of two classes.
func (m made) bayes() float64 {
	return math.Erfc(-m.shift*math.Sqrt(float64(m.classes))/math.Sqrt2) / 2
}
