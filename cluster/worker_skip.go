package cluster

import (
	"context"
	"slices"
)

// Announced says whether a worker is to look at the stage in dir: not where that is
// complete. A command asks this of its pool where nothing of what follows needs the
// stage's shards, which are then not fetched.
func (h *home) Announced(ctx context.Context, dir string) bool {
	name, err := stageName(h.root, dir)
	if err != nil {
		return true // Run says what is wrong
	}
	stages, err := h.l.stages(ctx)
	return err != nil || !slices.ContainsFunc(stages, func(s stageInfo) bool { return s.Name == name && s.Done })
}
