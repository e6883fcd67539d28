package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tattle/internal/file"
	"tattle/run"
)

// scattered computes every shard in a command of its own, as workers elsewhere do: in
// any order, in an empty folder that holds the manifest alone.
type scattered struct {
	t    *testing.T
	args []string
	most int // shards before it is interrupted, and tells nobody; 0 is no end
}

// Run implements run.Pool.
func (s scattered) Run(_ context.Context, w run.Work) (*run.Folder, error) {
	f, unlock, err := w.Open()
	if err != nil {
		return nil, err
	}
	defer unlock()
	left := f.Remaining()
	rand.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
	for k, i := range left {
		if s.most > 0 && k == s.most {
			return nil, context.Canceled
		}
		scratch := s.t.TempDir()
		if err := run.WriteManifest(filepath.Join(scratch, filepath.Base(w.Dir)), f.Manifest()); err != nil {
			return nil, err
		}
		o := &oneShard{i: i, of: w.Dir}
		if err := commanded(s.t, o, true, append(s.args, "--out", scratch, "--resume")...); !errors.Is(err, run.ErrServed) {
			s.t.Fatalf("a worker ends with %v", err)
		}
		if exists(filepath.Join(scratch, reportJSON)) || exists(filepath.Join(scratch, cellsDir)) {
			s.t.Error("a worker reports, or keeps what is the submitter's")
		}
		if err := f.Commit(i, o.write); err != nil {
			return nil, err
		}
		if s.most == 0 {
			w.Tell(f)
		}
	}
	return f, nil
}

// oneShard is the pool of a worker that computes one shard.
type oneShard struct {
	bytes.Buffer
	i  int
	of string // the submitter's folder
}

func (o *oneShard) write(w io.Writer) error {
	_, err := w.Write(o.Bytes())
	return err
}

// Run implements run.Pool.
func (o *oneShard) Run(ctx context.Context, w run.Work) (*run.Folder, error) {
	if err := w.Manifest.Check(o.of); err != nil {
		return nil, err
	}
	if err := w.Do(ctx, o.i, o); err != nil {
		return nil, err
	}
	return nil, run.ErrServed
}

// commanded runs a command line with that pool, for somebody else where serve is true.
func commanded(t *testing.T, p run.Pool, serve bool, args ...string) error {
	t.Helper()
	var said bytes.Buffer
	k, err := parse(args, &said, &said)
	if err != nil {
		t.Fatal(err)
	}
	e := newEnv(k, args, &said, &said)
	e.pool, e.serve = p, serve
	err = runParsed(t.Context(), k, e)
	if serve && said.Len() > 0 {
		t.Errorf("a worker says %q", said.String())
	}
	return err
}

// TestSeedsAnywhere trains two seeds at once in this process, and each in a command of
// its own: models, outputs and reports are the same.
func TestSeedsAnywhere(t *testing.T) {
	t.Parallel()
	args := []string{"train", "glyphs", "--sensitive", "family: italic; *", "--attack", "regularized", "--examples", "120", "--epochs", "2", "--seeds", "2"}
	dir := t.TempDir()
	here, there := filepath.Join(dir, "here"), filepath.Join(dir, "there")
	reproduced(t, here, args...)
	if err := commanded(t, scattered{t: t, args: args}, false, append(args, "--out", there)...); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"seed-1/" + resultFile, "seed-1/" + sourceFile, "seed-1/" + modelFile, "seed-1/attack.onnx", "seed-2/" + resultFile, "seed-2/" + modelFile, arraysFile} {
		a, err := os.ReadFile(filepath.Join(here, name))
		b, err2 := os.ReadFile(filepath.Join(there, name))
		if err != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs: %v, %v", name, err, err2)
		}
	}
	if begun(there) {
		t.Error("the shards stay")
	}
}

