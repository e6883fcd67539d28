package audit

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tattle/internal/math/stat"
	"tattle/internal/must"
)

// leakingResult has one attribute whose verdict rests on the excess and the AUC.
func leakingResult() *Result {
	return &Result{
		Settings: settingsOf(.95, 0), Verdict: LeakyBeyond,
		Findings: []*Finding{{
			Attribute: "sex", Examples: 100, Verdict: LeakyBeyond,
			Excess: Excess{Value: .05, Low: .03, High: .0712}, ExcessAdjusted: .001,
			Given: &Given{MeanEstimate: stat.MeanEstimate{Mean: .02, High: .03}, Adjusted: .4, Order: &Order{Area: .6, StandardError: .01, Adjusted: .01}},
		}},
	}
}

// TestAccepted: a verdict is accepted if every figure that it rests on is, and an expired or
// exceeded entry fails whatever the rules are.
func TestAccepted(t *testing.T) {
	entry := func(figure string, limit float64, expiry string) Acceptance {
		return Acceptance{Attribute: "sex", Figure: figure, Limit: limit, Reason: "known", Owner: "me", Expiry: expiry}
	}
	auc := entry(figureAUC, .65, "2030-01-01")
	for _, c := range []struct {
		name    string
		rules   string
		entries []Acceptance
		want    []string // parts of the breaches
	}{
		{"covered", "beyond", []Acceptance{entry(figureExcess, .05, "2030-01-01"), auc}, nil},
		{"the last day", "beyond", []Acceptance{entry(figureExcess, .05, "2026-06-01"), auc}, nil},
		{"a figure is missing", "beyond", []Acceptance{entry(figureExcess, .05, "2030-01-01")}, []string{`beyond: sex is "leaky beyond`}},
		{"exceeded", "beyond", []Acceptance{entry(figureExcess, .049, "2030-01-01"), auc}, []string{`beyond: sex is`, "accepted excess of sex: it is 5.0 points, and at most 4.9 points is accepted"}},
		{"expired", "beyond", []Acceptance{entry(figureExcess, .05, "2026-05-31"), auc}, []string{`beyond: sex is`, "the acceptance by me expired on 2026-05-31"}},
		{"exceeded without another breach", "curious", []Acceptance{entry(figureAUC, .59, "2030-01-01")}, []string{"accepted auc of sex: it is 60"}},
		{"never", "never", []Acceptance{entry(figureExcess, .01, "2020-01-01")}, nil},
		{"another attribute, expired", "curious", []Acceptance{{Attribute: "race", Figure: figureExcess, Limit: 1, Owner: "x", Expiry: "2020-01-01"}}, []string{"accepted excess of race"}},
	} {
		rules := must.Get(ParseFailOn(c.rules))(t)
		got := rules.Judge(leakingResult(), &Accepted{Day: "2026-06-01", Entries: c.entries})
		if len(got) != len(c.want) {
			t.Errorf("%s: breaches %v, want %d", c.name, got, len(c.want))
			continue
		}
		for i, b := range got {
			if !strings.Contains(b.String(), c.want[i]) {
				t.Errorf("%s: %q does not contain %q", c.name, b, c.want[i])
			}
		}
	}
	if got := (FailOn{rules: []rule{{text: "leaky", verdict: "leaky"}}}).Judge(leakingResult(), nil); len(got) != 1 {
		t.Errorf("without acceptances: %v", got)
	}
}

// TestAcceptances: the entries written for the findings can be read, and cover the findings.
func TestAcceptances(t *testing.T) {
	r := leakingResult()
	want := r.Acceptances("a reason", "me", "2030-01-01")
	path := filepath.Join(t.TempDir(), "accepted.toml")
	f := must.Get(os.Create(path))(t)
	must.Do(t, WriteAcceptances(f, want))
	f.Close()
	got, err := ReadAcceptances(path)
	if err != nil || !reflect.DeepEqual(got, want) || len(got) != 2 || got[1].Limit != .072 {
		t.Fatalf("read %v, %v; want %v", got, err, want)
	}
	a := &Accepted{Day: "2026-06-01", Entries: got}
	if a.Breach(r, Breach{Attribute: "race", Figure: figureAUC}) != nil || len(a.Breach(r, Breach{Attribute: "sex", Figure: figureAUC})) != 1 {
		t.Error("the AUC of sex is not covered, or that of race")
	}
	rules, _ := ParseFailOn("beyond")
	if left := rules.Judge(r, a); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestReadAcceptancesErrors(t *testing.T) {
	whole := "[[accept]]\nattribute = \"sex\"\nfigure = \"excess\"\nlimit = 0.1\nreason = \"r\"\nowner = \"o\"\nexpiry = \"2030-01-01\"\n"
	for _, c := range []struct{ old, new, want string }{
		{`reason = "r"`, "", "entry 1: reason is missing"},
		{`owner = "o"`, `owner = ""`, "entry 1: owner is missing"},
		{`"excess"`, `"size"`, `figure "size": must be one of excess, gain, auc`},
		{"0.1", "-1", "limit: must be a number above 0"},
		{"0.1", `"high"`, "incompatible types"},
		{"2030-01-01", "tomorrow", `expiry "tomorrow": must be a day such as "2027-01-31"`},
		{`owner = "o"`, "owner = \"o\"\na = 1", `unknown key "accept.a"`},
	} {
		path := filepath.Join(t.TempDir(), "accepted.toml")
		must.Do(t, os.WriteFile(path, []byte(strings.Replace(whole, c.old, c.new, 1)), 0o600))
		must.Fail(t, must.Err(ReadAcceptances(path)), c.want)
	}
}
