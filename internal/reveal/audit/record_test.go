package audit

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tattle/internal/must"
)

// A record is read as it was written, and a changed file is refused.
func TestRecord(t *testing.T) {
	s := made{n: 60, classes: 3, values: []int{2, 2}, seed: 1}.sample()
	other := s.Subset(span(0, 30))
	other.Sensitive = other.Sensitive[:1]
	r := &Record{Sample: s, Notes: []string{"a note"}, References: []*Sample{s, s}, Unpaired: true, Recipe: RecipeStated,
		Planted: &Trained{Sample: other, TrueExcess: .25, Where: "glyphs"}}
	dir := t.TempDir()
	must.Do(t, r.Write(nil, dir))
	for _, name := range r.Files() {
		must.Get(os.Stat(filepath.Join(dir, name)))(t)
	}
	got := must.Get(ReadRecord(t.Context(), dir))(t)
	if got.Sample.Sum() != s.Sum() || got.Planted.Sample.Sum() != other.Sum() || got.Planted.TrueExcess != .25 ||
		len(got.References) != 2 || !got.Unpaired || got.Recipe != RecipeStated || !reflect.DeepEqual(got.Notes, r.Notes) {
		t.Errorf("read %+v", got)
	}
	path := filepath.Join(dir, TrainedFile)
	b, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, []byte(strings.Replace(string(b), `"references":2`, `"references":3`, 1)), 0o666)
	}
	must.Do(t, err)
	must.Fail(t, must.Err(ReadRecord(t.Context(), dir)), "reference-3.npz: no such file")
}
