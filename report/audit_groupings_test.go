package report

import (
	"strings"
	"testing"

	"tattle/audit"
	"tattle/curious"
)

// The report says where the finding depends on how values are grouped, and only there.
func TestGroupingSays(t *testing.T) {
	group := func(beyond bool, values ...string) audit.Grouping {
		return audit.Grouping{Values: values, Beyond: beyond, Excess: audit.Excess{Value: .04}}
	}
	for _, c := range []struct {
		verdict audit.Verdict
		groups  []audit.Grouping
		want    string
	}{
		{audit.NoEvidence, nil, ""},
		{audit.NoEvidence, []audit.Grouping{group(false, "a"), group(false, "b")}, ""},
		{audit.NoEvidence, []audit.Grouping{group(false, "a"), group(true, "b")}, "the outputs do reveal b against the others beyond the target"},
		{audit.LeakyBeyond, []audit.Grouping{group(true, "a"), group(true, "b")}, ""},
		{audit.LeakyBeyond, []audit.Grouping{group(true, "a"), group(false, "b"), group(false, "c")}, "it is shown for a against the others, and not for b and c"},
		{audit.LeakyBeyond, []audit.Grouping{group(false, "a"), group(false, "a", "b")}, "with its 3 values it is shown, with none of the 2 groupings in two"},
		{audit.Inconclusive, []audit.Grouping{group(true, "a")}, ""},
	} {
		f := &audit.Finding{Attribute: "s", Classes: []string{"a", "b", "c"}, Verdict: c.verdict, Groupings: c.groups}
		if got := groupingSays(f); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s, %+v: %q, want %q", c.verdict, c.groups, got, c.want)
		}
	}
}

// A grouping that shows more than the verdict is never under a green badge.
func TestGroupingsInTheVerdict(t *testing.T) {
	a := audited()
	a.Verdict, a.Findings = audit.NoEvidence, a.Findings[2:3]
	r := new(Report)
	r.Audit = a
	if v := r.auditLead(); v.Tone != Good {
		t.Fatalf("%+v", v)
	}
	a.Findings[0].Groupings = []audit.Grouping{{Values: []string{"<20"}, Beyond: true, Excess: audit.Excess{Value: .05}}}
	if v := r.auditLead(); v.Tone != Warn || v.Badge == "Nothing found" || !strings.Contains(v.Says, "<20") {
		t.Errorf("%+v", v)
	}
}

// Outputs that are zeros and ones are called labels.
func TestHardLabelsAreNamed(t *testing.T) {
	a := &audit.Result{Target: "y", Outputs: curious.Soft, Binary: true}
	if s := auditedWords(a); !strings.HasPrefix(s, "Audited: hard labels of y on ") {
		t.Error(s)
	}
}
