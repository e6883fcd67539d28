package training

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tattle/internal/data/dataset"
	"tattle/internal/file"
	"tattle/internal/must"
	"tattle/internal/reveal/curious"
	"tattle/internal/run"
	"tattle/internal/run/folders"
)

// glyphSource is little data of which a linear part of a net learns something.
func glyphSource() *Source {
	return &Source{Options: dataset.Options{Kind: dataset.KindGlyphs, Sensitive: []string{"family: italic; *"}, Limit: dataset.Limit{Most: 200}, Seed: 1}}
}

// stageOf is a stage of so many seeds in a new folder.
func stageOf(t *testing.T, seeds int, pool run.Pool) (*stage, *folders.Stage) {
	t.Helper()
	dir, source := t.TempDir(), glyphSource()
	s := &stage{data: &Data{}, o: Options{Dir: dir, Stage: filepath.Join(dir, "shards"), Pool: pool}, steps: map[string]int{}, took: map[string]time.Duration{}}
	for i := range seeds {
		x := Seed{Folder: ".", Source: source, Options: curious.Options{Seed: uint64(i + 1)}}
		if seeds > 1 {
			x.Folder = SeedFolder(x.Options.Seed)
		}
		s.seeds = append(s.seeds, x)
	}
	return s, must.Get(s.folders(t.Context()))(t)
}

// want is the result of seed i before it is trained.
func (s *stage) want(i int) *Result {
	return s.seeds[i].want(s.data.opened(s.seeds[i].Source))
}

// failed returns the result of a training that failed and has no models.
func (s *stage) failed(i int) *Result {
	r := s.want(i)
	r.Failed = "for a test"
	return r
}

// begin makes the stage's folder for some of its names, as another process has begun it.
func begin(t *testing.T, f *folders.Stage, by run.Program, names ...string) (*run.Folder, func()) {
	t.Helper()
	m := must.Get(f.Manifest(t.Context(), names))(t)
	m.Program = by
	return must.Get2(run.Work{Dir: f.Dir, Manifest: m}.Open(nil))(t)
}

// commit commits the files of a folder as shard i.
func commit(t *testing.T, f *run.Folder, i int, from string, names []string) {
	t.Helper()
	digest := must.Get(f.Put(i, func(w io.Writer) error { return folders.Pack(nil, w, from, names) }))(t)
	must.Do(t, f.Record(i, digest))
}

