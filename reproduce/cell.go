package reproduce

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tattle/curious/training"
	"tattle/internal/file"
	"tattle/run"
	"tattle/run/folders"
)

// cellName is the folder of a cell, below the run's.
func cellName(t Training, seed uint64) string {
	return fmt.Sprintf("%s/%s/%s%d", cellsFolder, t.Key, cellPrefix, seed)
}

// of is the cell of a name; nil for no such.
func (g *Grid) of(name string) (*Training, uint64) {
	key, text, _ := strings.Cut(strings.TrimPrefix(name, cellsFolder+"/"), "/"+cellPrefix)
	seed, err := strconv.ParseUint(text, 10, 64)
	t := g.Training(key)
	if err != nil || t == nil || cellName(*t, seed) != name {
		return nil, 0
	}
	return t, seed
}

// cells makes the folders of a grid's cells.
type cells struct{ *Grid }

// Label implements folders.Set.
func (c cells) Label(name string) string {
	t, seed := c.of(name)
	if t == nil {
		return ""
	}
	return fmt.Sprintf("%s, seed %d", t.Key, seed)
}

// Manifest implements folders.Set.
func (c cells) Manifest(ctx context.Context, names []string) (run.Manifest, error) {
	m := run.Manifest{Command: "reproduce", Shards: len(names), Settings: folders.Settings{Common: c.settings(), Names: names}, Hashes: map[string]string{}}
	for _, name := range names {
		t, _ := c.of(name)
		if err := c.know(ctx, t.Target); err != nil {
			return m, err
		}
		m.Hashes[dataOf(t.Target)] = c.data[t.Target].digest
	}
	return m, nil
}

// Finished implements folders.Set.
func (c cells) Finished(name, dir string) ([]string, error) {
	t, seed := c.of(name)
	r, err := c.cellIn(dir, *t, seed)
	if r == nil {
		return nil, err
	}
	return r.Names(), nil
}

// Unpacked implements folders.Set.
func (c cells) Unpacked(string) error { return nil }

// Done implements folders.Set.
func (c cells) Done(name string, _ time.Duration) {
	t, _ := c.of(name)
	c.trained(c.data[t.Target].steps)
}

// Make implements folders.Set.
func (c cells) Make(ctx context.Context, name, dir string) error {
	t, seed := c.of(name)
	if err := c.open(ctx, t.Target); err != nil {
		return err
	}
	if err := file.MkdirAll(dir); err != nil {
		return err
	}
	o := c.trainOptions(seed)
	o.Progress = c.at
	done, err := c.Experiment.Train(ctx, *t, c.parts, dir, o)
	if err != nil {
		return err
	}
	r := &cellResult{Record: c.want(*t, seed), Key: t.Key, Measured: done.Measured}
	r.Examples, r.Epochs, r.Best, r.Failed = c.parts.Train.Len(), done.Epochs, done.Best, done.Failed
	return training.Write(dir, r, done.Models)
}

// cellIn returns the cell in a folder, nil if it is not finished.
func (g *Grid) cellIn(dir string, t Training, seed uint64) (*cellResult, error) {
	r, want := new(cellResult), g.want(t, seed)
	if ok, err := want.Finished(dir, r); !ok || err != nil {
		return nil, err
	}
	return r, nil
}

// trainOptions are those of every training, with a seed.
func (g *Grid) trainOptions(seed uint64) TrainOptions {
	return TrainOptions{Epochs: g.epochs, Seed: seed}
}

const cellPrefix = "seed-"

// CellSchema names the layout of a cell's result.json.
const CellSchema = "tattle/cell/1"

// cellResult is the result.json of a cell, a training with one seed.
type cellResult struct {
	training.Record
	Key string `json:"key"`
	Measured
}

// want is what a finished cell says of itself; its target's data are known.
func (g *Grid) want(t Training, seed uint64) training.Record {
	k := training.Record{Schema: CellSchema, Settings: g.settings(), Data: g.data[t.Target].digest}
	k.Settings["seed"] = strconv.FormatUint(seed, 10)
	return k
}
