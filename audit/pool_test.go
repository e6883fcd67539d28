package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"tattle/internal/must"
	"tattle/run"
)

// elsewhere has every stage computed by a run of its own, begun afresh in another
// folder: in any order, and with nothing but the earlier stages' shards.
type elsewhere struct {
	t      *testing.T
	begin  func(dir string, pool run.Pool) error
	before map[string]*run.Folder // the stages that are done, by the name of their folder
}

func (p *elsewhere) Run(ctx context.Context, w run.Work) (*run.Folder, error) {
	open := run.Create
	if _, err := os.Stat(filepath.Join(w.Dir, "manifest.json")); err == nil && w.Resume {
		open = run.Open
	}
	f, err := open(w.Dir, w.Manifest)
	if err != nil {
		return nil, err
	}
	if err := p.begin(p.t.TempDir(), &begun{p, w, f}); !errors.Is(err, errServed) {
		p.t.Errorf("%s: who computed it elsewhere came back with %v", w.Dir, err)
	}
	if f.Len() > 0 {
		recomputed(p.t, f, 0, w)
	}
	p.before[filepath.Base(w.Dir)] = f
	return f, nil
}

// begun is the pool of a run that computes a stage of another.
type begun struct {
	of     *elsewhere
	work   run.Work
	folder *run.Folder
}

func (b *begun) Run(ctx context.Context, w run.Work) (*run.Folder, error) {
	t := b.of.t
	name := filepath.Base(w.Dir)
	if name != filepath.Base(b.work.Dir) {
		f, err := run.Create(w.Dir, w.Manifest)
		for i := 0; err == nil && i < f.Len(); i++ {
			err = f.Commit(i, func(to io.Writer) error {
				data, err := os.ReadFile(b.of.before[name].Path(i))
				to.Write(data)
				return err
			})
		}
		return f, err
	}
	if !reflect.DeepEqual(manifestOf(t, w.Manifest), manifestOf(t, b.work.Manifest)) {
		t.Errorf("%s: the manifest is %+v there and %+v here", name, b.work.Manifest, w.Manifest)
	}
	for _, i := range rand.Perm(w.Manifest.Shards) {
		if b.folder.Done(i) {
			recomputed(t, b.folder, i, w)
		} else if err := b.folder.Commit(i, func(to io.Writer) error { return w.Do(ctx, i, to) }); err != nil {
			return nil, err
		}
	}
	return nil, errServed
}

var errServed = errors.New("the shards are computed")

func manifestOf(t *testing.T, m run.Manifest) (v any) {
	t.Helper()
	data, err := json.Marshal(m)
	if err != nil || json.Unmarshal(data, &v) != nil {
		t.Fatal(err)
	}
	return v
}

// recomputed computes a shard again and compares.
func recomputed(t *testing.T, f *run.Folder, i int, w run.Work) {
	t.Helper()
	var again bytes.Buffer
	must.Do(t, w.Do(t.Context(), i, &again))
	if is, err := os.ReadFile(f.Path(i)); err != nil || !bytes.Equal(is, again.Bytes()) {
		t.Errorf("%s: shard %d is other bytes when it is computed again (%v)", w.Dir, i, err)
	}
}
