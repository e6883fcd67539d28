package nn

import (
	"slices"
	"testing"
)

// rearrangeCase is an operator that moves entries, and a function that gives the input entry
// for each output entry, from the operator's definition; nil for none.
type rearrangeCase struct {
	op   Op
	in   []int
	want []int // the output's shape
	from func(o []int) []int
}

func rearrangeCases() map[string]rearrangeCase {
	perm := func(in, want []int, p ...int) rearrangeCase {
		return rearrangeCase{&Transpose{p}, in, want, func(o []int) []int {
			x := make([]int, len(o))
			for d, a := range p {
				x[a] = o[d]
			}
			return x
		}}
	}
	pad := func(in, before, after, want []int, place func(i, n int) int) rearrangeCase {
		return rearrangeCase{&Pad{before, after, 2.5}, in, want, func(o []int) []int {
			x := make([]int, len(o))
			for d := range o {
				if x[d] = place(o[d]-before[d], in[d]); x[d] < 0 {
					return nil
				}
			}
			return x
		}}
	}
	constant := func(i, n int) int {
		if i >= n {
			return -1
		}
		return i
	}
	return map[string]rearrangeCase{
		"transpose matrix":    perm([]int{37, 50}, []int{50, 37}, 1, 0),
		"transpose planes":    perm([]int{5, 33, 18}, []int{5, 18, 33}, 0, 2, 1),
		"transpose channels":  perm([]int{19, 6, 7}, []int{6, 7, 19}, 1, 2, 0),
		"transpose all":       perm([]int{3, 4, 5, 17}, []int{17, 5, 4, 3}, 3, 2, 1, 0),
		"transpose heads":     perm([]int{4, 9, 3, 2, 8}, []int{3, 4, 2, 9, 8}, 2, 0, 3, 1, 4),
		"transpose windows":   perm([]int{2, 7, 3, 7, 6}, []int{2, 3, 7, 7, 6}, 0, 2, 1, 3, 4),
		"transpose singleton": perm([]int{1, 5, 1, 4}, []int{4, 1, 5, 1}, 3, 2, 1, 0),
		"transpose nothing":   perm([]int{2, 3}, []int{2, 3}, 0, 1),
		"transpose large":     perm([]int{11, 130, 67}, []int{67, 11, 130}, 2, 0, 1),
		"heads, large":        perm([]int{16, 49, 3, 3, 32}, []int{3, 16, 3, 49, 32}, 2, 0, 3, 1, 4),
		"pad, large":          pad([]int{12, 33, 35}, []int{0, 1, 1}, []int{0, 1, 1}, []int{12, 35, 37}, constant),
		"roll, large": {&Gather{0, slices.Concat(Indices(56)[3:], Indices(3)), []int{56}}, []int{56, 300}, []int{56, 300},
			func(o []int) []int { return []int{(o[0] + 3) % 56, o[1]} }},
		"slice": {&Slice{[]int{1, 6, 0}, []int{1, -2, 3}, []int{2, 4, 2}}, []int{3, 7, 5}, []int{2, 4, 2},
			func(o []int) []int { return []int{1 + o[0], 6 - 2*o[1], 3 * o[2]} }},
		"slice reversed": {&Slice{[]int{8}, []int{-1}, []int{9}}, []int{9}, []int{9}, func(o []int) []int { return []int{8 - o[0]} }},
		"slice rows":     {&Slice{[]int{2, 0}, nil, []int{3, 4}}, []int{6, 4}, []int{3, 4}, func(o []int) []int { return []int{2 + o[0], o[1]} }},
		"gather": {&Gather{1, []int{4, 0, 4, 2, 1, 1}, []int{2, 3}}, []int{3, 5, 2}, []int{3, 2, 3, 2},
			func(o []int) []int { return []int{o[0], []int{4, 0, 4, 2, 1, 1}[3*o[1]+o[2]], o[3]} }},
		"gather one":   {&Gather{0, []int{2}, nil}, []int{3, 5}, []int{5}, func(o []int) []int { return []int{2, o[0]} }},
		"gather roll":  {&Gather{0, []int{3, 4, 0, 1, 2}, []int{5}}, []int{5, 6}, []int{5, 6}, func(o []int) []int { return []int{(o[0] + 3) % 5, o[1]} }},
		"pad":          pad([]int{3, 4, 5}, []int{1, 0, 2}, []int{0, 3, 1}, []int{4, 7, 8}, constant),
		"pad channels": pad([]int{4, 2, 3}, []int{3, 0, 0}, []int{3, 0, 0}, []int{10, 2, 3}, constant),
		"pad crop":     pad([]int{6, 5}, []int{-1, 2}, []int{-2, -4}, []int{3, 3}, constant),
	}
}

