package main

import (
	"math"
	"os"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"tattle/nn"
	"tattle/npy"
)

// mkWeights FILE PREFIX CLASSES writes the state of a ResNet-20 as PyTorch names it,
// with what it has besides; of "nan" classes one bias is no number.
func mkWeights(ts *testscript.TestScript, _ bool, args []string) {
	classes, err := strconv.Atoi(args[2])
	if args[2] == "nan" {
		classes, err = 10, nil
	}
	ts.Check(err)
	g := nn.ResNet20(classes, 9)
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	w := npy.NewWriter(f)
	for _, p := range stateOf(g) {
		if p.Name == "linear.bias" && args[2] == "nan" {
			p.Data[3] = float32(math.NaN())
		}
		ts.Check(w.Add(args[1]+p.Name, p.Shape, p.Data))
	}
	ts.Check(w.Add(args[1]+"bn1.num_batches_tracked", nil, []int64{7}))
	ts.Check(w.Close())
	ts.Check(f.Close())
}
