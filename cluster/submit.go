package cluster

import (
	"context"
	"errors"

	"tattle/run"
)

// Submission is a run that was submitted: a pool whose work is done by the workers of
// a cluster, and collected here.
type Submission struct{}

// Submit hands a run to a cluster, or goes on with the one that the folder's
// cluster.json names. The folder is kept from other submitters until Finish or the
// end of the process.
func (c *Conn) Submit(ctx context.Context, j Job, o SubmitOptions) (*Submission, error) {
	return nil, errors.New("submit: to come")
}

// Run implements run.Pool.
func (s *Submission) Run(ctx context.Context, w run.Work) (*run.Folder, error) {
	return nil, errors.New("submit: to come")
}

// Finish ends the run: all that the cluster keeps of it goes, but for the entry that
// says that it is finished.
func (s *Submission) Finish(ctx context.Context) error { return nil }
