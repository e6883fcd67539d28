package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"tattle/audit"
	"tattle/curious"
	"tattle/internal/progress"
	"tattle/run"
)

// open reads the outputs through the door that is asked for.
func (c *auditCmd) open(ctx context.Context, e *env, dir string) (*audited, error) {
	d := &audited{options: c.options()}
	d.Defences = !c.NoDefences
	var err error
	if e.serve && c.Outputs == "" {
		if d.settled, err = audit.ReadTrainingSettings(filepath.Join(dir, shardsDir)); err != nil {
			return nil, err
		}
	}
	switch c.door() {
	case "--model":
		err = c.openModel(ctx, e, d)
	case "--endpoint":
		err = c.openEndpoint(ctx, e, dir, d)
	default:
		err = c.openOutputs(ctx, e, d)
	}
	if err != nil {
		return nil, err
	}
	if d.Sample.Outputs == nil { // somebody else asked
		return d, nil
	}
	if err := d.Sample.Check(); err != nil {
		return nil, usage(fmt.Errorf("%s: %w", c.door(), unprefixed(err)), "")
	}
	return d, nil
}

// options are what is asked of the audit itself.
func (c *auditCmd) options() audit.Options {
	o := audit.Options{
		Seed: c.Seed, Folds: c.Folds, Permutations: c.Permutations, MaxFit: c.MaxFit,
		Confidence: float64(c.Confidence), Margin: new(float64(c.Margin)), Attacks: slices.Clone(c.Attacks),
	}
	return o
}

// openOutputs reads a file of outputs, with those of honest classifiers where they
// stand in it.
func (c *auditCmd) openOutputs(ctx context.Context, e *env, d *audited) (err error) {
	if _, err := os.Stat(c.Outputs); err != nil {
		return fmt.Errorf("--outputs: %w", err)
	}
	bar := progress.NewBytes(e.stderr, "reading", 0)
	defer bar.Close()
	o := audit.OpenOptions{
		Target: c.Target, Sensitive: c.Sensitive, Scores: c.Scores, Kind: curious.Outputs(c.OutputsKind), Progress: bar.SetBytes,
	}
	if d.Sample, err = audit.OpenOutputs(ctx, c.Outputs, o); err != nil {
		return fileError(ctx, e, "--outputs", err)
	}
	if len(c.ReferenceScores) > 0 {
		if d.References, err = audit.OpenReferences(ctx, c.Outputs, o, c.ReferenceScores); err != nil {
			return fileError(ctx, e, "--reference-scores", err)
		}
		if c.SameRecipe {
			d.Recipe = audit.RecipeStated
		}
	}
	d.path = absolute(c.Outputs)
	d.hash, err = run.Digest(c.Outputs)
	return err
}

// fileError tells a file that cannot be read from one that says something else than
// it should: the latter is the caller's to mend.
func fileError(ctx context.Context, e *env, flag string, err error) error {
	named := fmt.Errorf("%s: %w", flag, unprefixed(err))
	var path *fs.PathError
	if ctx.Err() != nil || errors.As(err, &path) {
		return named
	}
	return usage(named, "")
}
