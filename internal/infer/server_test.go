package infer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"tattle/internal/engine/nn/zoo"
	"tattle/internal/must"
)

// TestServer asks our server as curl would.
func TestServer(t *testing.T) {
	h, models, x, _ := served(t, 2, ServerOptions{Token: "t", MaxBatch: 2, MaxBody: 1 << 12})
	in, out := models["table"].graph.Input, models["table"].graph.Output
	row := string(appendNumbers(nil, x["table"][:12], "FP32"))
	tensor := func(name, shape, rest string) string {
		return fmt.Sprintf(`{"id":"7","inputs":[{"name":%q,"shape":%s,"datatype":%s}]}`, name, shape, rest)
	}
	fine := tensor(in, "[1,12]", `"FP32","data":`+row)
	for name, c := range map[string]struct {
		method, path, token, body string
		header                    map[string]string
		code                      int
		want                      string
	}{
		"live":              {"GET", "/v2/health/live", "", "", nil, 200, `{"live":true}`},
		"ready":             {"GET", "/v2/health/ready", "", "", nil, 200, `{"ready":true}`},
		"server":            {"GET", "/v2", "t", "", nil, 200, `"extensions":["binary_tensor_data","model_configuration"]`},
		"server, slash":     {"GET", "/v2/", "t", "", nil, 200, `"name":"tattle"`},
		"no token":          {"GET", "/v2", "", "", nil, 401, "bearer token"},
		"wrong token":       {"GET", "/v2/models/table", "u", "", nil, 401, "bearer token"},
		"no token to infer": {"POST", "/v2/models/table/infer", "", fine, nil, 401, "bearer token"},
		"model":             {"GET", "/v2/models/table", "t", "", nil, 200, `"inputs":[{"name":"` + in + `","shape":[-1,12],"datatype":"FP32"}]`},
		"version":           {"GET", "/v2/models/table/versions/1", "t", "", nil, 200, `"versions":["1"]`},
		"model ready":       {"GET", "/v2/models/table/versions/1/ready", "t", "", nil, 200, `"ready":true`},
		"config":            {"GET", "/v2/models/table/config", "t", "", nil, 200, `"max_batch_size":2`},
		"no such model":     {"GET", "/v2/models/nets/ready", "t", "", nil, 404, "no model nets here, only pictures, table"},
		"no such version":   {"POST", "/v2/models/table/versions/2/infer", "t", fine, nil, 404, "no version 2"},
		"no such path":      {"GET", "/v1/models", "t", "", nil, 404, "addresses of the protocol"},
		"no path":           {"GET", "/", "", "", nil, 404, "addresses of the protocol"},
		"GET to infer":      {"GET", "/v2/models/table/infer", "t", "", nil, 405, "POST"},
		"POST to model":     {"POST", "/v2/models/table", "t", "", nil, 405, "only GET"},
		"infer":             {"POST", "/v2/models/table/infer", "t", fine, nil, 200, `{"model_name":"table","model_version":"1","id":"7","outputs":[{"name":"` + out + `","shape":[1,3],"datatype":"FP32","data":[`},
		"infer, version":    {"POST", "/v2/models/table/versions/1/infer", "t", fine, nil, 200, `"shape":[1,3]`},
		"nested":            {"POST", "/v2/models/table/infer", "t", tensor(in, "[1,12]", `"FP64","data":[`+row+`]`), nil, 200, `"shape":[1,3]`},
		"binary output":     {"POST", "/v2/models/table/infer", "t", strings.Replace(fine, "{", `{"parameters":{"binary_data_output":true},`, 1), nil, 200, `"parameters":{"binary_data_size":12}`},
		"of bytes":          {"POST", "/v2/models/table/infer", "t", tensor(in, "[1,12]", `"UINT8"`) + "abcdefghijkl", map[string]string{headerLength: fmt.Sprint(len(tensor(in, "[1,12]", `"UINT8"`)))}, 200, `"shape":[1,3]`},
		"no JSON":           {"POST", "/v2/models/table/infer", "t", "x", nil, 400, "the request has no JSON"},
		"broken JSON":       {"POST", "/v2/models/table/infer", "t", "{", nil, 400, "cannot be read"},
		"raw binary":        {"POST", "/v2/models/table/infer", "t", "\x00\x00\x80\x3f", map[string]string{"Content-Type": "application/octet-stream"}, 400, "the header " + headerLength + " must have"},
		"raw binary, 0":     {"POST", "/v2/models/table/infer", "t", "\x00\x00\x80\x3f", map[string]string{"Content-Type": "application/octet-stream", headerLength: "0"}, 400, "must begin with the name, shape and datatype"},
		"no inputs":         {"POST", "/v2/models/table/infer", "t", "{}", nil, 400, "there are 0 inputs"},
		"null input":        {"POST", "/v2/models/table/infer", "t", `{"inputs":[null]}`, nil, 400, "is not the model's"},
		"other input":       {"POST", "/v2/models/table/infer", "t", tensor("z\\n", "[1,12]", `"FP32","data":`+row), nil, 400, "is not the model's, " + in},
		"other shape":       {"POST", "/v2/models/table/infer", "t", tensor(in, "[1,11]", `"FP32","data":`+row), nil, 400, "has shape [1 11], but the model takes [-1 12]"},
		"no batch":          {"POST", "/v2/models/table/infer", "t", tensor(in, "[12]", `"FP32","data":`+row), nil, 400, "has shape [12]"},
		"empty batch":       {"POST", "/v2/models/table/infer", "t", tensor(in, "[0,12]", `"FP32","data":[]`), nil, 400, "a batch of 0 examples: it must be from 1 to 2"},
		"large batch":       {"POST", "/v2/models/table/infer", "t", tensor(in, "[3,12]", `"FP32","data":[]`), nil, 400, "a batch of 3 examples"},
		"few numbers":       {"POST", "/v2/models/table/infer", "t", tensor(in, "[2,12]", `"FP32","data":`+row), nil, 400, "has 24 numbers"},
		"text":              {"POST", "/v2/models/table/infer", "t", tensor(in, "[1,12]", `"BYTES","data":`+row), nil, 400, "datatype BYTES"},
		"other output":      {"POST", "/v2/models/table/infer", "t", strings.Replace(fine, "{", `{"outputs":[{"name":"q"}],`, 1), nil, 400, "output q is not the model's"},
		"too long":          {"POST", "/v2/models/table/infer", "t", fine + strings.Repeat(" ", 1<<12), nil, 413, "longer than 4096 bytes"},
		"from a web page":   {"POST", "/v2/models/table/infer", "t", fine, map[string]string{"Content-Type": "text/plain"}, 415, "must be application/json"},
		"no kind":           {"POST", "/v2/models/table/infer", "t", fine, map[string]string{"Content-Type": ""}, 415, "must be application/json"},
		"charset":           {"POST", "/v2/models/table/infer", "t", fine, map[string]string{"Content-Type": "application/json; charset=utf-8"}, 200, `"shape":[1,3]`},
		"INT8 300":          {"POST", "/v2/models/table/infer", "t", tensor(in, "[1,12]", `"INT8","data":[300,0,0,0,0,0,0,0,0,0,0,0]`), nil, 400, "number 0 is 300, which is not a value of INT8"},
		"BOOL 2":            {"POST", "/v2/models/table/infer", "t", tensor(in, "[1,12]", `"BOOL","data":[true,2,0,0,0,0,0,0,0,0,0,0]`), nil, 400, "number 1 is 2, which is not a value of BOOL"},
		"FP32 1e999":        {"POST", "/v2/models/table/infer", "t", tensor(in, "[1,12]", `"FP32","data":[1e999,0,0,0,0,0,0,0,0,0,0,0]`), nil, 400, "1e999 is out of the range"},
		"compressed":        {"POST", "/v2/models/table/infer", "t", fine, map[string]string{"Content-Encoding": "gzip"}, 415, "compressed"},
	} {
		t.Run(name, func(t *testing.T) {
			r := must.Get(http.NewRequest(c.method, "http://h"+c.path, strings.NewReader(c.body)))(t)
			if c.token != "" {
				r.Header.Set("Authorization", "Bearer "+c.token)
			}
			r.Header.Set("Content-Type", "application/json")
			for k, v := range c.header {
				r.Header.Set(k, v)
			}
			w := must.Get(h.RoundTrip(r))(t)
			body, err := io.ReadAll(w.Body)
			if err != nil || w.StatusCode != c.code || !strings.Contains(string(body), c.want) {
				t.Errorf("status %d: %s, want %d: %s", w.StatusCode, body, c.code, c.want)
			}
			var said struct{ Error string }
			if c.code >= 400 && (json.Unmarshal(body, &said) != nil || said.Error == "" || strings.ContainsAny(said.Error, "\n\x1b")) {
				t.Errorf("the error is %q", body)
			}
		})
	}
}

