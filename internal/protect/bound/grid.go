package bound

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"tattle/internal/engine/nn"
)

// Values lists the values as which some adjacent inputs can be stored: the 256 values of a
// pixel, the integers of a column, the rows of a one-hot group.
type Values struct {
	Width int       // how many inputs
	List  []float32 // [·, Width], ascending where Width is 1; nil: any float32 number within the range, of one input
}

// Stored returns the inputs in a box that data can hold, as grid lists them from the first
// input to the last. It returns an error if the grid is not of as many inputs as the box,
// or a list is not of distinct finite numbers in order.
func Stored(low, high []float64, grid []Values) (Domain, error) {
	d, err := Legal(low, high)
	if err != nil {
		return d, err
	}
	inputs := 0
	for _, v := range grid {
		if err := v.check(); err != nil {
			return Domain{}, fmt.Errorf("values of input %d: %w", inputs, err)
		}
		inputs += v.Width
	}
	if inputs != len(low) {
		return Domain{}, fmt.Errorf("stored values of %d inputs and ranges of %d", inputs, len(low))
	}
	d.Grid = grid
	return d, nil
}

func (v Values) check() error {
	switch {
	case v.Width < 1 || len(v.List)%v.Width != 0 || v.List == nil && v.Width != 1:
		return fmt.Errorf("%d numbers for %d inputs side by side", len(v.List), v.Width)
	case v.List != nil && len(v.List) == 0:
		return fmt.Errorf("there are none")
	case !nn.Finite(v.List):
		return fmt.Errorf("not all are finite")
	}
	for i := 1; v.Width == 1 && i < len(v.List); i++ {
		if v.List[i] <= v.List[i-1] {
			return fmt.Errorf("%g follows %g", v.List[i], v.List[i-1])
		}
	}
	return nil
}

// stored reports whether the exact values x + e, |e| = xerr, of all inputs are on the
// grid, if there is one.
func (d Domain) stored(x, xerr []float64) bool {
	at := 0
	for _, v := range d.Grid {
		for _, e := range xerr[at : at+v.Width] {
			if e != 0 {
				return false
			}
		}
		if !v.has(x[at : at+v.Width]) {
			return false
		}
		at += v.Width
	}
	return true
}

// has reports whether exactly x is among the values.
func (v Values) has(x []float64) bool {
	switch {
	case v.List == nil:
		return float64(float32(x[0])) == x[0]
	case v.Width == 1:
		i := v.above(x[0])
		return i < len(v.List) && float64(v.List[i]) == x[0]
	}
	for lo := 0; lo < len(v.List); lo += v.Width {
		if slices.EqualFunc(v.List[lo:lo+v.Width], x, func(r float32, x float64) bool { return float64(r) == x }) {
			return true
		}
	}
	return false
}

// above returns the index of the first value that is at least x, of one input.
func (v Values) above(x float64) int {
	i, _ := slices.BinarySearchFunc(v.List, x, func(a float32, b float64) int {
		if float64(a) < b {
			return -1
		}
		return 1
	})
	return i
}

// Round overwrites eps with the change from theta to the stored input nearest to
// theta + near, exactly as long as float64 can hold it; an input whose change it cannot
// hold stays as it is, and so do its neighbours in a group. Without a grid nothing is
// overwritten.
func (d Domain) Round(eps []float64, theta []float32, near []float64) {
	at := 0
	for _, v := range d.Grid {
		e, t := eps[at:at+v.Width], theta[at:at+v.Width]
		v.round(e, t, near[at:at+v.Width])
		for i := range e {
			if x, err := twoSum(float64(t[i]), e[i]); err != 0 || !d.contains(at+i, x, 0) {
				clear(e)
				break
			}
		}
		at += v.Width
	}
}

// round does this for the inputs of one list.
func (v Values) round(e []float64, theta []float32, near []float64) {
	if v.Width == 1 {
		e[0] = float64(v.nearest(float64(theta[0])+near[0])) - float64(theta[0])
		return
	}
	best := math.Inf(1)
	for lo := 0; lo < len(v.List); lo += v.Width {
		away := 0.
		for i, x := range v.List[lo : lo+v.Width] {
			by := float64(x) - float64(theta[i]) - near[i]
			away += by * by
		}
		if away < best {
			best = away
			for i, x := range v.List[lo : lo+v.Width] {
				e[i] = float64(x) - float64(theta[i])
			}
		}
	}
}

// nearest returns the value nearest to x, of one input.
func (v Values) nearest(x float64) float32 {
	if v.List == nil {
		return float32(x)
	}
	i := v.above(x)
	if i == len(v.List) || i > 0 && x-float64(v.List[i-1]) <= float64(v.List[i])-x {
		i--
	}
	return v.List[i]
}

// digest is the SHA-256 of the box and its grid, "" of Free.
func (d Domain) digest() string {
	if d.Low == nil {
		return ""
	}
	h := sha256.New()
	for _, v := range slices.Concat(d.Low, d.High) {
		h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
	}
	var last []float32
	var sum [sha256.Size]byte
	for _, v := range d.Grid {
		if len(v.List) == 0 || len(last) != len(v.List) || &last[0] != &v.List[0] {
			last, sum = v.List, sha256.Sum256(bytesOf(v.List))
		}
		h.Write(binary.LittleEndian.AppendUint64(sum[:], uint64(v.Width)))
	}
	return hex.EncodeToString(h.Sum(nil))
}

func bytesOf(x []float32) []byte {
	b := make([]byte, 0, 4*len(x))
	for _, v := range x {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}
