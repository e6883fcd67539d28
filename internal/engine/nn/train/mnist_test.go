package train

import (
	"compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/must"
	"tattle/internal/shared"
)

// digits is MNIST, or its first n examples, as paper A normalises it.
type digits struct {
	n              int
	pixels, labels []byte
}

func (d digits) Len() int        { return d.n }
func (d digits) Label(i int) int { return int(d.labels[i]) }
func (d digits) Examples(x []float32, indices []int) {
	for j, i := range indices {
		for k, v := range d.pixels[i*784 : (i+1)*784] {
			x[j*784+k] = (float32(v)/255 - 0.1307) / 0.3081
		}
	}
}

func readDigits(t *testing.T, dir, set string) digits {
	t.Helper()
	read := func(name string, header int) []byte {
		f := must.Get(os.Open(filepath.Join(dir, name)))(t)
		defer f.Close()
		z := must.Get(gzip.NewReader(f))(t)
		b := must.Get(io.ReadAll(z))(t)
		return b[header:]
	}
	d := digits{pixels: read(set+"-images-idx3-ubyte.gz", 16), labels: read(set+"-labels-idx1-ubyte.gz", 8)}
	d.n = len(d.labels)
	return d
}

// TestMNIST trains paper A's net as the paper says, which reports 97.9 %. Unless
// TATTLE_FULL is set it takes one epoch of 8,000 examples and asks for less.
func TestMNIST(t *testing.T) {
	shared.Long(t, "trains for seconds")
	dir := shared.Path(t, "data/mnist")
	train, test := readDigits(t, dir, "train"), readDigits(t, dir, "t10k")
	epochs, low, high := 6, .974, .986
	if os.Getenv("TATTLE_FULL") == "" {
		train.n, epochs, low, high = 8000, 1, .9, .97
	}
	g := zoo.MNIST(1)
	net := mustNet(t, g)
	must.Get(Fit(context.Background(), g, train, Options{Epochs: epochs, Seed: 1, Validate: func(epoch int, e Epoch) error {
		t.Logf("epoch %d: loss %.4f, accuracy %.4f, on the test set %.4f", epoch, e.Loss, e.Accuracy, nn.Accuracy(net, test))
		return nil
	}}))(t)
	if a := nn.Accuracy(net, test); a < low || a > high {
		t.Errorf("accuracy %v, want %v to %v", a, low, high)
	}
}
