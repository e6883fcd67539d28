package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/guard"
	"tattle/internal/guard/ledger"
	"tattle/internal/infer"
	"tattle/internal/must"
	"tattle/internal/shared"
)

// front is a net of four inputs and three features.
func front() *nn.Graph { return zoo.Table(4, 3, 1) }

var small = guard.Lattice{Delta: 1. / 64, Sigma: 1, Clip: 64, Dim: 3}

// serving starts a server of the front; change sets what of the options is not the default.
func serving(t testing.TB, b ledger.Budget, change func(*Options)) (*Server, *httptest.Server) {
	t.Helper()
	l := must.Get(ledger.Open(t.TempDir(), ledger.Options{Budget: b}))(t)
	o := Options{Front: front(), Lattice: small, Mechanism: "test", Ledger: l, MaxBatch: 8}
	if change != nil {
		change(&o)
	}
	s := must.Get(New(o))(t)
	h := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		h.Close()
		s.Close()
		l.Close()
	})
	return s, h
}

// body returns a request with an input.
func body(x ...float32) string {
	data, _ := json.Marshal(x)
	return fmt.Sprintf(`{"inputs":[{"name":"%s","shape":[%d,4],"datatype":"FP32","data":%s}]}`, front().Input, len(x)/4, data)
}

// answer is the JSON of an answer.
type answer struct {
	Error   string
	Outputs []struct {
		Name, Datatype string
		Shape          []int
		Data           []float64
		Parameters     struct{ Scale float64 }
	}
	Used, Budget, Asked int
	Retry               int `json:"retry_after_seconds"`
	Period              int `json:"period_seconds"`
}

// post sends a request about a subject.
func post(t testing.TB, url, subject, text string) (*http.Response, answer) {
	t.Helper()
	r := must.Get(http.NewRequest(http.MethodPost, url+"/v2/models/guard/infer", strings.NewReader(text)))(t)
	r.Header.Set("Content-Type", "application/json")
	if subject != "" {
		r.Header.Set(infer.SubjectHeader, subject)
	}
	w := must.Get(http.DefaultClient.Do(r))(t)
	defer w.Body.Close()
	b := must.Get(io.ReadAll(w.Body))(t)
	var a answer
	if err := json.Unmarshal(b, &a); err != nil {
		t.Fatalf("%s: %s", w.Status, b)
	}
	return w, a
}

func mustPost(t testing.TB, url, subject, text string) []float64 {
	t.Helper()
	w, a := post(t, url, subject, text)
	if w.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", w.Status, a.Error)
	}
	return a.Outputs[0].Data
}

func TestSameInputSameRelease(t *testing.T) {
	const period = 1 << 20 * time.Hour // no test sees it end
	_, h := serving(t, ledger.Budget{Releases: 4, Period: period}, nil)
	first := mustPost(t, h.URL, "ann", body(1, 2, 3, 4))
	if again := mustPost(t, h.URL, "ann", body(1, 2, 3, 4, 1, 2, 3, 4)); !slices.Equal(slices.Concat(first, first), again) {
		t.Fatalf("%v, then %v", first, again)
	}
	for _, v := range first {
		if v*64 != math.Trunc(v*64) {
			t.Errorf("%v is no multiple of 1/64", v)
		}
	}
	if other := mustPost(t, h.URL, "bob", body(1, 2, 3, 4)); slices.Equal(first, other) {
		t.Error("two subjects have the same noise")
	}
	mustPost(t, h.URL, "ann", body(5, 6, 7, 8))
	mustPost(t, h.URL, "ann", body(5, 6, 7, 8))
	for _, text := range []string{body(1, 1, 1, 1), body(1, 2, 3, 4)} { // new and stored
		w, a := post(t, h.URL, "ann", text)
		if w.StatusCode != 429 || w.Header.Get("Retry-After") != fmt.Sprint(a.Retry) || a.Retry < 1 || a.Used != 4 || a.Asked != 1 || a.Budget != 4 || a.Period != int(period/time.Second) ||
			a.Error != "the budget of this subject is 4 releases in each period of "+period.String()+": 4 are used, and the request asks for 1" {
			t.Errorf("%s, Retry-After %s: %+v", w.Status, w.Header.Get("Retry-After"), a)
		}
	}
	w, a := post(t, h.URL, "ann", body(9, 1, 1, 1, 9, 2, 2, 2, 9, 3, 3, 3, 9, 4, 4, 4, 9, 5, 5, 5)) // never fits
	if w.StatusCode != 429 || w.Header.Get("Retry-After") != "" || a.Asked != 5 {
		t.Errorf("%s, Retry-After %s: %+v", w.Status, w.Header.Get("Retry-After"), a)
	}
}

