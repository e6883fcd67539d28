package training

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/must"
	"tattle/internal/shared"
)

// A training that is interrupted continues from the last whole epoch, in its file, and gives the
// same net and report.
func TestTrainContinues(t *testing.T) {
	shared.Long(t, "an interrupted training")
	for _, noise := range []float64{0, 2} {
		continues(t, noise)
	}
}

// continues trains with noise of that strength on the features.
func continues(t *testing.T, noise float64) {
	data := dataset.Glyphs(dataset.GlyphOptions{N: 96, Seed: 1})
	recipe, _ := RecipeOf("glyphs")
	recipe.Epochs, recipe.Seed, recipe.Noise = 3, 5, noise
	fit := func(state string, ctx context.Context, progress func(done, total int)) ([]float32, *Fitted, error) {
		g := must.Get(recipe.Build(data.Shape))(t)
		r := recipe
		r.Unfinished = state
		training, err := r.Train(ctx, g, data, data, progress)
		return g.Params()[0].Data, training, err
	}
	none := func(done, total int) {}
	want, report := must.Get2(fit("", t.Context(), none))(t)
	dir := t.TempDir()
	path := filepath.Join(dir, UnfinishedFolder, "training.state")
	ctx, cancel := context.WithCancel(t.Context())
	if _, _, err := fit(dir, ctx, func(done, total int) {
		if done == 7 { // of 3 each
			cancel()
		}
	}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	first := 0
	got, again, err := fit(dir, t.Context(), func(done, total int) {
		if first == 0 {
			first = done
		}
	})
	if err != nil || first != 7 || !slices.Equal(got, want) || !reflect.DeepEqual(again.Epochs, report.Epochs) {
		t.Errorf("went on with step %d; %+v, want %+v; %v", first, again, report, err)
	}
	must.Do(t, os.WriteFile(path, []byte("PK"), 0o666))
	must.Fail(t, must.Err2(fit(dir, t.Context(), none)), "training.state: of other flags or another version of tattle, or damaged")
}
