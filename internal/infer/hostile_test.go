package infer

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestWideAnswers: an answer that is much wider than any model's does not have the
// client set memory aside for all the answers to come.
func TestWideAnswers(t *testing.T) {
	const rows, wide = 64, 10_000
	body := fmt.Sprintf(`{"outputs":[{"name":"y","shape":[%d,%d],"datatype":"UINT8","data":[0%s]}]}`, rows, wide, strings.Repeat(",0", rows*wide-1))
	c, _ := newClient(t, simple(cannedReply{body: body}), Options{})
	n := maxOutputs/wide + 1
	_, _, err := c.Infer(context.Background(), make([]float32, 2*n), n)
	mustErr(t, err, "/infer: 10000 numbers of each of", "more than")
}

// TestFixedBatch: a server that fixes a large batch costs one copy of it, and an absurd
// one nothing.
func TestFixedBatch(t *testing.T) {
	p := &plan{input: Tensor{Name: "x", Datatype: "FP32"}, shape: []int{1}, size: 1, batch: 200_000, fixed: true}
	if n := testing.AllocsPerRun(1, func() { p.request([]float32{1}, 1) }); n > 100 {
		t.Errorf("%v allocations to fill a batch", n)
	}
	if m := p.request([]float32{1, 2}, 2); fmt.Sprint(m.Inputs[0].Shape) != "[200000 1]" || !strings.HasPrefix(string(m.Inputs[0].Data), "[1,2,2,2,") {
		t.Errorf("%v %.20s", m.Inputs[0].Shape, m.Inputs[0].Data)
	}
	for batch, fails := range map[int]bool{1 << 20: false, 1 << 27: true, math.MaxInt: true} {
		_, err := Options{}.plan(&Metadata{Inputs: []Tensor{{Name: "x", Datatype: "FP32", Shape: []int{batch, 1}}}}, 1)
		if (err != nil) != fails {
			t.Errorf("batch %d: %v", batch, err)
		}
	}
}

// TestFP64AsJSON: an FP64 input gets the float32's value, as it does in binary.
func TestFP64AsJSON(t *testing.T) {
	if got := string(appendNumbers(nil, []float32{.1, .5}, "FP64")); got != "[0.10000000149011612,0.5]" {
		t.Error(got)
	}
}

// TestHalfAToken: a token that is quoted up to its half is hidden, too.
func TestHalfAToken(t *testing.T) {
	const token = "s3cret-token"
	for _, reply := range []cannedReply{
		{code: 400, body: strings.Repeat("x", maxText-5) + token},
		{body: strings.Repeat("x", 75) + token},
	} {
		c, _ := newClient(t, simple(reply), Options{Token: token})
		err := ask(c)
		if err == nil || strings.Contains(err.Error(), "s3c") {
			t.Errorf("%v", err)
		}
	}
}
