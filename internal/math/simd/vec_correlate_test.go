package simd

import (
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/must"
)

func TestCorrelate(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testCorrelate[float32](t, 1e-5) })
	t.Run("float64", func(t *testing.T) { testCorrelate[float64](t, 1e-14) })
}

// testCorrelate compares with the definition at every number of lines around the blocks, and
// that nothing beside is written.
func testCorrelate[T Float](t *testing.T, tolerance float64) {
	r, line := rand.New(rand.NewPCG(1, 1)), Line[T]()
	for _, taps := range []int{0, 1, 9, 49} {
		for n := range 22 {
			for _, step := range [][2]int{{line, line}, {line, 2 * line}, {3 * line, line}, {line + 1, line - 1}} {
				src, w, offsets := normal[T](r, n*step[1]+line+30), normal[T](r, taps*line), make([]int, taps)
				for i := range offsets {
					offsets[i] = r.IntN(31)
				}
				var bias []T
				if n%2 == 1 {
					bias = normal[T](r, line)
				}
				dst := make([]T, n*step[0]+line)
				for i := range dst {
					dst[i] = 7
				}
				Correlate(dst, step[0], src, step[1], n, NewTaps(offsets), w, bias)
				for at, got := range dst {
					want, i, l := 7., at/step[0], at%step[0]
					if i < n && l < line {
						want = 0
						if bias != nil {
							want = float64(bias[l])
						}
						for j, from := range offsets {
							want += float64(w[j*line+l]) * float64(src[from+i*step[1]+l])
						}
					}
					if !(math.Abs(float64(got)-want) <= tolerance*(1+math.Sqrt(float64(taps)))) {
						t.Fatalf("%d taps, %d lines, steps %v: number %d of line %d is %v, want %v", taps, n, step, l, i, got, want)
					}
				}
			}
		}
	}
	x := make([]T, 3*line)
	for _, bad := range []func(){
		func() { NewTaps([]int{1, -1}) },
		func() { Correlate(x, line, x, line, 3, NewTaps([]int{1}), x[:line], nil) },
		func() { Correlate(x[1:], line, x, line, 3, NewTaps([]int{0}), x[:line], nil) },
		func() { Correlate(x, line, x, line, 3, NewTaps([]int{0}), x[1:line], nil) },
		func() { Correlate(x, line, x, line, 3, Taps{}, nil, x[:1]) },
	} {
		must.Panic(t, bad)
	}
}

func TestLines(t *testing.T) {
	t.Run("float32", testLines[float32])
	t.Run("float64", testLines[float64])
}

// testLines lays rows out and back, all numbers of rows and columns around the blocks.
func testLines[T Float](t *testing.T) {
	r, line := rand.New(rand.NewPCG(1, 2)), Line[T]()
	for rows := 1; rows <= line; rows++ {
		for n := 1; n < 11; n++ {
			ld := n + 2
			src, lines, back := normal[T](r, rows*ld), make([]T, n*line), make([]T, rows*ld)
			for i := range lines {
				lines[i] = 7
			}
			ToLines(lines, src[:(rows-1)*ld+n:(rows-1)*ld+n], rows, ld, n)
			FromLines(back, ld, lines, line, rows, n)
			for i := range n {
				for l := range line {
					want := T(0)
					if l < rows {
						want = src[l*ld+i]
						if back[l*ld+i] != want {
							t.Fatalf("%d rows, %d columns: (%d, %d) is %v, want %v", rows, n, l, i, back[l*ld+i], want)
						}
					}
					if lines[i*line+l] != want {
						t.Fatalf("%d rows, %d columns: number %d of line %d is %v, want %v", rows, n, l, i, lines[i*line+l], want)
					}
				}
			}
			for l := range rows {
				if back[l*ld+n] != 0 || back[l*ld+n+1] != 0 {
					t.Fatalf("%d rows, %d columns: wrote beside row %d", rows, n, l)
				}
			}
		}
	}
}
