package bound

import (
	"encoding/json"
	"reflect"
	"testing"

	"tattle/internal/must"
)

// Settings read back are those that were written, but for the inputs of domains: an
// experiment with a domain of which only the name is known is refused.
func TestSettingsReadBack(t *testing.T) {
	m, data, e := small(t)
	e.Domain, e.Far = cube(24, 5), FarOptions{Starts: 2, Domain: Free, Seed: 4}
	e, _ = must.Get2(e.resolve(lookAt(m, data.X[:24]), nil))(t)
	b := must.Get(json.Marshal(e.Settings))(t)
	back := e
	back.Settings = Settings{}
	must.Do(t, json.Unmarshal(b, &back.Settings))
	if s := back.Domain.String(); s != DomainLegal {
		t.Errorf("domain %q", s)
	}
	must.Fail(t, back.check(m)) // an experiment with a domain of unknown inputs
	back.Domain = e.Domain
	if err := back.check(m); err != nil || !reflect.DeepEqual(back.Settings, e.Settings) {
		t.Errorf("%v: %+v, want %+v", err, back.Settings, e.Settings)
	}
}