// TestOutputs: both outputs are the same release.
func TestOutputs(t *testing.T) {
	_, h := serving(t, ledger.Budget{Releases: 10}, nil)
	both := strings.Replace(body(1, 2, 3, 4, 5, 6, 7, 8), "{", `{"parameters":{"subject":"ann"},"outputs":[{"name":"release"},{"name":"features"}],`, 1)
	w, a := post(t, h.URL, "", both)
	if w.StatusCode != 200 || len(a.Outputs) != 2 {
		t.Fatalf("%s: %+v", w.Status, a)
	}
	r, f := a.Outputs[0], a.Outputs[1]
	if r.Name != "release" || r.Datatype != "INT64" || r.Parameters.Scale != 1./64 || f.Name != "features" || f.Datatype != "FP32" || !slices.Equal(r.Shape, []int{2, 3}) {
		t.Errorf("%+v", a)
	}
	for i := range f.Data {
		if r.Data[i]/64 != f.Data[i] {
			t.Errorf("%v is not %v/64", f.Data[i], r.Data[i])
		}
	}
	if w, _ := post(t, h.URL, "bob", both); w.StatusCode != 400 {
		t.Errorf("two subjects: %s", w.Status)
	}
	if again := mustPost(t, h.URL, "ann", body(5, 6, 7, 8)); !slices.Equal(again, f.Data[3:]) {
		t.Errorf("%v, then %v", f.Data[3:], again)
	}
}

// TestNoise: what leaves is the features and noise of standard deviation σ. Mean and variance of
// 3,000 numbers within seven standard deviations: a false alarm has a probability of 1e-11.
func TestNoise(t *testing.T) {
	shared.Long(t, "the noise of 3,000 numbers")
	_, h := serving(t, ledger.Budget{Releases: 1000}, nil)
	net := must.Get(nn.NewNet(front()))(t)
	x, want := []float32{1, -1, .5, 0}, make([]float32, 3)
	net.Forward(want, x)
	var sum, squares float64
	const draws = 400
	for i := range draws {
		for j, v := range mustPost(t, h.URL, fmt.Sprint(i), body(x...)) {
			z := v - float64(want[j])
			sum, squares = sum+z, squares+z*z
		}
	}
	const n = 3 * draws
	if mean := sum / n; math.Abs(mean) > 7/math.Sqrt(n)+1./128 {
		t.Errorf("mean of the noise %v", mean)
	}
	if v := squares / n; math.Abs(v-1) > 7*math.Sqrt(2./n)+.01 {
		t.Errorf("variance of the noise %v", v)
	}
}

func TestBadRequests(t *testing.T) {
	_, h := serving(t, ledger.Budget{Releases: 10}, nil)
	fine := body(1, 2, 3, 4)
	for name, c := range map[string]struct {
		subject, text string
		status        int
		words         string
	}{
		"no subject":   {"", fine, 400, "no subject"},
		"long subject": {strings.Repeat("a", 1025), fine, 400, "longer than 1024 bytes"},
		"batch":        {"a", body(make([]float32, 36)...), 400, "a batch of 9 examples: it must be from 1 to 8"},
		"NaN":          {"a", strings.Replace(fine, ",3,", `,"NaN",`, 1), 400, "number 2 of input 0 is NaN"},
		"bare NaN":     {"a", strings.Replace(fine, ",3,", `,NaN,`, 1), 400, "number 2 of input 0 is NaN"},
		"infinity":     {"a", strings.Replace(fine, ",3,", `,"-Infinity",`, 1), 400, "is -Inf: it must be finite"},
		"null":         {"a", strings.Replace(fine, ",3,", `,null,`, 1), 400, "is NaN: it must be finite"},
		"the features": {"a", strings.Replace(fine, "{", `{"outputs":[{"name":"x"}],`, 1), 400, "output x is not the model's, features, release"},
		"twice":        {"a", strings.Replace(fine, "{", `{"outputs":[{"name":"release"},{"name":"features"},{"name":"release"}],`, 1), 400, "output release is named twice"},
		"long":         {"a", fine + strings.Repeat(" ", 1<<17), 413, "longer than"},
	} {
		w, a := post(t, h.URL, c.subject, c.text)
		if w.StatusCode != c.status || !strings.Contains(a.Error, c.words) || len(a.Outputs) > 0 {
			t.Errorf("%s: %s: %q, want %d, %q", name, w.Status, a.Error, c.status, c.words)
		}
	}
	w, err := http.Post(h.URL+"/v2/models/other/infer", "application/json", strings.NewReader(fine))
	if err != nil || w.StatusCode != 404 {
		t.Errorf("another model: %v, %v", w.Status, err)
	}
	if data := mustPost(t, h.URL, "a", fine); len(data) != 3 {
		t.Error(data)
	}
}

