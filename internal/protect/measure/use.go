package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/protect/release"
)

// mostDatabase is the largest number of vectors of a database.
const mostDatabase = 50000

// A Purpose is what the outputs of a model are used for, on some data.
type Purpose struct {
	Use   *release.Use // nil: the labels are answered
	Data  *dataset.Set
	Views *dataset.Set // of the same examples; nil: none
}

// Measured returns the purpose on as many examples of the data as are looked up with a model: all of the data for labels,
// and of vectors no more than mostDatabase, or fewer if the model is costly.
func (p Purpose) Measured(g *nn.Graph) Purpose {
	if p.Use == nil {
		return p
	}
	most := affordable(g, lookupWork, leastLookups, mostDatabase)
	if n := p.Data.Len(); n > most {
		some := DrawCandidates(n, most, 0)
		if p.Data = p.Data.Subset(some); p.Views != nil {
			p.Views = p.Views.Subset(some)
		}
	}
	return p
}

// Utility measures what a release is worth for the purpose, beside the original model without noise. If original is nil, the two sides
// of the release are that model; else the drop is measured, too. watch sees what is read; it may be nil.
func (p Purpose) Utility(ctx context.Context, original nn.Model, f release.Features, o release.UtilityOptions, watch func(nn.Source) nn.Source) (u release.Utility, err error) {
	if watch == nil {
		watch = func(data nn.Source) nn.Source { return data }
	}
	data := nn.Source(p.Data)
	if o.People = p.Data.People(); p.Use != nil {
		of, task, err := p.neighbours(ctx, original, f)
		if err != nil {
			return u, err
		}
		o.Task, o.Noisy, u.Database, u.Pairs = task, task, of.Len(), task.Pairs()
		if p.Use.Noise == release.NoiseDatabase || p.Use.Noise == release.NoiseBoth {
			noisy, err := f.Outputs(ctx, of, o.Seed^streamDatabase)
			if err == nil {
				o.Noisy, err = task.With(ctx, noisy)
			}
			if err != nil {
				return u, err
			}
		}
		if p.Use.Noise == release.NoiseDatabase {
			f.Noise, f.Label = release.None{}, false
		}
		data, o.People = nn.Choose(data, task.Queries()), p.Data.Subset(task.Queries()).People()
	}
	if original != nil {
		if u.Clean, o.Against, err = release.CleanUtility(ctx, original, watch(data), o.Task, o.People); err != nil {
			return u, err
		}
	}
	found, err := f.Utility(ctx, watch(data), o)
	if found.Database, found.Pairs = u.Database, u.Pairs; original != nil {
		found.Clean = u.Clean
	}
	return found, err
}

const streamDatabase = 0x6461746162617365 // "database"

// neighbours returns the task on the outputs of the original model, and the examples of its database.
func (p Purpose) neighbours(ctx context.Context, original nn.Model, f release.Features) (of nn.Source, task *release.Neighbours, err error) {
	database := cmp.Or(p.Views, p.Data)
	f.Noise, f.Label = release.None{}, false
	if original != nil {
		f.Front, f.Head = original, nil
	}
	vectors, err := f.Outputs(ctx, database, 0)
	if err != nil {
		return nil, nil, err
	}
	width := len(vectors) / database.Len()
	d := release.Database{Vectors: vectors, Width: width, People: p.Data.People(), Views: p.Views != nil}
	if p.Use.ByTarget() {
		if d.Labels = p.Data.Y; d.Labels == nil {
			return nil, nil, WrongOption("Utility", "%s: the data have no target: name it with --target", p.Use.Task)
		}
	}
	if task, err = release.NewNeighbours(ctx, *p.Use, d); err != nil {
		if at := (*release.VectorError)(nil); errors.As(err, &at) && at.Vector < len(p.Data.Rows) {
			err = &release.VectorError{Vector: p.Data.Rows[at.Vector], Err: at.Err}
		}
		return nil, nil, WrongOption("Utility", "%w", err)
	}
	return database, task, nil
}

// Check returns an error if vectors that are released themselves cannot be used so.
func (p Purpose) Check(ctx context.Context) error {
	if p.Use == nil {
		return nil
	}
	same, err := nn.NewNet(zoo.Vectors(nn.Size(p.Data.Shape)))
	if err == nil {
		_, _, err = p.neighbours(ctx, same, release.Features{})
	}
	return err
}

// OpenViews opens other views of the data that in reads, as the use names them, and notes their digest in it.
func OpenViews(u *release.Use, in Inputs, data *dataset.Set, open func(Inputs) (*dataset.Set, error)) (views *dataset.Set, err error) {
	switch {
	case u == nil || u.Views == "":
		return nil, nil
	case u.Views == release.ViewsMirror:
		if views, err = data.Mirrored(); err != nil {
			return nil, WrongOption("Views", "%w", err)
		}
	default:
		in.Path, in.viewsOf = u.Views, data
		if views, err = open(in); err != nil {
			return nil, wrong(OptionError{Option: "Views", Err: err})
		}
	}
	if u.SHA256 != "" && u.SHA256 != views.SHA256 {
		return nil, fmt.Errorf("views %s: sha256 %s, the report is about %s", u.Views, views.SHA256, u.SHA256)
	}
	u.SHA256 = views.SHA256
	return views, nil
}
