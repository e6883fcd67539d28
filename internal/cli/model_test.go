package cli

import (
	"fmt"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"tattle/internal/engine/nn/zoo"
	"tattle/internal/npy"
)

// mkWeights FILE PREFIX CLASSES writes the state of a ResNet-20 as PyTorch names it,
// with what it has besides; of "nan" classes one bias is no number.
func mkWeights(ts *testscript.TestScript, _ bool, args []string) {
	classes, err := strconv.Atoi(args[2])
	if args[2] == "nan" {
		classes, err = 10, nil
	}
	ts.Check(err)
	g := zoo.ResNet20(classes, 9)
	writeNPZ(ts, args[0], func(w *npy.Writer) {
		for _, p := range g.State() {
			if p.Name == "linear.bias" && args[2] == "nan" {
				p.Data[3] = float32(math.NaN())
			}
			ts.Check(w.Add(args[1]+p.Name, p.Shape, p.Data))
		}
		ts.Check(w.Add(args[1]+"bn1.num_batches_tracked", nil, []int64{7}))
	})
}

// mkPictures DIR N SIDE writes N pictures of coloured noise into each of two folders,
// "a" and "b" in DIR.
func mkPictures(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	side, err := strconv.Atoi(args[2])
	ts.Check(err)
	r := rand.New(rand.NewPCG(3, 3))
	for _, class := range []string{"a", "b"} {
		dir := filepath.Join(ts.MkAbs(args[0]), class)
		ts.Check(os.MkdirAll(dir, 0o777))
		for i := range n {
			m := image.NewNRGBA(image.Rect(0, 0, side, side))
			for j := range m.Pix {
				m.Pix[j] = byte(r.Uint32())
				if j%4 == 3 {
					m.Pix[j] = 255
				}
			}
			f, err := os.Create(filepath.Join(dir, fmt.Sprintf("%d.png", i)))
			ts.Check(err)
			ts.Check(png.Encode(f, m))
			ts.Check(f.Close())
		}
	}
}
