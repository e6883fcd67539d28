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

	"tattle/dataset"
	"tattle/internal/file"
	"tattle/internal/must"
	"tattle/run"
	"tattle/run/folders"
)

// seedParts is little data of which a linear part of a net learns something.
func seedParts(t *testing.T) *dataset.Parts {
	t.Helper()
	return must.Get(dataset.OpenParts(t.Context(), "", dataset.LabelledOptions{Kind: dataset.KindGlyphs, Limit: 200, Sensitive: []string{"family: italic; *"}, Seed: 1}))(t)
}

// stageOf is a stage of so many seeds in a new folder.
func stageOf(t *testing.T, seeds int, pool run.Pool) (*stage, *folders.Stage) {
	t.Helper()
	dir := t.TempDir()
	s := newStage(make([]Seed, seeds), seedParts(t), Options{Dir: dir, Stage: filepath.Join(dir, "shards"), Pool: pool})
	for i := range s.seeds {
		s.seeds[i].Options.Seed, s.seeds[i].Source = uint64(i+1), &Source{}
	}
	return s, s.folders()
}

// begin makes the stage's folder for some of its names, as another process has begun it.
func begin(t *testing.T, f *folders.Stage, by run.Program, names ...string) (*run.Folder, func()) {
	t.Helper()
	m := must.Get(f.Manifest(t.Context(), names))(t)
	m.Program = by
	return must.Get2(run.Work{Dir: f.Dir, Manifest: m}.Open())(t)
}

// TestStageIsNotTaken refuses archives that are not the training asked for.
func TestStageIsNotTaken(t *testing.T) {
	t.Parallel()
	s, all := stageOf(t, 1, nil)
	for what, write := range map[string]func(dir string) error{
		"nothing": func(string) error { return nil },
		"a stranger": func(dir string) error {
			k := s.seeds[0].want(s.parts)
			k.Settings["epochs"] = "7"
			return Write(dir, &Result{Record: k}, nil)
		},
		"a file elsewhere": func(dir string) error {
			err := os.WriteFile(filepath.Join(filepath.Dir(dir), modelFile), []byte("model"), 0o666)
			return errors.Join(err, Write(dir, &Result{Record: s.seeds[0].want(s.parts)}, []string{"../" + modelFile}))
		},
	} {
		from := filepath.Join(t.TempDir(), "training")
		must.Do(t, errors.Join(os.MkdirAll(from, 0o777), write(from)))
		f, unlock := begin(t, all, run.Program{}, ".")
		must.Do(t, f.Commit(0, func(w io.Writer) error { return run.Pack(w, from) }))
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
	k := s.seeds[1].want(s.parts)
	k.Failed = "so that there are no models"
	from := t.TempDir()
	must.Do(t, Write(from, &Result{Record: k}, nil))
	must.Do(t, f.Commit(1, func(w io.Writer) error { return run.Pack(w, from) }))
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
	if w := OtherPrograms([]*Record{&k, {Program: run.Current()}}); len(w) != 1 || !strings.Contains(w[0], "1 of 2 trainings were made by another version of tattle, or on other kernels (v0 on none)") {
		t.Errorf("%q", w)
	}
}

// counting is a pool that does nothing but note how many shards it was given.
type counting []int

// Run implements run.Pool.
func (p *counting) Run(_ context.Context, w run.Work) (*run.Folder, error) {
	*p = append(*p, w.Manifest.Shards)
	f, unlock, err := w.Open()
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
		k := s.seeds[i].want(s.parts)
		k.Failed = "so that there are no models"
		at := filepath.Join(all.Root, name)
		must.Do(t, errors.Join(os.MkdirAll(at, 0o777), Write(at, &Result{Record: k}, nil)))
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
	all = s.folders()
	must.Do(t, os.MkdirAll(filepath.Join(all.Dir, ".folder-left"), 0o777))
	if err := all.Run(t.Context(), nothing); err != nil || file.Exists(all.Dir) {
		t.Errorf("what is left of a stage that was being removed stays: %v", err)
	}
}
