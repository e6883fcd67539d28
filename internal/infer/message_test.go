package infer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
)

// TestDatatypes: what a datatype takes comes back, in binary and in JSON.
func TestDatatypes(t *testing.T) {
	values := []float32{0, 1, -1, 2, 255, -128, 256, 65504, 1e6, 1 << 24, -1 << 31, 1 << 32, .5, -2.25, maxInt64, maxUint64}
	for name, d := range datatypes {
		var v []float32
		for _, f := range values {
			if d.takes(f) && (name != "BF16" || math.Float32bits(f)&0xFFFF == 0) {
				v = append(v, f)
			}
		}
		if len(v) < 2 || d.whole != (d.takes(.5) == false) {
			t.Errorf("%s takes %v", name, v)
		}
		for _, binary := range []bool{true, false} {
			in := &tensor{Name: "x", Datatype: name, Shape: Sizes{len(v)}}
			in.set(v, binary)
			body, header := must.Get2((&message{Inputs: tensors{in}}).encode())(t)
			if !binary && d.whole && name != "BOOL" && strings.ContainsAny(string(in.Data), "e.") {
				t.Errorf("%s as %s", name, in.Data)
			}
			m := must.Get(decode(body, map[bool]string{true: fmt.Sprint(header)}[binary]))(t)
			if got, err := m.Inputs[0].values(); err != nil || !sameBits(got, v) {
				t.Errorf("%s, binary %v: %v came back as %v, %v", name, binary, v, got, err)
			}
		}
		for _, f := range []float32{float32(math.NaN()), float32(math.Inf(1))} {
			if d.takes(f) {
				t.Errorf("%s takes %v", name, f)
			}
		}
	}
}

// TestNumbersKeepTheirBits: JSON holds every float32.
func TestNumbersKeepTheirBits(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	v := []float32{0, float32(math.Copysign(0, -1)), math.MaxFloat32, math.SmallestNonzeroFloat32, 1e-5, 16777216}
	for len(v) < 20000 {
		if f := math.Float32frombits(r.Uint32()); f-f == 0 {
			v = append(v, f)
		}
	}
	text := appendNumbers(nil, v, "FP32")
	if !json.Valid(text) {
		t.Fatal("no JSON")
	}
	got, err := readNumbers(text, []int{len(v)}, len(v))
	if err != nil || !sameBits(got, v) {
		t.Fatalf("the numbers came back otherwise: %v", err)
	}
}