// TestStageIsNotTaken refuses archives that are not the training asked for.
func TestStageIsNotTaken(t *testing.T) {
	t.Parallel()
	p, dir := seedParts(t), t.TempDir()
	s := &seeds{runs: []seedRun{{source: &dataSource{}}}, parts: p}
	all := &trainings{env: &env{}, dir: dir, names: []string{"."}, trainingSet: s}
	m, err := s.manifest(t.Context(), nil, all.names)
	if err != nil {
		t.Fatal(err)
	}
	for what, write := range map[string]func(dir string) error{
		"nothing": func(string) error { return nil },
		"a stranger": func(dir string) error {
			k := s.runs[0].want(p)
			k.Settings["epochs"] = "7"
			return keep(dir, &seedResult{trained: k}, nil)
		},
		"a file elsewhere": func(dir string) error {
			err := os.WriteFile(filepath.Join(filepath.Dir(dir), modelFile), []byte("model"), 0o666)
			return errors.Join(err, keep(dir, &seedResult{trained: s.runs[0].want(p)}, []string{"../" + modelFile}))
		},
	} {
		from := filepath.Join(t.TempDir(), "training")
		if err := errors.Join(os.MkdirAll(from, 0o777), write(from)); err != nil {
			t.Fatal(err)
		}
		f, unlock, err := run.Work{Dir: all.stage(), Manifest: m}.Open()
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(0, func(w io.Writer) error { return run.Pack(w, from) }); err != nil {
			t.Fatal(err)
		}
		if err := all.take(f, 0, "."); err == nil || exists(filepath.Join(dir, resultFile)) {
			t.Errorf("%s passes for a training: %v", what, err)
		}
		if err := f.Discard(); err != nil {
			t.Fatal(err)
		}
		unlock()
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// TestStageOfAnotherVersion takes over what another version of the program has finished,
// says so, and has it do no more.
func TestStageOfAnotherVersion(t *testing.T) {
	t.Parallel()
	s := &seeds{runs: make([]seedRun, 3), parts: seedParts(t)}
	all := &trainings{env: &env{}, dir: t.TempDir(), trainingSet: s}
	for i := range s.runs {
		s.runs[i].options.Seed, s.runs[i].source = uint64(i+1), &dataSource{}
		all.names = append(all.names, seedName(s.runs, i))
	}
	m, err := s.manifest(t.Context(), nil, all.names[:2])
	if err != nil {
		t.Fatal(err)
	}
	m.Program = run.Program{Version: "v0", Kernels: "none"}
	f, unlock, err := run.Work{Dir: all.stage(), Manifest: m}.Open()
	if err != nil {
		t.Fatal(err)
	}
	k := s.runs[1].want(s.parts)
	k.Failed = "so that there are no models"
	from := t.TempDir()
	if err := keep(from, &seedResult{trained: k}, nil); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(1, func(w io.Writer) error { return run.Pack(w, from) }); err != nil {
		t.Fatal(err)
	}
	unlock()
	names, missing, err := all.begin(t.Context())
	if want := []string{"seed-1", "seed-3"}; err != nil || !slices.Equal(names, want) || !slices.Equal(missing, want) {
		t.Errorf("%v and %v to do, want %v; %v", names, missing, want, err)
	}
	if !exists(filepath.Join(all.at("seed-2"), resultFile)) || exists(all.stage()) {
		t.Error("what was finished is not there, or the old stage still is")
	}
	k.Program = m.Program
	if said := foreign([]*trained{&k, {Program: run.Current()}}); len(said) != 1 || !strings.Contains(said[0], "1 of 2 trainings were made by another version of tattle, or on other kernels (v0 on none)") {
		t.Errorf("%q", said)
	}
}

// told is a pool that does nothing but tell how many shards it was given.
type told []int

// Run implements run.Pool.
func (p *told) Run(_ context.Context, w run.Work) (*run.Folder, error) {
	*p = append(*p, w.Manifest.Shards)
	f, unlock, err := w.Open()
	if err == nil {
		unlock()
	}
	return f, err
}

// TestHalfWrittenModels has a training swept of what it left when it was killed, and of
// nothing else.
func TestHalfWrittenModels(t *testing.T) {
	dir := t.TempDir()
	write := func(w io.Writer) error { _, err := io.WriteString(w, "half"); return err }
	half, _, err := file.Hide(dir, modelFile, write)
	if err := errors.Join(err, file.Write(filepath.Join(dir, modelFile), write), os.WriteFile(filepath.Join(dir, ".notes.tmp"), nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(sweep(dir), sweep(filepath.Join(dir, "none"))); err != nil {
		t.Fatal(err)
	}
	if exists(half) || !exists(filepath.Join(dir, modelFile)) || !exists(filepath.Join(dir, ".notes.tmp")) {
		t.Errorf("%s stays, or other files do not", half)
	}
}

// TestStageIsForgotten wants a pool told that a stage it was given is replaced, where
// nothing is left to do, too, and what is left of a folder that was being removed removed.
func TestStageIsForgotten(t *testing.T) {
	t.Parallel()
	var p told
	s := &seeds{runs: make([]seedRun, 2), parts: seedParts(t), bar: newMeter(io.Discard, "", 0, false)}
	all := &trainings{env: &env{pool: &p}, dir: t.TempDir(), trainingSet: s}
	for i := range s.runs {
		s.runs[i].options.Seed = uint64(i + 1)
		name := seedName(s.runs, i)
		k := s.runs[i].want(s.parts)
		k.Failed = "so that there are no models"
		if err := errors.Join(os.MkdirAll(all.at(name), 0o777), keep(all.at(name), &seedResult{trained: k}, nil)); err != nil {
			t.Fatal(err)
		}
		all.names = append(all.names, name)
	}
	nothing := func([]string) error { return nil }
	if err := all.run(t.Context(), nothing); err != nil || len(p) > 0 {
		t.Fatalf("with nothing to do it is given %v shards; %v", p, err)
	}
	m, err := s.manifest(t.Context(), nil, all.names)
	if err != nil {
		t.Fatal(err)
	}
	_, unlock, err := run.Work{Dir: all.stage(), Manifest: m}.Open()
	if err != nil {
		t.Fatal(err)
	}
	unlock()
	if err := all.run(t.Context(), nothing); err != nil || !slices.Equal(p, told{0}) || exists(all.stage()) {
		t.Errorf("of a stage whose trainings are there: %v, %v", p, err)
	}
	if err := os.MkdirAll(filepath.Join(all.stage(), ".training-left"), 0o777); err != nil {
		t.Fatal(err)
	}
	all.replaced = false
	if err := all.run(t.Context(), nothing); err != nil || exists(all.stage()) {
		t.Errorf("what is left of a stage that was being removed stays: %v", err)
	}
}
