package cluster

import (
	"context"
	"time"

	"tattle/run"
)

// Deferred is a pool that submits a run when there is work for the first time.
type Deferred struct {
	Conn    *Conn
	Job     func(ctx context.Context) (Job, error)
	Options SubmitOptions
	// Workers, unless nil, is called now and then with the number of workers.
	Workers func(n int)

	run  *Submission
	stop context.CancelFunc // of the count; nil if there is none
}

// Run implements run.Pool.
func (d *Deferred) Run(ctx context.Context, w run.Work) (*run.Folder, error) {
	if d.run == nil {
		if err := d.submit(ctx); err != nil {
			return nil, err
		}
	}
	return d.run.Run(ctx, w)
}

// Submission returns the run that was submitted, nil if there was no work yet.
func (d *Deferred) Submission() *Submission { return d.run }

func (d *Deferred) submit(ctx context.Context) error {
	j, err := d.Job(ctx)
	if err != nil {
		return err
	}
	if d.run, err = d.Conn.Submit(ctx, j, d.Options); err != nil {
		return err
	}
	if d.Workers != nil {
		ctx, d.stop = context.WithCancel(ctx)
		go d.count(ctx)
	}
	return nil
}

// countEvery is how often workers are counted.
const countEvery = 5 * time.Second

// count reports the number of workers until ctx ends.
func (d *Deferred) count(ctx context.Context) {
	every := time.NewTicker(countEvery)
	defer every.Stop()
	for ctx.Err() == nil {
		if n, err := d.run.Workers(ctx); err == nil { // a server that is away comes back
			d.Workers(n)
		}
		select {
		case <-ctx.Done():
		case <-every.C:
		}
	}
}

// Close stops counting and closes the run, which stays in the cluster.
func (d *Deferred) Close() {
	if d.stop != nil {
		d.stop()
	}
	if d.run != nil {
		d.run.Close()
	}
}
