package cluster

import (
	"context"
	"errors"
)

// Work takes shards of the cluster's runs until ctx ends, the named run ends, or
// nothing came for as long as Idle.
func (c *Conn) Work(ctx context.Context, o WorkerOptions) error {
	return errors.New("work: to come")
}
