package audit

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/infer"
	"tattle/internal/must"
	"tattle/internal/reveal/curious"
	"tattle/internal/run"
)

// people is a set of n rows of numbers with a target and two sensitive attributes.
func people(n int) *dataset.Set {
	r := rand.New(rand.NewPCG(3, 1))
	set := &dataset.Set{Name: "people", Shape: []int{6}, YName: "income", YNames: []string{"low", "middle", "high"}}
	a := dataset.Attribute{Name: "sex", Values: []string{"m", "f"}}
	b := dataset.Attribute{Name: "race", Values: []string{"white", "black", "other"}}
	for range n {
		for range 6 {
			set.Values = append(set.Values, float32(r.NormFloat64()))
		}
		set.Y = append(set.Y, r.IntN(3))
		a.Labels = append(a.Labels, r.IntN(2))
		b.Labels = append(b.Labels, r.IntN(3))
	}
	set.Sensitive = []dataset.Attribute{a, b}
	return set
}

// The same model behind each of the three doors gives the same sample to the bit.
func TestThreeDoors(t *testing.T) {
	ctx, set := context.Background(), people(300)
	for _, kind := range []curious.Outputs{curious.Raw, curious.Soft} {
		g := curious.Release(zoo.Table(6, 3, 5), kind)
		want := must.Get(fromModel(ctx, g, "", set))(t)
		if want.Kind != kind || want.Name != "people" || want.Target != "income" || want.Check() != nil {
			t.Errorf("%s outputs: %s %q %q", kind, want.Kind, want.Name, want.Target)
		}
		model := must.Get(infer.NewModel("m", g))(t)
		server := httptest.NewServer(infer.Handler(map[string]*infer.Model{"m": model}, infer.ServerOptions{MaxBatch: 50}))
		defer server.Close()
		client := must.Get(infer.New(server.URL, infer.Options{Model: "m"}))(t)
		got := must.Get(new(Request).ask(ctx, client, set, filepath.Join(t.TempDir(), "kept")))(t)
		if got.Sum() != want.Sum() {
			t.Errorf("%s: the endpoint's sample is not the model's", kind)
		}
		path := filepath.Join(t.TempDir(), "out.npz")
		must.Do(t, want.write(nil, path))
		got = must.Get(OpenOutputs(ctx, path, OpenOptions{}))(t)
		if got.Sum() != want.Sum() {
			t.Errorf("%s: the sample of the file is not the model's", kind)
		}
	}
}

func TestFromModelRefuses(t *testing.T) {
	ctx := context.Background()
	for want, spoil := range map[string]func(*dataset.Set){
		"no examples":             func(s *dataset.Set) { s.Values, s.Y = nil, nil },
		"no sensitive attribute":  func(s *dataset.Set) { s.Sensitive = nil },
		"and there are 3 outputs": func(s *dataset.Set) { s.YNames = append(s.YNames, "more") },
		"not finite":              func(s *dataset.Set) { s.Values[0] = float32(math.NaN()) },
	} {
		set := people(10)
		spoil(set)
		must.Fail(t, must.Err(fromModel(ctx, zoo.Table(6, 3, 5), "", set)), want)
	}
	g := zoo.Table(6, 5, 5)
	g.Metadata = map[string]string{"tattle.classes": `["a","b","c","d","e"]`}
	s, err := fromModel(ctx, g, "", people(10))
	if err != nil || s.Name != "people" || len(s.Classes) != 5 || s.Classes[4] != "output 4" || len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "a, b, c") {
		t.Errorf("%+v, %v", s, err)
	}
}

// remote is an endpoint that gives sums of the inputs and fails at will.
type remote struct {
	calls  atomic.Int64
	fail   int64 // from this call on; 0 never
	width  func(call int64) int
	cancel func()
	mend   float32 // answered in place of infinities, unless 0
}

func (r *remote) PictureShape(context.Context) ([]int, error) { return nil, nil }

func (r *remote) URL() string { return "http://remote/v2/models/m" }

