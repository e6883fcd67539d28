package report

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"tattle/internal/must"
)

var units = []Unit{Number, Share, Percent, Points, Count, Bits, Grey}

// read returns the number that a printed one stands for.
func read(t *testing.T, s string, u Unit) float64 {
	t.Helper()
	s = strings.NewReplacer("−", "-", ",", "", "≥ ", "", "≤ ", "", " %", "").Replace(strings.TrimSuffix(s, " "+string(u)))
	if u == Share || u == Percent || u == Points { // in hundredths
		mantissa, exponent, _ := strings.Cut(s, "e")
		n, _ := strconv.Atoi(exponent)
		s = mantissa + "e" + strconv.Itoa(n-2)
	}
	return must.Get(strconv.ParseFloat(s, 64))(t)
}

// TestLimitsRoundOutwards: a printed lower limit is never above the value, an upper one never below, and both are near it.
func TestLimitsRoundOutwards(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	values := []float64{0, .57, .29, .999, .001, 1, 100, 999.5, 1000, 1e6, 5e-324, 1e-300, 1.7e300, 1234567, .1 + .2, 1 - 1e-13, 2.5, 4.35, 1.005}
	for range 500 {
		x := math.Pow(10, rng.Float64()*24-12) * rng.Float64()
		short := math.Round(rng.Float64()*1e4) / 1e4
		values = append(values, x, short, math.Nextafter(short, 1), math.Nextafter(short, 0), 1-1e-13-x, rng.Float64())
	}
	for _, x := range values {
		for _, x := range []float64{x, -x} {
			for _, u := range units {
				low, high := u.print(x, down), u.print(x, up)
				if at := read(t, low, u); at > x {
					t.Fatalf("lower limit %g of %q: %s", x, u, low)
				}
				if at := read(t, high, u); at < x {
					t.Fatalf("upper limit %g of %q: %s", x, u, high)
				}
				middle := read(t, u.print(x, nearest), u)
				if near := math.Abs(middle - x); near > .0051*math.Abs(x) && near > .00051 && math.Abs(x) > 1e-300 {
					t.Fatalf("%g of %q: %s", x, u, u.print(x, nearest))
				}
				if low != high && read(t, low, u) >= read(t, high, u) {
					t.Fatalf("%g of %q: %s to %s", x, u, low, high)
				}
				if u != Share || math.Abs(1-x) < 1e-15 {
					continue
				}
				for _, s := range []string{low, high, u.print(x, nearest)} {
					if digits := strings.Trim(s, "−0. %"); x != 0 && digits == "" && math.Abs(x) > 1e-300 || x != 1 && x > 0 && x < 2 && strings.HasPrefix(s, "100") && digits == "1" && x < 1 {
						t.Fatalf("%g is printed as %s", x, s)
					}
				}
			}
		}
	}
}

func TestFormsOfValues(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		of   Value
		want string
	}{
		{Exactly(.6123, Share), "61.2 %"},
		{Exactly(.99996, Share), "99.996 %"},
		{Exactly(.000012345, Share), "0.00123 %"},
		{Exactly(1e-12, Share), "1.00e−10 %"},
		{Exactly(0, Share), "0.0 %"},
		{Exactly(1, Share), "100.0 %"},
		{Exactly(.0312, Points), "+3.1 points"},
		{Exactly(-.0312, Points), "−3.1 points"},
		{Exactly(-.0001, Points), "0.0 points"},
		{Exactly(1234567, Count), "1,234,567"},
		{Exactly(1234.5, Grey), "1235 grey levels"},
		{Exactly(.00001, Bits), "1.00e−05 bits"},
		{Exactly(12.3456, "times"), "12.3 times"},
		{AtLeast(43.29, Grey), "≥ 43.2 grey levels"},
		{AtLeast(0, Grey), "none"},
		{AtMost(.5701, Share), "≤ 57.1 %"},
		{AtMost(.57, Share), "≤ 57.0 %"},
		{Within(.5, .444444, .555555, Share, .95), "50.0 % (44.4 to 55.6 %)"},
		{Exactly(inf, Bits), "unbounded bits"},
		{AtLeast(inf, Number), "≥ unbounded"},
		{Exactly(math.NaN(), Grey), "–"},
		{Value{nan, nan, nan, Share, 0}, "–"},
	} {
		if got := c.of.String(); got != c.want {
			t.Errorf("%+v: %q, not %q", c.of, got, c.want)
		}
	}
	p := 1e-7
	q := .0312
	if got := PValue(nil) + PValue(&p) + PValue(&q); got != "–< 0.00010.0312" {
		t.Errorf("p-values: %s", got)
	}
}

