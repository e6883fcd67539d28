package release_test

import (
	"compress/gzip"
	"context"
	"io"
	"math"
	"os"
	"testing"

	"tattle/internal/shared"
	"tattle/nn"
	"tattle/onnx"
	"tattle/release"
)

// digits is MNIST's test set, normalised as paper A says.
type digits struct{ pixels, labels []byte }

func (d digits) Len() int        { return len(d.labels) }
func (d digits) Label(i int) int { return int(d.labels[i]) }
func (d digits) Examples(x []float32, indices []int) {
	for i, index := range indices {
		for j, v := range d.pixels[index*784 : (index+1)*784] {
			x[i*784+j] = (float32(v)/255 - .1307) / .3081
		}
	}
}

// idx returns what follows the header of a compressed idx file.
func idx(t *testing.T, name string, header int) []byte {
	f, err := os.Open(shared.Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data[header:]
}

// The figures of an independent PyTorch run on the same net.
func TestMNIST(t *testing.T) {
	path := shared.Path(t, "models/mnist-mlp.onnx")
	data := digits{
		idx(t, "data/mnist/t10k-images-idx3-ubyte.gz", 16),
		idx(t, "data/mnist/t10k-labels-idx1-ubyte.gz", 8),
	}
	g, err := onnx.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	node, err := g.FeatureNode()
	if err != nil {
		t.Fatal(err)
	}
	f, h, err := g.Cut(node)
	if err != nil {
		t.Fatal(err)
	}
	front, err := nn.NewNet(f)
	if err != nil {
		t.Fatal(err)
	}
	head, err := nn.NewNet(h)
	if err != nil {
		t.Fatal(err)
	}
	rms, err := release.FeatureRMS(front, data)
	if err != nil || math.Abs(rms-1.7024195) > 1e-6 {
		t.Errorf("RMS of the features %v, %v, want 1.7024195", rms, err)
	}
	noise, err := release.NewGaussian(rms)
	if err != nil {
		t.Fatal(err)
	}
	const draws = 4
	u, err := release.Features{Front: front, Head: head, Dither: noise}.Utility(
		context.Background(), data, release.UtilityOptions{Draws: draws})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(float64(u.Clean.Correct)-9756) > 1 { // a logit may tie to rounding
		t.Errorf("%d of 10,000 correct, want 9,756", u.Clean.Correct)
	}
	// There: .9494, of standard deviation .0016 from draw to draw. A mean of four
	// here and one there differ by less than 4.5 of theirs, but for 1e-5.
	if d := math.Abs(u.Released.Fraction - .9494); d > 4.5*.0016*math.Sqrt(1+1./draws) {
		t.Errorf("dithered accuracy %v, want .9494 ± .0016", u.Released.Fraction)
	}
}
