package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tattle/internal/file"
	"tattle/reproduce"
	"tattle/run"
)

// cellName is the folder of a cell, below the run's.
func cellName(t reproduce.Training, seed uint64) string {
	return fmt.Sprintf("%s/%s/%s%d", cellsDir, t.Key, seedPrefix, seed)
}

// of is the cell of a name; nil for no such.
func (g *grid) of(name string) (*reproduce.Training, uint64) {
	key, text, _ := strings.Cut(strings.TrimPrefix(name, cellsDir+"/"), "/"+seedPrefix)
	seed, err := strconv.ParseUint(text, 10, 64)
	t := g.x.Training(key)
	if err != nil || t == nil || cellName(*t, seed) != name {
		return nil, 0
	}
	return t, seed
}

// label implements trainingSet.
func (g *grid) label(name string) string {
	t, seed := g.of(name)
	if t == nil {
		return ""
	}
	return fmt.Sprintf("%s, seed %d", t.Key, seed)
}

// manifest implements trainingSet.
func (g *grid) manifest(ctx context.Context, e *env, names []string) (run.Manifest, error) {
	m := run.Manifest{Command: "reproduce", Shards: len(names), Settings: stageSettings{g.settings(), names}, Hashes: map[string]string{}}
	for _, name := range names {
		t, _ := g.of(name)
		if err := g.know(ctx, e, t.Target); err != nil {
			return m, err
		}
		m.Hashes[dataOf(t.Target)] = g.data[t.Target].digest
	}
	return m, nil
}

// finished implements trainingSet.
func (g *grid) finished(name, dir string) (*trained, error) {
	t, seed := g.of(name)
	r, err := g.cellIn(dir, *t, seed)
	if r == nil {
		return nil, err
	}
	return &r.trained, nil
}

// cellIn returns the cell in a folder, nil where it is not finished.
func (g *grid) cellIn(dir string, t reproduce.Training, seed uint64) (*cellResult, error) {
	r, want := new(cellResult), g.want(t, seed)
	if ok, err := want.finished(dir, r); !ok || err != nil {
		return nil, err
	}
	return r, nil
}

// onUnpacked implements trainingSet.
func (g *grid) onUnpacked(string) error { return nil }

// onDone implements trainingSet.
func (g *grid) onDone(e *env, name string, took time.Duration) {
	t, _ := g.of(name)
	g.trained(e, g.data[t.Target].steps, took)
}

// make implements trainingSet.
func (g *grid) make(ctx context.Context, e *env, name, dir string) error {
	t, seed := g.of(name)
	if err := g.open(ctx, e, t.Target); err != nil {
		return err
	}
	if err := file.MkdirAll(dir); err != nil {
		return err
	}
	o := g.trainOptions(seed)
	o.Progress = func(steps int) { g.at(int64(steps)) }
	done, err := g.x.Train(ctx, *t, g.parts, dir, o)
	if err != nil {
		return err
	}
	r := &cellResult{trained: g.want(*t, seed), Key: t.Key, Measured: done.Measured}
	r.Examples, r.Epochs, r.Best, r.Failed = g.parts.Train.Len(), done.Epochs, done.Best, done.Failed
	return keep(dir, r, done.Models)
}

// trainOptions are those of every training, with a seed.
func (g *grid) trainOptions(seed uint64) reproduce.TrainOptions {
	return reproduce.TrainOptions{Epochs: g.epochs, Seed: seed}
}

const cellSchema = "tattle/cell/1"

// cellResult is the result.json of a cell, a training with one seed.
type cellResult struct {
	trained
	Key string `json:"key"`
	reproduce.Measured
}

// want is what a finished cell says of itself; its target's data are known.
func (g *grid) want(t reproduce.Training, seed uint64) trained {
	k := trained{Schema: cellSchema, Settings: g.settings(), Data: g.data[t.Target].digest}
	k.Settings["seed"] = strconv.FormatUint(seed, 10)
	return k
}