// TestBusyServer: beyond DefaultMaxActive inferences the answer is 503, which a client waits out.
func TestBusyServer(t *testing.T) {
	m := must.Get(NewModel("m", zoo.Table(2, 2, 1)))(t)
	s := newServer(map[string]*Model{"m": m}, ServerOptions{})
	for range DefaultMaxActive {
		s.active <- struct{}{}
	}
	first, _ := newClient(t, s.routes(), Options{Retries: -1})
	mustErr(t, ask(first), "status 503 (Service Unavailable): 32 inferences are running already")
	c, f := newClient(t, s.routes(), Options{})
	wait := c.pace.sleep
	c.pace.sleep = func(ctx context.Context, d time.Duration) error {
		if d > 0 {
			<-s.active
		}
		return wait(ctx, d)
	}
	if err := ask(c); err != nil || len(f.sleeps) != 1 || f.sleeps[0] != time.Second {
		t.Errorf("after %v: %v", f.sleeps, err)
	}
	if len(s.active) != DefaultMaxActive-1 || len(m.nets) != cap(m.nets) {
		t.Error("a place was not given back")
	}
}

// TestStalledBodies: requests whose bodies do not arrive take no place of those that are
// answered.
func TestStalledBodies(t *testing.T) {
	m := must.Get(NewModel("m", zoo.Table(2, 2, 1)))(t)
	s := newServer(map[string]*Model{"m": m}, ServerOptions{})
	var stalled sync.WaitGroup
	var bodies []*io.PipeWriter
	for range DefaultMaxActive + 8 {
		body, end := io.Pipe()
		bodies = append(bodies, end)
		r := httptest.NewRequest(http.MethodPost, "/v2/models/m/infer", body)
		r.Header.Set("Content-Type", "application/json")
		stalled.Go(func() { s.routes().ServeHTTP(httptest.NewRecorder(), r) })
	}
	for _, end := range bodies {
		if _, err := io.WriteString(end, " "); err != nil { // returns once it is read
			t.Fatal(err)
		}
	}
	c, _ := newClient(t, s.routes(), Options{Retries: -1})
	must.Do(t, ask(c))
	for _, end := range bodies {
		end.Close()
	}
	stalled.Wait()
	if len(s.reading)+len(s.active) != 0 {
		t.Errorf("%d places are not given back", len(s.reading)+len(s.active))
	}
}

// TestGivenUp: who waits for a net in vain leaves nothing behind.
func TestGivenUp(t *testing.T) {
	m := must.Get(NewModel("m", zoo.Table(2, 2, 1)))(t)
	for range cap(m.nets) {
		<-m.nets
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Forward(ctx, []float32{1, 2}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestBadGraph(t *testing.T) {
	g := zoo.Table(2, 2, 1)
	g.Output = "nowhere"
	must.Fail(t, must.Err(NewModel("m", g))) // a graph without its output
}
