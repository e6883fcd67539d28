package serve

import (
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	h := handler(t, shelfOf(t), Options{})
	text := page(t, h, "/compare?run=a&run=deep/b")
	for _, want := range []string{
		`<tr class="differs"><th scope="row">beta<span class="skip">, differs</span></th><td>0,0.7,0.3</td><td>0,1,0</td>`,
		`<tr><th scope="row">epochs</th><td>8</td><td>8</td>`,
		"<td>64.0\u00a0%</td><td>46.0\u00a0%</td><td class=\"difference\">−18.0\u00a0points</td>",
		"<h2>Curiosity about family</h2>", `href="/compare?run=deep%2Fb&amp;run=a"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the comparison lacks %q", want)
		}
	}
	if only := page(t, h, "/compare?run=a&run=deep/b&only=1"); strings.Contains(only, ">epochs<") || !strings.Contains(only, ">beta<") || !strings.Contains(only, "rows that are the same are left out") {
		t.Error("what is the same is not left out")
	}
	if same := page(t, h, "/compare?run=a&run=a&only=1"); !strings.Contains(same, "Nothing differs.") {
		t.Error("a run differs from itself")
	}
}

// Runs of different kinds share little; what only one has stands alone.
func TestCompareOfDifferentKinds(t *testing.T) {
	h := handler(t, shelfOf(t), Options{})
	text := page(t, h, "/compare?run=audit&run=bounds")
	for _, want := range []string{"Audit of family", "positive control", "passed", "smallest excess found in planted channels", "hcr, dct all", "1.25"} {
		if !strings.Contains(text, want) {
			t.Errorf("the comparison lacks %q", want)
		}
	}
}

func TestCompareRefuses(t *testing.T) {
	h := handler(t, shelfOf(t), Options{})
	for target, want := range map[string]int{
		"/compare": 400, "/compare?run=a": 400, "/compare?run=a&run=a&run=a": 400,
		"/compare?run=a&run=none": 404, "/compare?run=a&run=../x": 404, "/compare?run=a&run=/etc": 404, "/compare?run=a&run=": 404,
	} {
		if r := get(h, target); r.StatusCode != want {
			t.Errorf("%s: %s, want %d", target, r.Status, want)
		}
	}
}