// TestStageIsNotTaken refuses archives that are not the training asked for.
func TestStageIsNotTaken(t *testing.T) {
	t.Parallel()
	s, all := stageOf(t, 1, nil)
	for what, write := range map[string]func(dir string) error{
		"nothing": func(string) error { return nil },
		"a stranger": func(dir string) error {
			r := s.failed(0)
			r.Settings["epochs"] = "7"
			return r.write(nil, dir)
		},
		"a file elsewhere": func(dir string) error {
			err := os.WriteFile(filepath.Join(filepath.Dir(dir), ModelFile), []byte("model"), 0o666)
			r := s.want(0)
			r.Files = []File{{Name: "../" + ModelFile}}
			return errors.Join(err, r.write(nil, dir))
		},
	} {
		from, names := filepath.Join(t.TempDir(), "training"), []string{ResultFile}
		must.Do(t, errors.Join(os.MkdirAll(from, 0o777), write(from)))
		if what == "nothing" {
			names = nil
		}
		f, unlock := begin(t, all, run.Program{}, ".")
		commit(t, f, 0, from, names)
		unlock()
		err := all.Run(t.Context(), func([]string) error { return errors.New("it was taken") })
		if err == nil || strings.Contains(err.Error(), "it was taken") || file.Exists(filepath.Join(all.Root, ResultFile)) {
			t.Errorf("%s passes for a training: %v", what, err)
		}
		must.Do(t, f.Discard())
	}
	if left, err := os.ReadDir(all.Root); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// TestStageOfAnotherVersion takes over what another version of the program has finished,
// says so, and has it do no more.
func TestStageOfAnotherVersion(t *testing.T) {
	t.Parallel()
	s, all := stageOf(t, 3, nil)
	other := run.Program{Version: "v0", Kernels: "none"}
	f, unlock := begin(t, all, other, all.Names[:2]...)
	k, from := s.failed(1), t.TempDir()
	must.Do(t, k.write(nil, from))
	commit(t, f, 1, from, []string{ResultFile})
	unlock()
	var missing []string
	stop := errors.New("before any is trained")
	err := all.Run(t.Context(), func(names []string) error { missing = names; return stop })
	if want := []string{"seed-1", "seed-3"}; err != stop || !slices.Equal(missing, want) {
		t.Errorf("%v are missing, want %v; %v", missing, want, err)
	}
	if !file.Exists(filepath.Join(all.Root, "seed-2", ResultFile)) || file.Exists(all.Dir) {
		t.Error("what was finished is not there, or the old stage still is")
	}
	k.Program = other
	if w := OtherPrograms([]*Result{k, {Program: run.Current()}}); len(w) != 1 || !strings.Contains(w[0], "1 of 2 trainings were made by another version of tattle, or on other kernels (v0 on none)") {
		t.Errorf("%q", w)
	}
}

// counting is a pool that does nothing but note how many shards it was given.
type counting []int

// Run implements run.Pool.
func (p *counting) Run(_ context.Context, w run.Work) (*run.Folder, error) {
	*p = append(*p, w.Manifest.Shards)
	f, unlock, err := w.Open(nil)
	if err == nil {
		unlock()
	}
	return f, err
}

// TestStageIsForgotten: a pool learns that a stage it was given is replaced, also where
// nothing is left to do, and what is left of a folder that was being removed is removed.
func TestStageIsForgotten(t *testing.T) {
	t.Parallel()
	var p counting
	s, all := stageOf(t, 2, &p)
	for i, name := range all.Names {
		at := filepath.Join(all.Root, name)
		must.Do(t, errors.Join(os.MkdirAll(at, 0o777), s.failed(i).write(nil, at)))
	}
	nothing := func([]string) error { return nil }
	if err := all.Run(t.Context(), nothing); err != nil || len(p) > 0 {
		t.Fatalf("with nothing to do it is given %v shards; %v", p, err)
	}
	_, unlock := begin(t, all, run.Program{}, all.Names...)
	unlock()
	if err := all.Run(t.Context(), nothing); err != nil || !slices.Equal(p, counting{0}) || file.Exists(all.Dir) {
		t.Errorf("of a stage whose trainings are there: %v, %v", p, err)
	}
	all = must.Get(s.folders(t.Context()))(t)
	must.Do(t, os.MkdirAll(filepath.Join(all.Dir, ".folder-left"), 0o777))
	if err := all.Run(t.Context(), nothing); err != nil || file.Exists(all.Dir) {
		t.Errorf("what is left of a stage that was being removed stays: %v", err)
	}
}

// TestSteps counts whole batches: a last partial batch is dropped, fewer examples than a
// batch are one.
func TestSteps(t *testing.T) {
	for n, want := range map[int]int{18964: 50 * 189, 70: 50} {
		if got := (Seed{}).steps(&dataset.Parts{Train: &dataset.Set{Y: make([]int, n)}}); got != want {
			t.Errorf("%d examples: %d steps, want %d", n, got, want)
		}
	}
}

// TestDataOpens: the data of one source are opened after the other. An error leaves nothing
// behind, and other data than those before are refused.
func TestDataOpens(t *testing.T) {
	t.Parallel()
	first, second := glyphSource(), glyphSource()
	second.Sensitive = nil
	var d Data
	for _, s := range []*Source{first, second, first} {
		parts, _ := must.Get2(d.Open(t.Context(), s))(t)
		if labels := must.Get(d.Labels(t.Context(), s))(t); labels.Sum() != parts.Sum() || labels.Train.Len() != parts.Train.Len() || labels.Train.Pixels != nil {
			t.Errorf("%d labels for %d examples", labels.Train.Len(), parts.Train.Len())
		}
	}
	second.Kind = "nowhere"
	must.Fail(t, must.Err2(d.Open(t.Context(), second)))
	must.Get2(d.Open(t.Context(), first))(t)
	second.Kind, second.Seed = first.Kind, 2
	must.Fail(t, must.Err2(d.Open(t.Context(), second)), "not those that the run began with")
	must.Get2(d.Open(t.Context(), first))(t)
}

// TestDataDecodesOnce: sources that differ in their attributes alone share decoded pictures, and are
// the same as if they did not.
func TestDataDecodesOnce(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, dataset.WriteFaces(t.Context(), dir, 60, 1))
	of := func(target string) *Source {
		return &Source{Path: dir, Options: dataset.Options{Kind: dataset.KindUTKFace, Target: target, Sensitive: []string{"race2"}, Side: 16, Limit: dataset.Limit{Most: 30}}}
	}
	decoded := 0
	d := Data{Progress: func(done, total int) { decoded++ }}
	first, second, other := of("age2"), of("gender"), of("age2")
	other.Limit.Most = 29
	for _, c := range []struct {
		source *Source
		again  bool
	}{{first, true}, {second, false}, {first, false}, {other, true}} {
		decoded = 0
		parts, _ := must.Get2(d.Open(t.Context(), c.source))(t)
		alone, _ := must.Get2(c.source.Open(t.Context(), nil))(t)
		if parts.Sum() != alone.Sum() || parts.Train.YName != alone.Train.YName || (decoded > 0) != c.again {
			t.Errorf("%s of at most %v: SHA-256 %s, want %s; %d calls of Progress", c.source.Target, c.source.Limit, parts.Sum(), alone.Sum(), decoded)
		}
	}
}
