package design

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tattle/internal/shared"
	"tattle/run"
)

// errTired ends an odd pool's work.
var errTired = errors.New("tired")

// odd is a pool that computes the shards of a folder backwards, each twice, and so many
// of them before it is tired: 0 never is. It notes what it was asked.
type odd struct {
	until  int
	stages []string
	shards int
}

func (o *odd) Run(ctx context.Context, w run.Work) (*run.Folder, error) {
	o.stages = append(o.stages, filepath.Base(filepath.Dir(w.Dir))+"/"+filepath.Base(w.Dir))
	open := run.Create
	if _, err := os.Stat(filepath.Join(w.Dir, "manifest.json")); err == nil && w.Resume {
		open = run.Open
	}
	f, err := open(w.Dir, w.Manifest)
	if err != nil {
		return nil, err
	}
	for _, i := range slices.Backward(f.Remaining()) {
		if o.until > 0 && o.shards == o.until {
			return nil, errTired
		}
		var first, again strings.Builder
		short, stop := context.WithTimeout(ctx, 8*time.Millisecond) // what is given up leaves no trace
		w.Do(short, i, io.Discard)
		stop()
		if err := errors.Join(w.Do(ctx, i, &first), w.Do(ctx, i, &again)); err != nil {
			return nil, err
		}
		if first.String() != again.String() {
			return nil, errors.New("a shard is not the same when computed again")
		}
		if err := f.Commit(i, func(to io.Writer) error { _, err := io.WriteString(to, first.String()); return err }); err != nil {
			return nil, err
		}
		o.shards++
	}
	return f, nil
}

// comparable makes answers of one search equal: what is NaN is 0.
func comparable(a *Answer) *Answer {
	a.Best.AttackMSE, a.Confirmed.Attacks.PriorAlone.Recognised = 0, 0
	for i := range a.Frontier {
		a.Frontier[i].AttackMSE = 0
	}
	return a
}

// However shards are computed, and however often the search is interrupted, the answer
// is the same: here one for which every stage is needed.
func TestStages(t *testing.T) {
	shared.Long(t, "an interrupted search comes to the same answer")
	g, train, test := trained(t)
	o := quick(Target{Directions: 0, Within: 5}, .02)
	o.Families, o.Keeps, o.Examples = []string{"gaussian"}, []int{0, 16, 8}, 10
	want := comparable(search(t, o))
	if want.Evaluations < len(want.Frontier) {
		t.Errorf("%d evaluations for %d points", want.Evaluations, len(want.Frontier))
	}

	o.Dir, o.Resume = t.TempDir(), true
	var asked []string
	for done := false; !done; {
		p := &odd{until: 3}
		o.Pool = p
		a, err := Search(context.Background(), g, "", train, test, o)
		switch {
		case err == nil:
			asked, done = p.stages, true
			if got := comparable(a); !reflect.DeepEqual(got, want) {
				t.Errorf("in pieces: %+v\nwant %+v", got, want)
			}
		case !errors.Is(err, errTired) || p.shards != 3:
			t.Fatalf("%v after %d shards", err, p.shards)
		}
	}
	base := filepath.Base(o.Dir)
	if want := []string{base + "/lines", base + "/limits"}; len(asked) < 2 || !reflect.DeepEqual(asked[:2], want) {
		t.Errorf("stages %q, want %q first", asked, want)
	}

	// Another search does not go on with this one's folder.
	o.Seed++
	var other *run.MismatchError
	if _, err := Search(context.Background(), g, "", train, test, o); !errors.As(err, &other) || !strings.Contains(err.Error(), "settings.seed") {
		t.Errorf("another seed: %v", err)
	}
}