func get(t testing.TB, url, token string) (int, string) {
	t.Helper()
	r := must.Get(http.NewRequest(http.MethodGet, url, nil))(t)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	w := must.Get(http.DefaultClient.Do(r))(t)
	defer w.Body.Close()
	b := must.Get(io.ReadAll(w.Body))(t)
	return w.StatusCode, string(b)
}

func TestMetricsAndToken(t *testing.T) {
	s, h := serving(t, ledger.Budget{Releases: 1}, func(o *Options) { o.Token = "sesame" })
	for path, status := range map[string]int{"/metrics": 401, "/v2": 401, "/v2/models/guard": 401, "/v2/health/live": 200, "/v2/health/ready": 200, "/": 404} {
		if got, said := get(t, h.URL+path, ""); got != status || strings.Contains(said, "tattle_guard") {
			t.Errorf("%s: %d, want %d", path, got, status)
		}
	}
	if w, _ := post(t, h.URL, "ann", body(1, 2, 3, 4)); w.StatusCode != 401 {
		t.Error(w.Status)
	}
	client := must.Get(infer.New(h.URL, infer.Options{Model: "guard", Token: "sesame", Output: featuresOutput, Retries: -1}))(t)
	must.Fail(t, must.Err2(client.Infer(context.Background(), []float32{1, 2, 3, 4}, 1)), "no subject")
	if code, said := get(t, h.URL+"/metrics", "sesame"); code != 200 || !strings.Contains(said, "# TYPE tattle_guard_requests_total counter\n") {
		t.Error(code, said)
	}
	if s.metrics.statuses[1].sum == 0 && s.metrics.statuses[len(statuses)-1].sum == 0 && s.metrics.buckets[0].sum == 0 {
		t.Error("no noise")
	}
}

// TestSubjects: a request names one subject, so that a header of the client beside that of a gateway
// is refused.
func TestSubjects(t *testing.T) {
	_, h := serving(t, ledger.Budget{Releases: 10}, nil)
	named := strings.Replace(body(1, 2, 3, 4), "{", `{"parameters":{"subject":"ann"},`, 1)
	for _, c := range []struct {
		headers []string
		text    string
		status  int
	}{{[]string{"ann"}, named, 200}, {nil, named, 200}, {[]string{""}, named, 200}, {[]string{"bob"}, named, 400}, {[]string{"eve", "ann"}, named, 400}, {[]string{"ann", "ann"}, body(1, 2, 3, 4), 400}} {
		r := must.Get(http.NewRequest(http.MethodPost, h.URL+"/v2/models/guard/infer", strings.NewReader(c.text)))(t)
		r.Header.Set("Content-Type", "application/json")
		r.Header[infer.SubjectHeader] = c.headers
		w := must.Get(http.DefaultClient.Do(r))(t)
		w.Body.Close()
		if w.StatusCode != c.status {
			t.Errorf("headers %q: %s, want %d", c.headers, w.Status, c.status)
		}
	}
}

// TestNotReady: a server without noise releases nothing, and says that it is not ready.
func TestNotReady(t *testing.T) {
	s, h := serving(t, ledger.Budget{Releases: 10}, nil)
	if status, said := get(t, h.URL+"/v2/health/ready", ""); status != 200 {
		t.Errorf("ready: %d %s", status, said)
	}
	s.mechanism.Close()
	if w, a := post(t, h.URL, "ann", body(1, 2, 3, 4)); w.StatusCode != 503 || len(a.Outputs) > 0 {
		t.Errorf("%s: %+v", w.Status, a)
	}
	if status, said := get(t, h.URL+"/v2/health/ready", ""); status != 503 || !strings.Contains(said, `"ready":false`) {
		t.Errorf("ready: %d %s", status, said)
	}
}

// TestCounts: /metrics has requests by status and time, with noise that is drawn once for those of a
// period; a count never falls, and every line is there before there is a request.
func TestCounts(t *testing.T) {
	m := must.Get(newMetrics())(t)
	names := func(text string) (all []string) {
		for line := range strings.Lines(text) {
			name, _, _ := strings.Cut(line, "} ")
			all = append(all, name)
		}
		return all
	}
	now := time.Unix(1e9, 0)
	first := m.text(now)
	m.answered(429, .003)
	for range 1000 {
		m.answered(200, .003)
	}
	if again := m.text(now.Add(countPeriod - 1)); again != first {
		t.Errorf("%s\nbecame, within a period,\n%s", first, again)
	}
	last := m.text(now.Add(countPeriod))
	for i := range names(first)[:9] {
		if names(first)[i] != names(last)[i] {
			t.Errorf("%s became %s", names(first)[i], names(last)[i])
		}
	}
	if ok, slow := m.statuses[0], m.buckets[3]; math.Abs(float64(ok.published-1000)) > 200 || ok.published != max(0, ok.sum) || math.Abs(float64(slow.sum-1001)) > 200 {
		t.Errorf("1000 requests are counted as %+v, %+v", ok, slow) // noise of 14: 200 never happens
	}
	was := m.statuses[0].published
	for i := range 20 {
		m.text(now.Add(time.Duration(i+2) * countPeriod))
		if is := m.statuses[0].published; is < was {
			t.Fatalf("%d fell to %d", was, is)
		} else {
			was = is
		}
	}
}

