package measure

import (
	"math/rand/v2"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
)

// threshold is a model that takes a number above tau for the second of two classes.
func threshold(tau float32, p dataset.Preprocess) *Model {
	d := &nn.Dense{In: 1, Out: 2, Weight: &nn.Param{Name: "w", Shape: []int{2, 1}, Data: []float32{0, 1}}, Bias: &nn.Param{Name: "b", Shape: []int{2}, Data: []float32{0, -tau}}}
	return &Model{Preprocess: p, Graph: &nn.Graph{Name: "threshold", Input: "x", InputShape: []int{1}, Output: "y", Nodes: []*nn.Node{{Name: "d", Op: d, Inputs: []string{"x"}, Output: "y"}}}}
}

// pixels returns grey pictures of one pixel, scaled from 0 to 1.
func pixels() *dataset.Set {
	return &dataset.Set{Name: "pixels", Shape: []int{1, 1, 1}, Mean: []float32{0}, Std: []float32{1}, YName: "class", YNames: []string{"low", "high"}}
}

// A model of bytes that is given them scaled in another way is found out, and the scaling it was
// trained with is named.
func TestFits(t *testing.T) {
	const n = 200
	r := rand.New(rand.NewPCG(1, 2))
	set := pixels()
	for range n {
		v := r.IntN(256)
		set.Pixels, set.Y = append(set.Pixels, uint8(v)), append(set.Y, v/128)
	}
	m := threshold(127.5, dataset.Preprocess{Range: []float64{0, 1}})
	f, err := m.Fits(t.Context(), Inputs{}, set)
	if err != nil || f == nil {
		t.Fatal(f, err)
	}
	if !f.Guesses() || !f.doubtful() || f.Better == nil || f.Better.Right != n || f.Better.Preprocess != "range=0,255" {
		t.Errorf("%+v, better %+v", f, f.Better)
	}
	set.Std[0], m.Preprocess.Range[1] = 1./255, 255
	if f, err = m.Fits(t.Context(), Inputs{}, set); err != nil || f.Right != n || f.Guesses() || f.Better != nil {
		t.Errorf("%+v, %v", f, err)
	}
}

// A common class leaves a model few examples to gain. The scaling that it was trained with is
// named if chance does not explain the gain, and is not named if chance may explain it.
func TestFitsCommonClass(t *testing.T) {
	const n = 2000
	m := threshold(100, dataset.Preprocess{Range: []float64{0, 1}})
	for _, c := range []struct {
		every, wrong int // of the examples are high; of these are taken for low
		better       bool
	}{{21, 3, true}, {500, 3, false}} {
		set := pixels()
		for i := range n {
			v, class := uint8(40), 0
			if i%c.every == 0 {
				class = 1
				if i/c.every%c.wrong > 0 {
					v = 160
				}
			}
			set.Pixels, set.Y = append(set.Pixels, v), append(set.Y, class)
		}
		f, err := m.Fits(t.Context(), Inputs{}, set)
		if err != nil || !f.Guesses() || (f.Better != nil) != c.better {
			t.Errorf("one of %d is high: %+v, better %+v, %v", c.every, f, f.Better, err)
		}
	}
}

// A net that was trained on pixels from 0 to 1 is right for most examples under the usual scaling of MNIST,
// too. Where that scaling was assumed, the better one is named; where it was given, it is taken.
func TestFitsAssumed(t *testing.T) {
	const n = 256
	m := threshold(.5, dataset.Preprocess{})
	set := pixels()
	set.Mean[0], set.Std[0] = .1307, .3081
	for v := range n {
		set.Pixels, set.Y = append(set.Pixels, uint8(v)), append(set.Y, v/128)
	}
	f, err := m.Fits(t.Context(), Inputs{}, set)
	if err != nil || f == nil {
		t.Fatal(f, err)
	}
	if f.doubtful() || f.Right == n || f.Assumed == "" || f.Better == nil || f.Better.Right != n || f.Better.Preprocess != "range=0,1" {
		t.Errorf("%+v, better %+v", f, f.Better)
	}
	m.Preprocess = dataset.Preprocess{Mean: []float64{.1307}, Std: []float64{.3081}}
	if f, err = m.Fits(t.Context(), Inputs{}, set); err != nil || f.Assumed != "" || f.Better != nil {
		t.Errorf("given: %+v, %v", f, err)
	}
	set.Mean, set.Std, m.Preprocess = []float32{0}, []float32{1}, dataset.Preprocess{}
	if f, err = m.Fits(t.Context(), Inputs{}, set); err != nil || f.Right != n || f.Better != nil || f.Tried > 0 {
		t.Errorf("right: %+v, %v", f, err)
	}
}
