package cluster

import (
	"context"
	"errors"
)

// Runs lists the runs that the cluster knows, the oldest first.
func (c *Conn) Runs(ctx context.Context) ([]RunState, error) {
	return nil, errors.New("runs: to come")
}

// Remove ends a run and removes all that the cluster keeps of it. Workers stop, and
// the submitter goes on from its folder with --resume.
func (c *Conn) Remove(ctx context.Context, id string) error {
	return errors.New("runs: to come")
}
