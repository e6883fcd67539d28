package audit

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tattle/internal/must"
)

// An intersection has a class for each combination, with those of the attributes as they are asked
// for; what is read for it alone is no attribute by itself.
func TestIntersection(t *testing.T) {
	text := "y,age,sex,race,p_0,p_1\n0,30,f,B,.5,.5\n1,50,m,W,.5,.5\n0,30,m,B,.5,.5\n1,20,f,W,.5,.5\n"
	s, err := openText(t, text, OpenOptions{Sensitive: []string{"age: <40; >=40", "sex*age", "race*sex"}})
	must.Do(t, err)
	want := []Attribute{
		{Name: "age", Values: []string{"<40", ">=40"}, Labels: []int{0, 1, 0, 0}},
		{Name: "sex*age", Values: []string{"f <40", "f >=40", "m <40", "m >=40"}, Labels: []int{0, 3, 2, 0}},
		{Name: "race*sex", Values: []string{"B f", "B m", "W f", "W m"}, Labels: []int{0, 3, 1, 2}},
	}
	if len(s.Sensitive) != len(want) {
		t.Fatalf("%+v", s.Sensitive)
	}
	for i, a := range s.Sensitive {
		if a.Name != want[i].Name || !slices.Equal(a.Values, want[i].Values) || !slices.Equal(a.Labels, want[i].Labels) {
			t.Errorf("%+v, want %+v", a, want[i])
		}
	}
	named := strings.Replace(text, "race", "sex*race", 1)
	if s, err = openText(t, named, OpenOptions{Sensitive: []string{"sex*race"}}); err != nil || !slices.Equal(s.Sensitive[0].Values, []string{"B", "W"}) {
		t.Errorf("a column whose name has a star: %v", err)
	}
}

// The interval of R² holds the true R² of a jointly normal pair, ρ², as often as it says: of 2,000
// samples of 300 the share is within 6 standard errors, and 1.5 points for the small sample.
func TestRSquaredInterval(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 9))
	const rho, n, samples = .6, 300, 2000
	truth, value, held := make([]float64, n), make([]float64, n), 0
	for range samples {
		for i := range truth {
			x := r.NormFloat64()
			truth[i], value[i] = rho*x+math.Sqrt(1-rho*rho)*r.NormFloat64(), rho*x
		}
		if _, in := guessedNumbers(truth, value).in.rSquared(truth, value); in[0] <= rho*rho && rho*rho <= in[1] {
			held++
		}
	}
	if share := float64(held) / samples; math.Abs(share-.95) > 6*math.Sqrt(.95*.05/samples)+.015 {
		t.Errorf("the interval holds the true R² in %.1f %% of samples", 100*share)
	}
}

// A factor that is asked for as a number and by a rule has the classes of the rule.
func TestIntersectionOfRule(t *testing.T) {
	s := must.Get(openText(t, "y,age,sex,p_0,p_1\n0,20,f,.5,.5\n1,40,m,.5,.5\n", OpenOptions{Sensitive: []string{"age:number", "age: <30, >=30", "age*sex"}}))(t)
	if a := s.Sensitive; len(a) != 3 || !a[0].Numeric() || len(a[2].Values) != 4 || a[2].Values[0] != "<30 f" {
		t.Errorf("%+v", a)
	}
}
