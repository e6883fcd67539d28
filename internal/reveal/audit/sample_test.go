package audit

import (
	"math"
	"slices"
	"testing"

	"tattle/internal/must"
	"tattle/internal/reveal/curious"
)

func TestCheckNamesRowAndMend(t *testing.T) {
	for want, spoil := range map[string]func(s *Sample){
		"row 3: output 2 is NaN":      func(s *Sample) { s.Outputs[7] = float32(math.NaN()) },
		"row 1: output 1 is +Inf":     func(s *Sample) { s.Outputs[0] = float32(math.Inf(1)) },
		"row 1: probabilities add up": func(s *Sample) { s.Kind = curious.Soft; s.Outputs[0], s.Outputs[1], s.Outputs[2] = .5, .1, .1 },
		"row 1: probability 2 is -1":  func(s *Sample) { s.Kind = curious.Soft; s.Outputs[0], s.Outputs[1] = 1, -1 },
		"row 4: y 9 is none of 3":     func(s *Sample) { s.Y[3] = 9 },
		"name at least one":           func(s *Sample) { s.Sensitive = nil },
		"row 2: class 5 of 2":         func(s *Sample) { s.Sensitive[0].Labels[1] = 5 },
		"row 5: +Inf is not a number": func(s *Sample) {
			s.Sensitive[0] = Attribute{Name: "n", Numbers: make([]float64, 20)}
			s.Sensitive[0].Numbers[4] = math.Inf(1)
		},
		"1 columns": func(s *Sample) { s.Classes = s.Classes[:1] },
	} {
		s := made{n: 20, classes: 3, values: []int{2, 2}, seed: 1}.sample()
		must.Do(t, s.Check())
		spoil(s)
		must.Fail(t, s.Check(), want)
	}
}

func TestSubsetAndSum(t *testing.T) {
	s := made{n: 20, classes: 3, values: []int{2}, seed: 1}.sample()
	s.Sensitive = append(s.Sensitive, Attribute{Name: "age", Numbers: make([]float64, 20)})
	s.Sensitive[1].Numbers[7] = 41
	u := s.Subset([]int{7, 2})
	if u.Len() != 2 || !slices.Equal(u.Outputs[:3], s.Outputs[21:24]) || u.Y[1] != s.Y[2] || u.Sensitive[1].Numbers[0] != 41 || u.Sensitive[0].Labels[0] != s.Sensitive[0].Labels[7] {
		t.Errorf("subset %+v", u)
	}
	must.Do(t, u.Check())
	all, sum := span(0, 20), s.Sum()
	if s.Subset(all).Sum() != sum {
		t.Error("a copy has another sum")
	}
	for _, spoil := range []func(s *Sample){
		func(s *Sample) { s.Outputs[1]++ },
		func(s *Sample) { s.Y[0] = (s.Y[0] + 1) % 3 },
		func(s *Sample) { s.Sensitive[0].Labels[0] ^= 1 },
		func(s *Sample) { s.Sensitive[1].Numbers[0]++ },
		func(s *Sample) { s.Kind = curious.Soft },
		func(s *Sample) { s.Sensitive[0].Name = "z" },
	} {
		c := s.Subset(all)
		if spoil(c); c.Sum() == sum {
			t.Error("a sum does not heed a change")
		}
	}
}
