package report

import "testing"

// TestPlaces: a place of a template that no claim fills is printed as a dash, and the words of a claim's parts stand
// for them.
func TestPlaces(t *testing.T) {
	p := .25
	r := &Report{Claims: []Claim{
		{ID: "x", Subject: "first", Value: Exactly(nan, Share)},
		{ID: "x", Subject: "second", Group: "g", Value: Within(.5, .4, .6, Share, .95), N: 1200, P: &p, Beside: []Beside{{"±", Exactly(.01, Share)}}},
	}}
	for template, want := range map[string]string{
		"{x}": "50.0 %", "{x.interval}": "40.0 to 60.0 %", "{x.n}": "1,200", "{x.p}": "0.2500", "{x.group}": "g", "{x@±}": "1.00 %", "{y}": "–", "{1}": "–",
	} {
		if is := r.fill(template, Finding{}); is != want {
			t.Errorf("%s is %q, want %q", template, is, want)
		}
	}
	r.Claims = append(r.Claims, Claim{ID: "x", Subject: "third", Group: "g", Value: Exactly(.7, Share)})
	if is := r.fill("{x} of {subject} with {1}", Finding{Subject: "third", Args: []string{"g"}}); is != "70.0 % of third with g" {
		t.Errorf("of two claims with a group, that about the subject: %q", is)
	}
	r.Claims = r.Claims[:2]
	table := r.table(&tableOf{rows: []string{"subject", "group"}, columns: []column{{"x", "x", "", false}, {"beside", "x", "@nothing", false}}}, "", false)
	if len(table.Heads) != 3 || table.Rows[1][2] != "50.0 % ±1.00 %" || len(table.Unknown) != 1 || len(table.lines()) != 2 {
		t.Errorf("%+v", table)
	}
}

// TestPercent: published tables have two decimals.
func TestPercent(t *testing.T) {
	for x, want := range map[float64]string{.9215: "92.15", 0: "0.00", -.0004: "−0.04", 1: "100.00"} {
		if is := Exactly(x, Percent).bare(); is != want {
			t.Errorf("%v is %q, want %q", x, is, want)
		}
	}
	if is := Exactly(.9215, Percent).Figure(); is != "92.15 %" {
		t.Errorf("%q", is)
	}
}
