package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"tattle/internal/data/dataset"
	"tattle/internal/file"
	"tattle/internal/infer"
	"tattle/internal/protect/measure"
	"tattle/internal/report"
	"tattle/internal/reveal/audit"
	"tattle/internal/reveal/curious"
)

type auditCmd struct {
	Model    string `help:"Audit a classifier in an ONNX file, applied to --data." placeholder:"FILE" input:"model"`
	Endpoint string `help:"Audit a server that speaks the Open Inference Protocol v2. Token: TATTLE_TOKEN." placeholder:"URL"`
	At       string `help:"Audit this node of --model as a vector." placeholder:"NODE" more:""`
	Outputs  string `help:"Audit outputs and labels in a CSV or .npz file." placeholder:"FILE" input:"file"`
	Vectors  string `help:"Audit vectors, such as embeddings, in such a file." placeholder:"FILE" input:"file"`

	Columns []string `help:"Columns of --vectors, such as \"e_*\"; in .npz, one array (default: by their names)." placeholder:"COLUMN" more:""`

	Target    string   `help:"Target attribute: a column, age:number, a rule such as \"age: <=30, >30\", or none (default: the data's own, or y; none for vectors)." placeholder:"RULE"`
	Sensitive []string `sep:"none" help:"Sensitive attribute: a column or a rule, such as \"race: White; *\". Repeatable." placeholder:"RULE"`
	groupFlag

	FailOn        string `help:"Exit with status 1 if: curious, beyond, leaky, inconclusive, never, or a limit such as \"excess>5%@95%\" (default: beyond)." default:"beyond" placeholder:"RULES"`
	Baseline      string `help:"TOML file of accepted findings (see --write-baseline)." placeholder:"FILE" input:"file"`
	WriteBaseline string `help:"Write the findings to this file, for --baseline. Add a reason and an owner to each." placeholder:"FILE" writes:"file" more:""`
	Sarif         string `name:"sarif" help:"Also write the report as SARIF to this file." placeholder:"FILE" writes:"file"`
	JUnit         string `name:"junit" help:"Also write the report as JUnit XML to this file." placeholder:"FILE" writes:"file" more:""`
	Markdown      string `help:"Also write the report as Markdown to this file." placeholder:"FILE" writes:"file" more:""`
	sharedRun

	auditDataFlags      `group:"Labelled data (--model, --endpoint)"`
	auditEndpointFlags  `group:"Endpoint (--endpoint)"`
	auditOutputsFlags   `group:"File of outputs (--outputs)"`
	auditReferenceFlags `group:"Honest classifiers to compare with"`
	auditFigureFlags    `group:"Statistics"`
}

func (auditCmd) Help() string {
	return `The verdict for each sensitive attribute s, beside the target y, is one of:

  curious                  reveals more than honest training by the same recipe
  leaky beyond the target  reveals more than y explains
  leaky by correlation     the outputs depend on s, as y does
  no evidence              nothing found; the report says what would have been found
  inconclusive             too few examples, or a control failed

Audit outputs alone, a CSV with columns y, s1, … and score:CLASS:

  tattle audit --outputs scores.csv

Audit a model, and compare it with honest training on the same data:

  tattle audit --model model.onnx --data faces.zip --kind fairface --target "age: <30, >=30" --sensitive gender --reference faces.zip

Exit status: 0 no rule of --fail-on is broken, 1 one is, 2 wrong usage, 3 inconclusive or unfinished. docs/audit.md explains more.`
}

// MoreHelp implements detailed.
func (auditCmd) MoreHelp() string {
	return `Audit a server in CI, and fail above 5 points:

  TATTLE_TOKEN=… tattle audit --endpoint https://host/v2/models/age --data faces.zip --kind fairface --sensitive gender --fail-on "excess>5%@95%" --sarif audit.sarif

Audit embeddings, in the columns e_0, e_1, … of a CSV:

  tattle audit --vectors people.csv --sensitive sex

Attacks are fitted to the outputs by cross-fitting: each example is judged by attacks that were fitted without it. An excess does not show intent, because honest training also leaks: --reference measures how much. Only an audit with references can give the verdict curious. With status 3, the report of an inconclusive audit is written.`
}

func (c *auditCmd) Run(ctx context.Context, e *env) error {
	rules, err := c.check()
	if err != nil {
		return err
	}
	accepted, err := c.accepted()
	if err != nil {
		return err
	}
	return c.compute(ctx, e, "audit", func(dir string) (*report.Report, error) { return c.audit(ctx, e, dir, rules, accepted) })
}

