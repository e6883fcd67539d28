package shape

import (
	"context"
	"math"
	"runtime"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/train"
	"tattle/internal/engine/onnx"
	"tattle/internal/must"
)

// answerTasks are two tasks on random rows: the label, and whether it is 0.
func answerTasks(d nn.Rows) []train.Task {
	zero := make([]int, len(d.Labels))
	for i, y := range d.Labels {
		if y == 0 {
			zero[i] = 1
		}
	}
	return []train.Task{{Name: "y", Classes: 3, Labels: d.Labels}, {Name: "zero", Classes: 2, Labels: zero}}
}

func answers(t *testing.T, d nn.Rows, tasks []train.Task) *nn.Graph {
	t.Helper()
	return must.Get(Answers(context.Background(), d, d.P, tasks, Options{Epochs: 30, Batch: 50, Seed: 1}))(t)
}

// TestAnswers: the layer gives each task one number near 1, and the others near 0; mostly for the right
// class. It stays the same as an ONNX file, and on any number of cores.
func TestAnswers(t *testing.T) {
	d := randomRows(150, 4, 3)
	for i, y := range d.Labels { // classes that do not overlap
		d.X[4*i+y] += 20
	}
	tasks := answerTasks(d)
	for _, tasks := range [][]train.Task{tasks[:1], tasks} {
		g := answers(t, d, tasks)
		file := must.Get(onnx.Encode(g))(t)
		g = must.Get(onnx.Decode("answers", file))(t)
		net := must.Get(nn.NewNet(g))(t)
		_, n := net.Dims()
		out := make([]float32, d.Len()*n)
		net.Forward(out, d.X)
		right, steep := 0, 0
		for i := range d.Len() {
			row := out[i*n : (i+1)*n]
			for _, task := range tasks {
				answer := row[:task.Classes]
				row = row[task.Classes:]
				best := slices.Max(answer)
				var sum float64
				for _, v := range answer {
					sum += float64(v)
				}
				if math.Abs(sum-1) > 1e-5 {
					t.Fatalf("the answers %v to %s add to %v", answer, task.Name, sum)
				}
				if best > .99 {
					steep++
				}
				if answer[task.Labels[i]] == best {
					right++
				}
			}
			if len(row) > 0 {
				t.Fatalf("%d numbers are left", len(row))
			}
		}
		if all := d.Len() * len(tasks); right < all*9/10 || steep < all*9/10 {
			t.Errorf("%d of %d answers are right, and %d are steep", right, all, steep)
		}
	}
}

// TestAnswersAreReproducible holds that equal seeds give equal bytes on any number of cores.
func TestAnswersAreReproducible(t *testing.T) {
	d := randomRows(120, 6, 3)
	weights := func(cores int) (all []float32) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		for _, p := range answers(t, d, answerTasks(d)).Params() {
			all = append(all, p.Data...)
		}
		return all
	}
	if !slices.Equal(weights(1), weights(2)) {
		t.Error("two cores give other weights than one")
	}
}
