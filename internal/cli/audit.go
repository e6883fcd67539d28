package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"tattle/internal/file"
	"tattle/internal/protect/measure"
	"tattle/internal/report"
	"tattle/internal/reveal/audit"
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
	q, err := c.request()
	if err != nil {
		return nil, err
	}
	q.Pool, q.Progress = e.pool, e.bars.Set
	s, err := q.Open(ctx, filepath.Join(dir, shardsDir, answersDir))
	if err != nil {
		return nil, err
	}
	if err := c.checkFit(ctx, e, s); err != nil {
		return nil, err
	}
	timing := map[string]float64{}
	begun := time.Now()
	if err := q.Prepare(ctx, filepath.Join(dir, shardsDir), s, e.pool); err != nil {
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