func TestUpstream(t *testing.T) {
	head := zoo.Table(3, 2, 5)
	model := must.Get(infer.NewModel("head", head))(t)
	up := httptest.NewServer(infer.Handler(map[string]*infer.Model{"head": model}, infer.ServerOptions{Token: "up"}))
	defer up.Close()
	client := must.Get(infer.New(up.URL, infer.Options{Model: "head", Token: "up", Retries: -1}))(t)
	s, h := serving(t, ledger.Budget{Releases: 4}, func(o *Options) { o.Upstream = client })
	logits := mustPost(t, h.URL, "ann", body(1, 2, 3, 4))
	subject := s.o.Ledger.Subject("ann")
	stored, _, err := s.o.Ledger.Debit(context.Background(), subject, []ledger.Input{s.o.Ledger.Input(subject, "test", []float32{1, 2, 3, 4})}, [][]int64{{0, 0, 0}})
	if err != nil || stored[0] == nil {
		t.Fatal(stored, err)
	}
	net := must.Get(nn.NewNet(head))(t)
	values, want := make([]float32, 3), make([]float32, 2)
	small.Values(values, stored[0])
	net.Forward(want, values)
	for i, v := range want {
		if float64(v) != logits[i] && float32(logits[i]) != v {
			t.Errorf("the upstream answers %v to the release, the client got %v", want, logits)
		}
	}
	if _, said := get(t, h.URL+"/v2/models/guard", ""); !strings.Contains(said, `"outputs":[{"name":"`+head.Output+`"`) {
		t.Error(said)
	}
	up.Close()
	w, a := post(t, h.URL, "ann", body(5, 2, 3, 4))
	if w.StatusCode != 502 || !strings.Contains(a.Error, "the request is debited") {
		t.Errorf("%s %s", w.Status, a.Error)
	}
	if w, _ := post(t, h.URL, "ann", body(5, 2, 3, 4)); w.StatusCode != 502 {
		t.Error(w.Status)
	}
}

func TestNewRefuses(t *testing.T) {
	bad := small
	bad.Dim = 4
	must.Fail(t, must.Err(New(Options{Front: front(), Lattice: bad})), "3 features")
	bad = small
	bad.Delta = .3
	must.Fail(t, must.Err(New(Options{Front: front(), Lattice: bad}))) // a lattice that is none
}

// TestStoredInputIsNotFound: who may ask in the name of a subject finds out nothing about which of
// many candidates the subject had before: the guard answers alike whichever it was. The last batches
// are refused, most by the budget that is left, and the rest by one that is used up.
func TestStoredInputIsNotFound(t *testing.T) {
	const candidates, batch, budget = 96, 8, 60
	input := func(i int) []float32 { return []float32{float32(i), 1, 2, 3} }
	transcript := func(own int, change func(*Options)) (said []string) {
		s, h := serving(t, ledger.Budget{Releases: budget}, change)
		mustPost(t, h.URL, "ann", body(input(own)...))
		say := func(text string) {
			w, a := post(t, h.URL, "ann", text)
			for i := range a.Outputs { // noise
				a.Outputs[i].Data = make([]float64, len(a.Outputs[i].Data))
			}
			for _, name := range []string{"Date", "Content-Length"} {
				w.Header.Del(name)
			}
			_, ready := get(t, h.URL+"/v2/health/ready", "")
			counts := fmt.Sprint(slices.Collect(func(yield func(int64) bool) {
				for _, c := range s.metrics.statuses {
					if !yield(c.pending) {
						return
					}
				}
			}))
			said = append(said, fmt.Sprint(w.Status, w.Header, a, ready, counts))
		}
		for i := range 20 { // one by one
			say(body(input(i)...))
		}
		for first := 0; first < candidates; first += batch {
			var x []float32
			for i := range batch {
				x = append(x, input(first+i)...)
			}
			say(body(x...))
			say(body(append(x[:4:4], x[:4]...)...)) // one input, twice
		}
		for i := range candidates {
			say(body(input(i)...))
		}
		return said
	}
	want := transcript(-1, nil)
	for _, own := range []int{0, 7, 19, 20, 50, 95} {
		for i, is := range transcript(own, nil) {
			if is != want[i] {
				t.Fatalf("the subject had input %d: answer %d is\n%s\nand not\n%s", own, i, is, want[i])
			}
		}
	}
}