func (r *remote) Infer(ctx context.Context, x []float32, n int) ([]float32, []int, error) {
	call := r.calls.Add(1)
	if r.fail > 0 && call >= r.fail {
		if r.cancel != nil {
			r.cancel()
		}
		return nil, nil, errors.New("it is gone")
	}
	width := 3
	if r.width != nil {
		width = r.width(call)
	}
	y := make([]float32, n*width)
	for i := range n {
		for j := range width {
			y[i*width+j] = x[i*len(x)/n] * float32(j+1)
			if math.IsInf(float64(y[i*width+j]), 0) && r.mend != 0 {
				y[i*width+j] = r.mend
			}
		}
	}
	return y, []int{n, width}, ctx.Err()
}

// An interrupted audit goes on where it was.
func TestFromEndpointResumes(t *testing.T) {
	ctx, set := context.Background(), people(95)
	dir, q := filepath.Join(t.TempDir(), "kept"), &Request{Batch: 10, Resume: true}
	want := must.Get(new(Request).ask(ctx, &remote{}, set, t.TempDir()))(t)
	broken := &remote{fail: 5}
	must.Fail(t, must.Err(q.ask(ctx, broken, set, dir)), "it is gone", "examples ") // a broken endpoint
	inner, cancel := context.WithCancel(ctx)
	if _, err := q.ask(inner, &remote{fail: 2, cancel: cancel}, set, dir); err != context.Canceled {
		t.Fatalf("stopped: %v", err)
	}
	kept, err := filepath.Glob(filepath.Join(dir, "shard-000001."+strings.Repeat("[0-9a-f]", 16)))
	if err != nil || len(kept) != 1 {
		t.Fatalf("batch 1 is kept in %q, %v", kept, err)
	}
	must.Do(t, os.WriteFile(kept[0], []byte("damaged"), 0o600))
	var done []int
	whole := &remote{}
	q.Progress = func(_ string, d, total int) { done = append(done, d*100/total) }
	got := must.Get(q.ask(ctx, whole, set, dir))(t)
	if calls := whole.calls.Load(); calls < 2 || calls > 6 || got.Sum() != want.Sum() {
		t.Errorf("after 5 of 10 batches, one of them damaged since, %d more were asked for", calls)
	}
	if !slices.IsSorted(done) || done[len(done)-1] != 100 || done[0] == 0 {
		t.Errorf("progress %v", done)
	}
	var mismatch *run.MismatchError
	q.Batch = 20
	if _, err := q.ask(ctx, whole, set, dir); !errors.As(err, &mismatch) {
		t.Errorf("other batches: %v", err)
	}
	q.Batch, q.Resume = 10, false
	must.Fail(t, must.Err(q.ask(ctx, whole, set, dir)), "already holds a run") // a folder in use
}

// Outputs that are not finite are not kept: once the server is mended, the audit goes on.
func TestFromEndpointForgetsNaN(t *testing.T) {
	ctx, set := context.Background(), people(30)
	dir, q := filepath.Join(t.TempDir(), "kept"), &Request{Batch: 10, Resume: true}
	first := set.Values[6*10]
	set.Values[6*10] = float32(math.Inf(1)) // of the set's digest, so that it is mended on the way
	_, err := q.ask(ctx, &remote{}, set, dir)
	must.Fail(t, err, "example 10 (from 0): output 0 is +Inf") // an infinite output
	mended := &remote{mend: first}
	if s, err := q.ask(ctx, mended, set, dir); err != nil || s.Len() != 30 || mended.calls.Load() < 1 || mended.calls.Load() > 3 {
		t.Errorf("after the server was mended, %d calls: %v", mended.calls.Load(), err)
	}
}

func TestFromEndpointRefuses(t *testing.T) {
	ctx, set := context.Background(), people(30)
	for want, width := range map[string]func(int64) int{
		"has the model changed": func(call int64) int { return 3 + int(call)/2 },
		"0 outputs of each":     func(int64) int { return 0 },
		"2 outputs":             func(int64) int { return 2 },
	} {
		_, err := (&Request{Batch: 10}).ask(ctx, &remote{width: width}, set, t.TempDir())
		must.Fail(t, err, want, "http://remote")
	}
}