// audit reads, measures and reports.
func (c *auditCmd) audit(ctx context.Context, e *env, dir string, rules audit.FailOn, accepted *audit.Accepted) (*report.Report, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(measure.GarbageShare))
	q, err := c.request()
	if err != nil {
		return nil, err
	}
	q.Pool, q.Progress = e.pool, e.bars.Set
	s, err := q.Open(ctx, filepath.Join(dir, shardsDir, answersDir))
	if err != nil {
		return nil, withoutToken(err)
	}
	if err := c.checkFit(ctx, e, s); err != nil {
		return nil, err
	}
	timing := map[string]float64{}
	begun := time.Now()
	if err := q.Prepare(ctx, filepath.Join(dir, shardsDir), s); err != nil {
		return nil, err
	}
	timing["training"] = time.Since(begun).Seconds()
	begun = time.Now()
	o := c.options()
	o.Progress = e.bars.Set
	res, err := s.Audit(ctx, o)
	if err != nil {
		return nil, err
	}
	timing["audit"] = time.Since(begun).Seconds()
	r := res.Report(s.Setup(q, &rules, accepted, c.Folds))
	s.Describe(r)
	r.Command, r.Timing = e.command(), timing
	for _, w := range append(s.Notes, accepted.Unused(res)...) {
		r.Warn(w)
	}
	if s := rules.Unreachable(res); s != "" {
		r.Warn(s)
		e.say("%s", s)
	}
	if err := s.Record.Write(e.files, dir); err != nil {
		return nil, err
	}
	if r.Files, err = report.Digests(dir, s.Record.Files()); err != nil {
		return nil, err
	}
	if err := c.writeElsewhere(e, r, res); err != nil {
		return r, hinted(err, "the report is in "+file.Quote(dir))
	}
	return r, c.status(rules, r)
}

// checkFit warns of a model whose inputs are probably scaled in another way than in its training.
func (c *auditCmd) checkFit(ctx context.Context, e *env, s *audit.Subject) error {
	if s.Model == nil || c.At != "" {
		return nil
	}
	x := s.Examples
	in := measure.Inputs{Path: x.Source.Path, Labels: x.Source.Labels, Target: x.Source.Target, Sensitive: x.Source.Sensitive, Seed: x.Source.Seed, SkipMissing: x.Source.SkipMissing}
	set := x.Set
	if set.Values != nil { // another way to scale a table is another reading of it, in its own order
		var err error
		if set, _, err = in.Open(ctx, s.Model, nil); err != nil {
			return ctx.Err()
		}
	}
	f, err := fitOf(ctx, s.Model, in, set)
	if err != nil || f == nil {
		return err
	}
	return e.sayFit(f, false)
}

// status returns the error that sets the exit status, once everything is written.
func (c *auditCmd) status(rules audit.FailOn, r *report.Report) error {
	say := func(of func(f report.Finding) bool) string {
		var said []string
		for _, f := range r.Findings {
			if of(f) {
				said = append(said, strings.TrimPrefix(r.Say(f), "Broken rule: "))
			}
		}
		return file.Line(strings.Join(said, " "))
	}
	broken := say(func(f report.Finding) bool { return f.Code == report.Broken || f.Code == report.BrokenVerdict })
	switch {
	case broken != "":
		return finding(fmt.Errorf("--fail-on: %s", broken), "")
	case r.Label() == "inconclusive" && rules.String() != "never":
		return hinted(fmt.Errorf("inconclusive: %s", r.Say(r.Findings[0])), say(func(f report.Finding) bool { return report.WordingOf(f.Code).Part == report.Advice }))
	}
	return nil
}

// plantedGlyphs is the default: a variable for tests, whose many short audits need a planted model,
// but not the best one.
var plantedGlyphs int

