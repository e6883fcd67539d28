package cli

import (
	"os"
	"slices"
	"strings"

	"tattle/internal/infer"
	"tattle/internal/protect/measure"
	"tattle/internal/reveal/audit"
	"tattle/internal/reveal/curious"
)

// plantedGlyphs is the default: a variable for tests, whose many short audits need a planted model,
// but not the best one.
var plantedGlyphs int

// request returns what the flags ask for.
func (c *auditCmd) request() (*audit.Request, error) {
	q := &audit.Request{
		Model: c.Model, Endpoint: c.Endpoint, Outputs: c.Outputs, Vectors: c.Vectors,
		ModelOptions: measure.ModelOptions(c.readFlags), Client: c.client(),
		OutputsOptions: audit.OpenOptions{Scores: c.Scores, Columns: c.Columns, Kind: curious.Outputs(c.OutputsKind)}, ReferenceScores: c.ReferenceScores,
		Data: c.Data, Kind: kinds[c.Kind], Labels: c.Labels, FileColumn: c.FileColumn, SkipMissing: c.SkipMissing, Target: c.Target, Sensitive: c.Sensitive, Group: c.Group,
		Size: c.Size, Part: c.Part, Examples: c.Examples, DataSeed: c.DataSeed,
		Reference: c.Reference, References: c.References, MaxEpochs: mostEpochs, PlantedGlyphs: plantedGlyphs, SameRecipe: c.SameRecipe, At: c.At,
		ReferenceTarget: c.ReferenceTarget, ReferenceSensitive: c.ReferenceSensitive,
		Defences: !c.NoDefences, Seed: c.Seed, Resume: c.Resume,
	}
	if c.ReferenceEpochs != nil {
		q.Epochs = *c.ReferenceEpochs
	}
	var err error
	q.Widths, err = parseWidths("reference-widths", c.ReferenceWidths)
	return q, err
}

// client returns the flags about the endpoint as options of its client.
func (c *auditCmd) client() infer.Options {
	o := infer.Options{
		Model: c.EndpointModel, Output: c.ModelOutput, Token: token(),
		Timeout: c.Timeout, Rate: float64(c.Rate), Batch: c.Batch,
	}
	if c.Retries != nil {
		if o.Retries = *c.Retries; o.Retries == 0 {
			o.Retries = -1
		}
	}
	return o
}

// tokenVariable is the environment variable with the bearer token, which must not appear in
// a command line.
const tokenVariable = "TATTLE_TOKEN"

func token() string { return strings.TrimSpace(os.Getenv(tokenVariable)) }

// options returns the flags about the statistics.
func (c *auditCmd) options() audit.Options {
	return audit.Options{
		Seed: c.Seed, Folds: c.Folds, Permutations: c.Permutations, MaxFit: c.MaxFit,
		Confidence: float64(c.Confidence), Margin: new(float64(c.Margin)), Attacks: slices.Clone(c.Attacks),
	}
}