func TestNested(t *testing.T) {
	for text, want := range map[string]string{
		`[[[1,2],[3,4]],[[5,6],[7,8]]]`:                          "[1 2 3 4 5 6 7 8]",
		`[[1,2,3,4],[5,6,7,8]]`:                                  "[1 2 3 4 5 6 7 8]",
		` [ 1 , 2,3,4,5, 6,7 ,8 ] `:                              "[1 2 3 4 5 6 7 8]",
		`[1,null,"NaN",true,false,"Infinity","-Infinity","inf"]`: "[1 NaN NaN 1 0 +Inf -Inf +Inf]",
		`[[[1,2],[3]],[[4,5],[6,7,8]]]`:                          "an inner array has 1 numbers where shape [2 2 2] has 2",
		`[1,[2,3],4,5,6,7,8]`:                                    "",
		`[1,2,[3,4],5,6,7,8]`:                                    "",
		`[]`:                                                     "shape [2 2 2] has 8 numbers, more than there are",
		`[1,2,3,4,5,6,7,8,9]`:                                    "there are more numbers",
		`["1",2,3,4,5,6,7,8]`:                                    `"1" is not a number`,
		`[{"a":1},2,3,4,5,6,7,8]`:                                `{"a":1} is not a number`,
		`[[[[1,2,3,4,5,6,7,8]]]]`:                                "nested deeper",
	} {
		v, err := readNumbers([]byte(text), []int{2, 2, 2}, 8)
		got := fmt.Sprint(v)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestQuoteSpecials(t *testing.T) {
	text, want := `{"NaN":[NaN,-Infinity,Infinity,-1],"a\"NaN":"Infinity"}`, `{"NaN":["NaN","-Infinity","Infinity",-1],"a\"NaN":"Infinity"}`
	if got := string(quoteSpecials([]byte(text))); got != want {
		t.Errorf("%s became %s, want %s", text, got, want)
	}
}

// TestHostileBodies: a body costs a few times its bytes, whatever it claims.
func TestHostileBodies(t *testing.T) {
	const bytes = 1 << 20
	for name, body := range map[string]string{
		"tensors": `{"outputs":[` + strings.Repeat("{},", bytes/3) + `{}]}`,
		"lists":   `{"outputs":` + strings.Repeat("[", bytes),
		"shape":   `{"outputs":[{"shape":[` + strings.Repeat("1,", bytes/2) + `1]}]}`,
		"nested":  `{"outputs":[{"datatype":"FP32","shape":[1],"data":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}]}`,
		"claims":  `{"outputs":[{"datatype":"FP32","shape":[1000000000],"data":[1]}]}`,
		"empty":   `{"outputs":[{"datatype":"FP32","shape":[0,1000000000],"data":[]}]}`,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m, err := decode([]byte(body), "")
		if err == nil {
			_, err = m.Outputs[0].values()
		}
		runtime.ReadMemStats(&after)
		if err == nil && name != "empty" {
			t.Errorf("%s: no error", name)
		}
		if cost := after.TotalAlloc - before.TotalAlloc; cost > 16*bytes {
			t.Errorf("%s: %d bytes for %d", name, cost, len(body))
		}
	}
}

// FuzzAnswer: no reply panics the client, costs more than a few times its bytes, or
// makes an error that does not print on one line; what is read has the shape asked for.
func FuzzAnswer(f *testing.F) {
	for _, r := range recorded {
		for _, reply := range r.replies {
			f.Add([]byte(reply.body), reply.header[headerLength])
		}
		f.Add([]byte(r.model), "")
	}
	f.Add([]byte(`{"outputs":[{"name":"y","shape":[2,1],"datatype":"FP32","data":[[1],[2]]}]}`), "")
	f.Add([]byte(`{"outputs":[{"name":"y","shape":[2,1],"datatype":"BOOL"}]}ab`), "58")
	f.Fuzz(func(t *testing.T, body []byte, header string) {
		reply := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}}
		if header != "" {
			reply.Header.Set(headerLength, header)
		}
		for _, p := range []*plan{
			{output: "y", size: 1, batch: 2},
			{size: 1, batch: 2, fixed: true},
			{size: 1, batch: 1, alone: true},
		} {
			m, err := decode(body, reply.Header.Get(headerLength))
			if err == nil {
				b := p.batch
				var y []float32
				var rest []int
				if y, rest, err = p.outputs(m, b); err == nil && len(y) != b*nn.Size(rest) {
					t.Fatalf("%d numbers of shape %v for %d examples", len(y), rest, b)
				}
			}
			if err != nil && strings.ContainsAny(oneLine(err.Error()), "\n\r\x1b") {
				t.Fatalf("%q", err)
			}
		}
		var m Metadata
		if unmarshal(body, &m) == nil {
			if p, err := (Options{}).plan(&m, 12); err == nil && !p.alone && p.batch*12 > maxRequest {
				t.Fatalf("a plan of %+v", p)
			}
		}
	})
}

// FuzzRequest: no request panics the server or is answered with an error of its own.
func FuzzRequest(f *testing.F) {
	h, _, _, _ := served(f, 1, ServerOptions{MaxBatch: 4, MaxBody: 1 << 16})
	f.Add([]byte(`{"inputs":[{"name":"x","shape":[1,12],"datatype":"FP32","data":[1,2,3,4,5,6,7,8,9,10,11,12]}]}`), "")
	f.Add([]byte(`{"inputs":[{"name":"x","shape":[1,12],"datatype":"UINT8"}],"parameters":{"binary_data_output":true}}123456789012`), "100")
	f.Fuzz(func(t *testing.T, body []byte, header string) {
		r := must.Get(http.NewRequest(http.MethodPost, "http://h/v2/models/table/infer", strings.NewReader(string(body))))(t)
		r.Header.Set("Content-Type", "application/json")
		if header != "" {
			r.Header[headerLength] = []string{header}
		}
		w := must.Get(h.RoundTrip(r))(t)
		if text, err := io.ReadAll(w.Body); err != nil || w.StatusCode != http.StatusOK && w.StatusCode/100 != 4 {
			t.Fatal(errors.Join(err, fmt.Errorf("status %d: %s", w.StatusCode, text)))
		}
	})
}