// TestRoundTrip: a report with every kind of number is read from JSON as it was written.
func TestRoundTrip(t *testing.T) {
	inf := math.Inf(1)
	r := auditReport()
	r.Series = []Series{{"curve/a", "one", []float64{1, 2}, []float64{nan, inf}, []float64{-inf, 0}, []float64{1, nan}}, {ID: "curve/b", X: []float64{}, Y: []float64{}}}
	p := .5
	for _, u := range units {
		r.Add(Claim{ID: "a", Subject: string(u), Kind: Measured, Value: Exactly(inf, u)}, Claim{ID: "b", Subject: string(u), Kind: Certified, Value: Within(nan, -inf, 3, u, .99), Beside: []Beside{{"else", AtMost(.1, u)}}, N: 3, P: &p, Source: Searched})
	}
	r.Pictures = []Picture{{Group: "input 1", Name: "original", SHA256: Digest(nil)}}
	r.SetRequest(struct{ A int }{5})
	var b strings.Builder
	must.Do(t, r.WriteJSON(&b))
	back := must.Get(Parse([]byte(b.String())))(t)
	if found, left := r.Compare(back, ""); len(found) > 0 {
		t.Errorf("differs from itself: %v; left %v", found, left)
	}
	var again strings.Builder
	must.Do(t, back.WriteJSON(&again))
	if again.String() != b.String() {
		t.Error("written otherwise after it was read")
	}
	for i := range r.Claims { // NaN is unlike itself
		if a, b := r.Claims[i], back.Claims[i]; a.Value.String() != b.Value.String() || a.N != b.N || !reflect.DeepEqual(a.P, b.P) {
			t.Errorf("%v became %v", a, b)
		}
	}
	for _, bad := range []string{`{"x":"big"}`, `{"x":[1]}`} {
		if json.Unmarshal([]byte(bad), new(Value)) == nil {
			t.Errorf("%s is read as a value", bad)
		}
	}
	if json.Unmarshal([]byte(`{"id":"a","name":"b","x":[1,2],"y":[1]}`), new(Series)) == nil {
		t.Error("a series with too few values is read")
	}
	for _, bad := range []string{``, `{}`, `{"schema":"tattle/report/6"}`, strings.Replace(b.String(), `"title"`, `"titel"`, 1), strings.Replace(b.String(), `"seed"`, `"seed": 3, "seed"`, 1), strings.Replace(b.String(), `"beyond.auc"`, `"unheard"`, 1), b.String() + "{}"} {
		if _, err := Parse([]byte(bad)); err == nil {
			t.Errorf("read: %.60s", bad)
		}
	}
}

// TestAsked: what was asked for is printed as it was asked, and what is below 10 % with three digits.
func TestAsked(t *testing.T) {
	for want, v := range map[string]Value{
		"≤ 1.45 %": AtMost(.0145, Share), "≤ 0.1 points": AtMost(.001, Points), "≥ 40 grey levels": AtLeast(255*(40./255), Grey), "≤ 12.345 %": AtMost(.12345, Share),
	} {
		if is := v.Asked(); is != want {
			t.Errorf("%q, want %q", is, want)
		}
	}
	if is := AtMost(.01451, Share).Figure(); is != "≤ 1.46 %" {
		t.Errorf("%q", is)
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 37632: "37,632", 1234567: "1,234,567", -999: "-999"} {
		if got := Grouped(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