func TestRearrange(t *testing.T) {
	for name, c := range rearrangeCases() {
		t.Run(name, func(t *testing.T) {
			testPlaces(t, c)
			if Size(c.in) < 10000 { // it takes time
				testOperator(t, c.op, c.in)
			}
		})
	}
}

// testPlaces compares each entry with the one that the definition says, and the
// errors with theirs.
func testPlaces(t *testing.T, c rearrangeCase) {
	t.Helper()
	k := c.op.kernel64(c.in)
	x, size := make([]float64, testBatch*Size(c.in)), Size(c.want)
	for i := range x {
		x[i] = float64(i + 10)
	}
	f := &frame[float64]{batch: testBatch, x: [][]float64{x}, y: make([]float64, testBatch*size)}
	k.forward(f)
	errs := make([]float64, len(f.y))
	round(copyRounder{k}, f, errs, [][]float64{x})
	g := &frame[float32]{batch: testBatch, x: narrow(f.x), y: make([]float32, len(f.y))}
	c.op.kernel32(c.in).forward(g)
	closeTo(t, "float32", wide(g.y), f.y, 0)
	for i := range f.y {
		b, index := i/size, indices(i%size, c.want)
		want, wantErr := 2.5, 0.0
		if from := c.from(index); from != nil {
			at := 0
			for d, j := range from {
				at = at*c.in[d] + j
			}
			want = x[b*Size(c.in)+at]
			wantErr = want
		}
		if f.y[i] != want || errs[i] != wantErr {
			t.Fatalf("example %d, entry %v is %v ± %v, want %v ± %v", b, index, f.y[i], errs[i], want, wantErr)
		}
	}
}

func TestConcat(t *testing.T) {
	in := [][]int{{2, 3, 4}, {2, 1, 4}, {2, 0, 4}, {2, 5, 4}}
	op := &Concat{1}
	testOperator(t, op, in...)
	testOperator(t, &Concat{0}, []int{3, 2}, []int{1, 2})
	k := op.kernel64(in...)
	f := &frame[float64]{batch: 1, y: make([]float64, 72)}
	for i, s := range in {
		x := make([]float64, Size(s))
		for j := range x {
			x[j] = float64(100*i + j)
		}
		f.x = append(f.x, x)
	}
	k.forward(f)
	for _, c := range []struct {
		at   int
		want float64
	}{{0, 0}, {11, 11}, {12, 100}, {15, 103}, {16, 300}, {35, 319}, {36, 12}, {48, 104}, {71, 339}} {
		if f.y[c.at] != c.want {
			t.Errorf("entry %d is %v, want %v", c.at, f.y[c.at], c.want)
		}
	}
	ey := make([]float64, 72)
	round(copyRounder{k}, f, ey, f.x)
	if !slices.Equal(ey, f.y) {
		t.Error("errors did not move with the entries")
	}
}

// TestConstant trains a constant, and checks that it is a parameter.
func TestConstant(t *testing.T) {
	p := &Param{Name: "value", Shape: []int{2, 2}, Data: []float32{1, 2, 3, 4}}
	op := &Constant{Value: p}
	if len(paramsOf(op)) != 0 {
		t.Error("a constant is no parameter")
	}
	op.Learned = true
	if len(paramsOf(op)) != 1 {
		t.Error("a learned constant is a parameter")
	}
	k := op.kernel32()
	f := &frame[float32]{batch: 3, y: make([]float32, 12)}
	k.forward(f)
	if !slices.Equal(f.y, []float32{1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4}) {
		t.Error(f.y)
	}
	dy := []float32{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
	p.Grad = make([]float32, 4)
	k.(learner).grad(f, dy, 1)
	if !slices.Equal(p.Grad, []float32{3, 3, 3, 3}) {
		t.Error(p.Grad)
	}
	k.jvp(f, dy, nil, 1)
	if slices.Max(dy) != 0 {
		t.Error(dy)
	}
}
