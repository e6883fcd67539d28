package report

import (
	"bytes"
	"flag"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tattle/bound"
	"tattle/internal/must"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sample is a report with something in every section, two of its quantiles
// unbounded and one figure unknown.
func sample(t *testing.T) *Report {
	t.Helper()
	inf := math.Inf(1)
	few := &bound.Note{Kind: bound.VacuousDivergence, Noise: "a <reason>"}
	r := &Report{
		Schema:   Schema,
		Title:    "What <two> features give away",
		Command:  "tattle bound --model m.onnx",
		Settings: map[string]string{"repeats": "10", "restarts": "25"},
		Seed:     7,
		Model:    Model{Path: "m.onnx", SHA256: "ab", Inputs: 4, Features: 2, FeatureNode: "relu"},
		Data:     Data{Name: "MNIST", Split: "test", SHA256: "cd", Examples: 3, GreyLevels: 78.6},
		Release:  Release{Surface: "features", Noise: Noise{Family: "gaussian", Sigma: 1.7024195, Scale: 1}},
		Utility:  Utility{CleanAccuracy: .9756, CleanInterval: [2]float64{.97, .98}, ReleasedAccuracy: Number(math.NaN()), Examples: 3, Draws: 1},
		Reconstruction: Reconstruction{Bounds: []bound.Summary{
			{Method: bound.MethodHCR, Search: "direct", Coordinates: "dct", Band: "all", Size: 1. / 200, Values: 12, StdQuantiles: quantiles(.1, .2, .3, .4, inf), UnboundedFraction: .25, Status: bound.StatusCertified, Vacuous: few},
			{Method: bound.MethodHCR, Search: "direct", Coordinates: "dct", Band: "8x8", Size: 1. / 200, Values: 12, StdQuantiles: quantiles(.1, .2, .5, .6, .7), Status: bound.StatusCertified},
			{Method: bound.MethodCramerRao, Coordinates: "dct", Band: "all", Values: 12, StdQuantiles: quantiles(.1, .2, .5, inf, inf), Status: bound.StatusEstimated, Vacuous: few},
		}, Resolvable: &Resolvable{RankMedian: 2, RankMin: 1, RankMax: 2, Inputs: 4, Thresholds: []float64{.1, 1}, DirectionsMedian: []float64{0, 1}}, Spectrum: &Spectrum{Low: []Number{.1, .4}, Median: []Number{.2, .5}, High: []Number{.3, Number(inf)}}, Histograms: []Histogram{{Title: "all modes", Axis: "bound", Status: "certified", Edges: []float64{0, .1, .2}, Counts: []int{3, 5, 1}, Peak: .15, Median: .12}}, Published: []Comparison{{Quantity: "peak", Published: .16, Ours: Number(inf), Note: "stacked LSQR"}}},
		Arrays:   []Arrays{{File: "arrays.npz", SHA256: "ef"}},
		Timing:   map[string]Number{"search": 1.25},
		Warnings: []string{"an <odd> warning"},
		Verdict:  "bounded",
	}
	o := original{index: 5, label: 3, name: "three", shape: []int{1, 2, 2}, theta: []float32{0, 1, .5, .25}, denormalize: func(x float64, _ int) float64 { return x }}
	must.Do(t, r.addPicture(o, []string{"s = 1/200"}, [][]float64{{.1, .2, .3, inf}}, rand.New(rand.NewPCG(1, 2))))
	return r
}

func TestGolden(t *testing.T) {
	for name, r := range map[string]*Report{"report": sample(t), "full": full(t)} {
		golden(t, name+".txt", r.WriteText)
	}
	golden(t, "report.json", sample(t).WriteJSON)
}

// golden compares what is written with a file of testdata.
func golden(t *testing.T, name string, write func(io.Writer) error) {
	t.Helper()
	var got bytes.Buffer
	must.Do(t, write(&got), name)
	path := filepath.Join("testdata", name)
	if *update {
		must.Do(t, os.WriteFile(path, got.Bytes(), 0o666))
		return
	}
	want := must.Get(os.ReadFile(path))(t)
	if !bytes.Equal(got.Bytes(), want) {
		is, was := strings.Split(got.String(), "\n"), strings.Split(string(want), "\n")
		i := 0
		for i < min(len(is), len(was))-1 && is[i] == was[i] {
			i++
		}
		t.Errorf("%s, line %d, is\n%s\nand was\n%s\nlook at the whole, then `make golden`", name, i+1, is[i], was[i])
	}
}

// standsAlone checks that the page loads nothing, runs nothing, escapes
// what it is given, labels every picture, and closes every element it opens.
func standsAlone(t *testing.T, r *Report) {
	var b bytes.Buffer
	must.Do(t, r.WriteHTML(&b))
	s := b.String()
	words := regexp.MustCompile(`base64,[A-Za-z0-9+/=]+`).ReplaceAllString(s, "") // a picture's bytes may spell anything
	words = strings.Replace(words, "<script>"+pageScript+"</script>", "", 1)
	for _, banned := range []string{"<script", "http://", "https://", "<odd>", "<two>", "NaN", "+Inf", "<no value>", "ZgotmplZ"} {
		if strings.Contains(words, banned) {
			t.Errorf("the page contains %q", banned)
		}
	}
	for _, img := range regexp.MustCompile(`<img[^>]*>`).FindAllString(s, -1) {
		if !strings.Contains(img, `alt="`) || !strings.Contains(img, `src="data:image/png;base64,`) {
			t.Errorf("picture without words or bytes: %.80s", img)
		}
	}
	for _, svg := range regexp.MustCompile(`<svg[^>]*>`).FindAllString(s, -1) {
		if !strings.Contains(svg, `aria-label="`) && !strings.Contains(svg, `aria-hidden="true"`) && !strings.Contains(svg, `class="tip"`) {
			t.Errorf("figure without words: %.80s", svg)
		}
	}
	var open []string
	void := map[string]bool{"meta": true, "img": true, "br": true, "line": true, "!doctype": true}
	for _, m := range regexp.MustCompile(`<(/?)(!?[a-z0-9]+)[^>]*?(/?)>`).FindAllStringSubmatch(s, -1) {
		switch {
		case void[m[2]] || m[3] == "/":
		case m[1] == "":
			open = append(open, m[2])
		case len(open) == 0 || open[len(open)-1] != m[2]:
			t.Fatalf("</%s> closes %v", m[2], open)
		default:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("never closed: %v", open)
	}
}

// TestReconstruct: a bound of zero protects nothing.
func TestReconstruct(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	x := make([]float64, 3*5*7)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	std := make([]float64, len(x))
	got := reconstruct([]int{3, 5, 7}, x, std, rng)
	for i := range x {
		if math.Abs(got[i]-x[i]) > 1e-12 {
			t.Fatalf("pixel %d: %g, want %g", i, got[i], x[i])
		}
	}
	// The transform is orthonormal, so the root mean square of the change is that
	// of the bounds.
	want := 0.0
	for i := range std {
		std[i] = rng.Float64()
		want += std[i] * std[i]
	}
	sum := 0.0
	for i, v := range reconstruct([]int{3, 5, 7}, x, std, rng) {
		sum += (v - x[i]) * (v - x[i])
	}
	if math.Abs(sum-want) > 1e-9 {
		t.Errorf("squared change %g, want %g", sum, want)
	}
}

// TestUnboundedMedian wants a histogram to be drawn alike before and after report.json, where an
// unbounded median is null.
func TestUnboundedMedian(t *testing.T) {
	h := Histogram{Edges: []float64{0, 1}, Counts: []int{0, 5}, Median: Number(math.Inf(1))}
	back := h
	back.Median = Number(math.NaN())
	if h.draw() != back.draw() {
		t.Errorf("%q and %q", h.alternative(), back.alternative())
	}
}
