package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tattle/internal/file"
	"tattle/internal/must"
)

// command is a command of two stages, the second of which merges what the first made.
// It returns what it would report.
func command(ctx context.Context, dir string, p Pool, do func(ctx context.Context, i int, w io.Writer) error) (string, error) {
	first := texts(filepath.Join(dir, "first"), 11)
	if do != nil {
		first.Do = do
	}
	f, err := p.Run(ctx, first)
	if err != nil {
		return "", err
	}
	var merged strings.Builder
	for i := range f.Len() {
		data, err := os.ReadFile(f.Path(i))
		if err != nil {
			return "", err
		}
		merged.Write(data[:9])
	}
	if err := f.Discard(); err != nil {
		return "", err
	}
	m := of(5)
	m.Hashes = map[string]string{"first": merged.String()}
	f, err = p.Run(ctx, Work{Dir: filepath.Join(dir, "b", "second"), Manifest: m, Resume: true, Do: func(_ context.Context, i int, w io.Writer) error {
		return put(fmt.Sprint(i, merged.String()))(w)
	}})
	if err != nil {
		return "", err
	}
	var report strings.Builder
	for i := range f.Len() {
		data, err := os.ReadFile(f.Path(i))
		if err != nil {
			return "", err
		}
		report.Write(data)
	}
	return report.String(), f.Discard()
}

// worker carries a command out as worker i of n.
func worker(t *testing.T, root string, i, n int, do func(ctx context.Context, i int, w io.Writer) error) error {
	t.Helper()
	a := Array{Index: i, Of: n, Root: root, Scratch: t.TempDir(), Log: t.Logf}
	if err := a.Prepare(t.Context()); err != nil {
		return err
	}
	_, err := command(t.Context(), a.Scratch, a, do)
	return err
}

// Workers without a connection, some of whom come twice or not, and a merge now and
// then, give what one process gives.
func TestArrayAndMerge(t *testing.T) {
	want, err := command(t.Context(), t.TempDir(), Alone{}, nil)
	must.Do(t, err)
	root := t.TempDir()
	merge := func() (string, error) {
		m := &Merge{Root: root}
		report, err := command(t.Context(), root, m, nil)
		if err == nil {
			err = m.Finish()
		}
		return report, err
	}
	must.Fail(t, worker(t, root, 0, 3, nil), "--prepare") // nothing is prepared
	_, err = command(t.Context(), root, &Merge{Root: root, Prepare: true}, nil)
	var prepared *PreparedError
	if !errors.As(err, &prepared) || prepared.Stage != "first" || prepared.Shards != 11 {
		t.Fatalf("error %v", err)
	}
	for i := range 2 {
		if err := worker(t, root, i, 3, nil); !errors.Is(err, ErrServed) {
			t.Fatal(err)
		}
	}
	_, err = merge()
	var missing *MissingError
	if !errors.As(err, &missing) || !slices.Equal(missing.Missing, []int{2, 5, 8}) || err.Error() != "stage first: 3 of 11 shards missing: 2, 5, 8" {
		t.Fatalf("error %v", err)
	}
	for _, i := range []int{2, 2, 0} {
		if err := worker(t, root, i, 3, nil); !errors.Is(err, ErrServed) {
			t.Fatal(err)
		}
	}
	if _, err = merge(); !errors.As(err, &prepared) || prepared.Stage != "b/second" || prepared.Shards != 5 {
		t.Fatalf("error %v", err)
	}
	for i := range 2 {
		if err := worker(t, root, i, 2, nil); !errors.Is(err, ErrServed) {
			t.Fatal(err)
		}
	}
	got, err := merge()
	if err != nil || got != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	if n := names(t, root); !slices.Equal(n, []string{"b"}) {
		t.Errorf("merged stages stay: %q", n)
	}
}

// What fails under one worker is set aside for all, until a merge says otherwise.
func TestArraySetsAside(t *testing.T) {
	root := t.TempDir()
	command(t.Context(), root, &Merge{Root: root}, nil)
	tries := 0
	broken := func(_ context.Context, i int, w io.Writer) error {
		if i == 4 {
			tries++
			return errors.New("no memory")
		}
		return put(text(i))(w)
	}
	for range 2 {
		if err := worker(t, root, 0, 1, broken); !errors.Is(err, ErrServed) {
			t.Fatal(err)
		}
	}
	if tries != MaxAttempts {
		t.Errorf("%d tries", tries)
	}
	_, err := command(t.Context(), root, &Merge{Root: root}, nil)
	want := "stage first: 1 of 11 shards missing: 4; 1 of them failed and were set aside, the first, shard 4: no memory"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	must.Fail(t, must.Err(command(t.Context(), root, &Merge{Root: root, Retry: true}, nil)))
	if err := worker(t, root, 0, 1, nil); !errors.Is(err, ErrServed) {
		t.Fatal(err)
	}
	var prepared *PreparedError
	if _, err := command(t.Context(), root, &Merge{Root: root}, nil); !errors.As(err, &prepared) {
		t.Errorf("error %v", err)
	}
}