// request returns what the flags ask for.
func (c *auditCmd) request() (*audit.Request, error) {
	q := &audit.Request{
		Model: c.Model, Endpoint: c.Endpoint, Outputs: c.Outputs, Vectors: c.Vectors,
		ModelOptions: measure.ModelOptions(c.readFlags), Connect: c.connect, Batch: c.Batch,
		OutputsOptions: audit.OpenOptions{Columns: slices.Concat(c.Scores, c.Columns), Kind: curious.Outputs(c.OutputsKind), References: c.ReferenceScores}, Data: c.Data,
		Kind: kinds[c.Kind], Labels: c.Labels, FileColumn: c.FileColumn, SkipMissing: c.SkipMissing, Target: c.Target, Sensitive: c.Sensitive, Group: c.Group,
		Size: c.Size, Part: dataset.Split(c.Part), Limit: c.limit(), DataSeed: c.DataSeed,
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

// connect returns a client of the endpoint, by its flags.
func (c *auditCmd) connect(shape []int) (audit.Server, error) {
	o := infer.Options{
		Model: c.EndpointModel, Output: c.ModelOutput, Token: token(),
		Timeout: c.Timeout, Rate: float64(c.Rate), Batch: c.Batch, Shape: shape,
	}
	if c.Retries != nil {
		if o.Retries = *c.Retries; o.Retries == 0 {
			o.Retries = -1
		}
	}
	return infer.New(c.Endpoint, o)
}

// tokenVariable is the environment variable with the bearer token, which must not appear in
// a command line.
const tokenVariable = "TATTLE_TOKEN"

func token() string { return strings.TrimSpace(os.Getenv(tokenVariable)) }

// withoutToken adds a hint to the error of a server that wants a token.
func withoutToken(err error) error {
	refused, is := errors.AsType[*infer.StatusError](err)
	unread, named := errors.AsType[*measure.InputError](err)
	if is && named && (refused.Code == http.StatusUnauthorized || refused.Code == http.StatusForbidden) {
		unread.Hint = "the environment variable " + tokenVariable + " holds the bearer token"
	}
	return err
}

// options returns the flags about the statistics.
func (c *auditCmd) options() audit.Options {
	return audit.Options{
		Seed: c.Seed, Folds: c.Folds, Permutations: c.Permutations, MaxFit: c.MaxFit,
		Confidence: float64(c.Confidence), Margin: new(float64(c.Margin)), Attacks: slices.Clone(c.Attacks),
	}
}

// answersDir keeps what an endpoint answered, until the audit is done.
const answersDir = "answers"

// writeElsewhere writes what was asked for outside of the run's folder.
func (c *auditCmd) writeElsewhere(e *env, r *report.Report, res *audit.Result) error {
	r.Rendered = map[string]string{}
	for _, f := range []struct {
		path  string
		write func(io.Writer) error
	}{{c.Markdown, r.WriteMarkdown}, {c.Sarif, r.WriteSARIF}, {c.JUnit, r.WriteJUnit}} {
		if f.path == "" {
			continue
		}
		if err := r.Render(e.files.For(f.path), f.path, absolute(f.path), f.write); err != nil {
			return err
		}
	}
	if c.WriteBaseline != "" {
		entries := res.Acceptances("", "", time.Now().UTC().AddDate(0, 0, acceptedDays).Format(time.DateOnly)) // whose reasons and owners are still to be added
		if err := e.files.For(c.WriteBaseline).Write(c.WriteBaseline, func(w io.Writer) error { return audit.WriteAcceptances(w, entries) }); err != nil {
			return fmt.Errorf("--write-baseline: %w", err)
		}
	}
	return nil
}

// checkPlaces finds early what would fail when all is done.
func (c *auditCmd) checkPlaces() error {
	for _, x := range []struct{ flag, path string }{{"sarif", c.Sarif}, {"junit", c.JUnit}, {"markdown", c.Markdown}, {"write-baseline", c.WriteBaseline}} {
		if info, err := os.Stat(filepath.Dir(x.path)); x.path != "" && (err != nil || !info.IsDir()) {
			return usage(fmt.Errorf("--%s: the folder %s does not exist", x.flag, filepath.Dir(x.path)), "")
		}
		if info, err := os.Stat(x.path); x.path != "" && err == nil && !info.Mode().IsRegular() {
			return usage(fmt.Errorf("--%s: %s is not a file", x.flag, x.path), "")
		}
		if name := filepath.Base(x.path); c.Out != "" && absolute(filepath.Dir(x.path)) == absolute(c.Out) && slices.Contains([]string{reportJSON, reportHTML, runFile, "outputs.npz", "planted.npz", audit.TrainedFile}, name) {
			return usage(fmt.Errorf("--%s: the run itself writes %s", x.flag, x.path), "name another file")
		}
	}
	return nil
}

// accepted reads the file of accepted findings, nil if none is given.
func (c *auditCmd) accepted() (*audit.Accepted, error) {
	if c.Baseline == "" {
		return nil, nil
	}
	entries, err := audit.ReadAcceptances(c.Baseline)
	if err != nil {
		return nil, usage(fmt.Errorf("--baseline: %w", err), "tattle audit --write-baseline FILE makes one; docs/audit-ci.md explains the keys")
	}
	return &audit.Accepted{Day: time.Now().UTC().Format(time.DateOnly), Entries: entries}, nil
}

// acceptedDays is how long an entry of --write-baseline holds.
const acceptedDays = 90
