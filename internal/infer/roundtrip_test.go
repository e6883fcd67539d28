package infer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/must"
)

// served returns a handler of some nets and their outputs at random inputs.
func served(t testing.TB, n int, o ServerOptions) (h inProcess, models map[string]*Model, x, want map[string][]float32) {
	r := rand.New(rand.NewPCG(7, 1))
	models, x, want = map[string]*Model{}, map[string][]float32{}, map[string][]float32{}
	for name, g := range map[string]*nn.Graph{
		"pictures": zoo.Curious(zoo.CuriousOptions{Classes: 5, Side: 16, Widths: [5]int{8, 8, 8, 8, 16}}, 1),
		"table":    zoo.Table(12, 3, 2),
	} {
		m := must.Get(NewModel(name, g))(t)
		net := must.Get(nn.NewNet(g))(t)
		in := make([]float32, n*m.p)
		for i := range in {
			in[i] = float32(r.NormFloat64())
		}
		out := make([]float32, n*m.n)
		net.Forward(out, in)
		models[name], x[name], want[name] = m, in, out
	}
	return inProcess{Handler(models, o)}, models, x, want
}

// TestRoundTrip: what a client gets of our server is what the net gives, to the last bit,
// in JSON and in binary, in whatever batches, one after another and at the same time.
func TestRoundTrip(t *testing.T) {
	const n = 21
	h, models, x, want := served(t, n, ServerOptions{Token: "secret", MaxBatch: 8})
	for name := range want {
		for i, o := range []Options{{}, {}, {Batch: 1}, {Batch: 5}, {Batch: 100}} {
			t.Run(fmt.Sprint(name, i), func(t *testing.T) {
				o.Model, o.Token = name, "secret"
				o.Shape = models[name].graph.InputShape
				c, _ := newClient(t, h, o)
				if i%2 > 0 {
					inJSON(t, c)
				}
				y, shape := must.Get2(c.Infer(context.Background(), x[name], n))(t)
				if !slices.Equal(shape, append([]int{n}, models[name].shape...)) {
					t.Errorf("shape %v", shape)
				}
				if !sameBits(y, want[name]) {
					t.Error("the outputs are not the net's")
				}
			})
		}
	}
	m, err := mustClient(t, h, "table").Metadata(context.Background())
	if err != nil || m.MaxBatch != 8 || len(m.Inputs) != 1 || !slices.Equal(m.Inputs[0].Shape, []int{-1, 12}) {
		t.Errorf("metadata %+v, %v", m, err)
	}
}

// inJSON makes a client forget that the server has binary tensors.
func inJSON(t testing.TB, c *Client) {
	m, err := c.Metadata(context.Background())
	if err != nil {
		t.Error(err)
		return
	}
	m.Extensions = nil
}

func mustClient(t testing.TB, h inProcess, model string) *Client {
	c, _ := newClient(t, h, Options{Model: model, Token: "secret"})
	return c
}

// TestConcurrent has many clients ask a real server at once (with -race: no races).
func TestConcurrent(t *testing.T) {
	h, _, x, want := served(t, 6, ServerOptions{})
	s := httptest.NewServer(h)
	defer s.Close()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			name := []string{"pictures", "table"}[i%2]
			c, err := New(s.URL+"/v2/models/"+name, Options{Batch: 1 + i%3})
			if err != nil {
				t.Error(err)
				return
			}
			if i%4 < 2 {
				inJSON(t, c)
			}
			y, _, err := c.Infer(context.Background(), x[name], 6)
			if err != nil || !sameBits(y, want[name]) {
				t.Error("the outputs are not the net's", err)
			}
		})
	}
	wg.Wait()
}