// A worker does not go on from damaged shards; a merge makes them missing.
func TestArrayOverDamage(t *testing.T) {
	root := t.TempDir()
	command(t.Context(), root, &Merge{Root: root}, nil)
	if err := worker(t, root, 0, 1, nil); !errors.Is(err, ErrServed) {
		t.Fatal(err)
	}
	f, err := Join(filepath.Join(root, "first"), of(11))
	if err != nil || len(f.Remaining()) > 0 {
		t.Fatal(err)
	}
	must.Do(t, os.WriteFile(f.Path(6), []byte("damaged"), 0o666))
	must.Fail(t, worker(t, root, 0, 1, nil), "shard 6", "tattle merge")
	unlock, err := file.Share(f.Dir()) // a worker is at work
	must.Do(t, err)
	_, err = command(t.Context(), root, &Merge{Root: root}, nil)
	var missing *MissingError
	if !errors.As(err, &missing) || !slices.Equal(missing.Damaged, []int{6}) {
		t.Errorf("error %v", err)
	}
	must.Fail(t, f.verify(6)) // while a worker is at work
	if _, _, err := texts(f.Dir(), 11).Open(); !errors.Is(err, file.ErrLocked) {
		t.Skip("no locks here")
	}
	unlock()
	if _, err = command(t.Context(), root, &Merge{Root: root}, nil); err == nil || !strings.Contains(err.Error(), "1 of 11 shards missing: 6; damaged: 6") {
		t.Errorf("error %v", err)
	}
	if err := worker(t, root, 0, 1, nil); !errors.Is(err, ErrServed) {
		t.Fatal(err)
	}
	whole(t, f.Dir(), of(11))
}

func TestArrayRefuses(t *testing.T) {
	root := t.TempDir()
	command(t.Context(), root, &Merge{Root: root}, nil)
	for _, a := range []Array{{Index: 0, Of: 0}, {Index: -1, Of: 2}, {Index: 2, Of: 2}} {
		a.Root, a.Scratch = root, root
		if _, err := command(t.Context(), root, a, nil); err == nil {
			t.Errorf("%+v went on", a)
		}
	}
	a := Array{Of: 1, Root: root, Scratch: t.TempDir()}
	must.Fail(t, must.Err(command(t.Context(), t.TempDir(), a, nil)), a.Scratch) // work elsewhere
	_, err := a.Run(t.Context(), texts(filepath.Join(a.Scratch, "first"), 12))
	if _, ok := errors.AsType[*MismatchError](err); !ok {
		t.Errorf("another run: %v", err)
	}
	must.Fail(t, must.Err(a.Run(t.Context(), texts(filepath.Join(a.Scratch, "third"), 12))), "holds no stage third") // a stage that is not there, before one that is not complete
}

// Where versions say nothing, another build is refused by its file; who works alone goes
// on with either.
func TestArrayOfAnotherBuild(t *testing.T) {
	root := t.TempDir()
	m := of(11)
	m.Program = Current()
	if m.Program.Definite() {
		t.Skip("the version says all")
	}
	m.Program.Executable = strings.Repeat("ab", 32)
	begin(t, filepath.Join(root, "first"), m)
	for _, err := range []error{worker(t, root, 0, 1, nil), second(command(t.Context(), root, &Merge{Root: root}, nil))} {
		other, ok := errors.AsType[*MismatchError](err)
		if !ok || len(other.Fields) != 1 || other.Fields[0].Field != "program.executable" {
			t.Errorf("error %v", err)
		}
	}
	must.Get(command(t.Context(), root, Alone{}, nil))(t)
}

func second[T any](_ T, err error) error { return err }

// A worker does not pass for done with a stage that the run has merged without it.
func TestArrayAfterAnOrdinaryMerge(t *testing.T) {
	root := t.TempDir()
	f := begin(t, filepath.Join(root, "first"), of(11))
	lay(t, root, map[string]string{"arrays.npz": "x"})
	must.Do(t, errors.Join(f.KeepManifest(root), f.Discard()))
	must.Fail(t, worker(t, root, 0, 1, nil), "go on as the run was begun")
}

func TestRanges(t *testing.T) {
	var odd []int
	for i := range 30 {
		odd = append(odd, 2*i)
	}
	for want, numbers := range map[string][]int{
		"": nil, "3": {3}, "3, 7-9": {3, 7, 8, 9}, "0-1, 3-4": {0, 1, 3, 4},
		"0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, and 10 more": odd,
	} {
		if got := ranges(numbers); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
