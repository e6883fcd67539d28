package audit

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/must"
	"tattle/internal/reveal/curious"
	"tattle/internal/run"
	"tattle/internal/shared"
)

// smallTrainings are the trainings of a small audit: five references and a planted model.
func smallTrainings() []trainingJob {
	p := &dataset.Parts{Train: tinyTask(600, 1), Validation: tinyTask(100, 2), Test: tinyTask(120, 3)}
	like := unasked(p.Test, curious.Raw, 0)
	var all []trainingJob
	for i := range 5 {
		all = append(all, trainingJob{"reference", func(ctx context.Context, progress func(done, total int, loss float64)) (*Trained, error) {
			return reference(ctx, p, i, curious.Raw, curious.Options{Seed: 1, Epochs: 2, Net: tinyNet, Progress: progress})
		}})
	}
	return append(all, trainingJob{"planted", func(ctx context.Context, progress func(done, total int, loss float64)) (*Trained, error) {
		return plantIn(ctx, p, like, 50, 0, curious.Options{Seed: 1, Epochs: 8, Net: tinyNet, Progress: progress})
	}})
}

// Whatever is trained in whatever order by whomever, and however often it is broken
// off, comes back as it was.
func TestTrainAnywhere(t *testing.T) {
	shared.Long(t, "interrupted trainings")
	ctx, all := context.Background(), smallTrainings()
	limitWork(t, 600*1.5*(exampleWork+80), plantedWork)
	m := run.Manifest{Settings: map[string]int{"seed": 1}, Hashes: map[string]string{"data": "ab"}}
	told := 0
	q := &Request{Progress: func(what string, done, total int) {
		if done < told || total != 100 || what != "training 6 classifiers, percent done" {
			t.Errorf("%s: %d of %d after %d", what, done, total, told)
		}
		told = done
	}}
	want, err := q.train(ctx, filepath.Join(t.TempDir(), "whole"), all, m)
	if err != nil || told != 100 {
		t.Fatal(err, told)
	}
	for i, l := range all {
		direct := must.Get(l.train(ctx, func(int, int, float64) {}))(t)
		if !reflect.DeepEqual(direct, want[i]) {
			t.Errorf("training %d is\n%.300v, kept as\n%.300v", i, direct, want[i])
		}
	}
	if want[5].Where == "" || want[0].Sample.Notes == nil || want[0].Sample.Sum() == want[1].Sample.Sum() {
		t.Errorf("%+v, %q", want[5], want[0].Sample.Notes)
	}

	dir := filepath.Join(t.TempDir(), "broken off")
	inner, stop := context.WithCancel(ctx)
	q.Progress = func(_ string, done, _ int) {
		if done > 34 { // the third is under way
			stop()
		}
	}
	if _, err := q.train(inner, dir, all, m); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if records, _ := filepath.Glob(filepath.Join(dir, "shard-*.sha256")); len(records) != 2 {
		t.Errorf("%d trainings are kept, not 2", len(records))
	}
	q = &Request{Resume: true}
	got, err := q.train(ctx, dir, all, m)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("resumed: %v\n%.300v, at once\n%.300v", err, got, want)
	}
	var other *run.MismatchError
	m.Settings = map[string]int{"seed": 2}
	if _, err := q.train(ctx, dir, all, m); !errors.As(err, &other) {
		t.Errorf("another audit's trainings: %v", err)
	}
}

// What cannot be trained does not stop the rest, and is all that is done again.
func TestTrainSetsAside(t *testing.T) {
	trained, broken := make([]int, 3), true
	var all []trainingJob
	for i, name := range []string{"reference 1", "reference 2", "planted"} {
		all = append(all, trainingJob{name, func(context.Context, func(done, total int, loss float64)) (*Trained, error) {
			if trained[i]++; i == 1 && broken {
				return nil, errors.New("the loss is NaN")
			}
			return &Trained{Sample: drawn(20, 2, curious.Raw, uint64(i))}, nil
		}})
	}
	dir, m := filepath.Join(t.TempDir(), "trainings"), run.Manifest{Settings: struct{}{}}
	_, err := new(Request).train(t.Context(), dir, all, m)
	var failed *run.FailedError
	if !errors.As(err, &failed) || len(failed.Failures) != 1 || !strings.Contains(err.Error(), "reference 2: the loss is NaN") {
		t.Fatal(err)
	}
	broken = false
	got, err := (&Request{Resume: true}).train(t.Context(), dir, all, m)
	if err != nil || len(got) != 3 || !reflect.DeepEqual(trained, []int{1, run.MaxAttempts + 1, 1}) {
		t.Errorf("%v, trained %v times", err, trained)
	}
}

// FuzzTrained reads what may be a training that was kept.
func FuzzTrained(f *testing.F) {
	s := drawn(4, 2, curious.Soft, 1)
	s.Sensitive = s.Sensitive[:1]
	for _, x := range []*Trained{{Sample: s}, {Sample: s, TrueExcess: .2, Where: "here"}} {
		var b bytes.Buffer
		must.Do(f, x.write(&b))
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := decodeTrained(context.Background(), data)
		if err != nil || x.Sample.writable() != nil {
			return
		}
		var b bytes.Buffer
		must.Do(t, x.write(&b))
		if again, err := decodeTrained(context.Background(), b.Bytes()); err != nil || x.Sample.Sum() != again.Sample.Sum() {
			t.Fatal(err)
		}
	})
}
