package run

import "context"

// Array computes one part of a run in a folder that several processes share, without
// any connection between them: of each stage the shards whose numbers leave the
// remainder Index when divided by Of. Merge prepares the stages and gathers them.
type Array struct {
	Index, Of int
	Root      string // the run's folder, which all share
	Scratch   string // this process's own: Work.Dir lies in it where the stage's folder lies in Root
	Log       func(format string, a ...any)
}

// Run implements Pool.
func (a Array) Run(ctx context.Context, w Work) (*Folder, error) { panic("not yet") }

// Prepare copies the manifests of the run's stages into Scratch, for the command to go
// on from.
func (a Array) Prepare() error { panic("not yet") }
