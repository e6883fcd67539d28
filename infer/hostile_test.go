package infer

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
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
	p := &plan{input: Tensor{Name: "x", Datatype: "FP32"}, shape: []int64{1}, size: 1, batch: 200_000, fixed: true}
	if n := testing.AllocsPerRun(1, func() { p.request([]float32{1}, 1) }); n > 100 {
		t.Errorf("%v allocations to fill a batch", n)
	}
	if m := p.request([]float32{1, 2}, 2); fmt.Sprint(m.Inputs[0].Shape) != "[200000 1]" || !strings.HasPrefix(string(m.Inputs[0].Data), "[1,2,2,2,") {
		t.Errorf("%v %.20s", m.Inputs[0].Shape, m.Inputs[0].Data)
	}
	for batch, fails := range map[int64]bool{1 << 20: false, 1 << 27: true, math.MaxInt64: true} {
		_, err := Options{}.plan(&Metadata{Inputs: []Tensor{{Name: "x", Datatype: "FP32", Shape: []int64{batch, 1}}}}, 1)
		if (err != nil) != fails {
			t.Errorf("batch %d: %v", batch, err)
		}
	}
}

// TestMixedNesting: numbers lie all flat or all as deep as the others.
func TestMixedNesting(t *testing.T) {
	for data, fits := range map[string]bool{
		"[1,2,3,4]": true, "[[1,2],[3,4]]": true, "[1,[2,3],4]": false, "[[1,2],3,4]": false, "[1,2,[3,4]]": false,
	} {
		if _, err := readNumbers([]byte(data), []int64{2, 2}, 4); (err == nil) != fits {
			t.Errorf("%s: %v", data, err)
		}
	}
}

// TestFP64AsJSON: an FP64 input gets the float32's value, as it does in binary.
func TestFP64AsJSON(t *testing.T) {
	if got := string(appendNumbers(nil, []float32{.1, .5}, "FP64")); got != "[0.10000000149011612,0.5]" {
		t.Error(got)
	}
}

// TestSecretsInBadAddresses: an address that cannot be used is quoted without what may be
// secret in it.
func TestSecretsInBadAddresses(t *testing.T) {
	for _, text := range []string{
		"me:hunter2@models.example:8000/v2", "//me:hunter2@models.example", "models.example:80/v2/models/m?key=hunter2", "ftp://me:hunter2@h/#hunter2",
		"http://h?key=hunter2", "http:me:hunter2@h", "http://h/v2#hunter2",
	} {
		if _, err := New(text, Options{Model: "m"}); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", text, err)
		}
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

// endless is a body that counts what is read of it.
type endless int

func (e *endless) Read(b []byte) (int, error) {
	if *e += endless(len(b)); *e > 1<<20 {
		return 0, io.EOF
	}
	return len(b), nil
}

// TestBoundedRead: no more is read of an answer than its limit and what shows that there
// is more.
func TestBoundedRead(t *testing.T) {
	var body endless
	_, err := readAll(&http.Response{ContentLength: -1, Body: io.NopCloser(&body)}, 1000)
	if mustErr(t, err, "longer than 1000 bytes"); body > 1001 {
		t.Errorf("%d bytes were read", body)
	}
}

// TestOddNumbers: whatever float32s come, the server answers and does not panic.
func TestOddNumbers(t *testing.T) {
	_, models, x, _ := served(t, 2, ServerOptions{})
	for name, m := range models {
		for _, odd := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32, math.SmallestNonzeroFloat32} {
			in := append([]float32(nil), x[name][:m.p]...)
			in[0], in[len(in)-1] = odd, odd
			if y, err := m.Forward(context.Background(), in); err != nil || len(y) != m.n {
				t.Errorf("%s at %v: %d outputs, %v", name, odd, len(y), err)
			}
		}
	}
}
