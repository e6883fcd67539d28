package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"tattle/audit"
	"tattle/report"
)

type auditCmd struct {
	Model    string `help:"The release is a classifier, an ONNX file, asked about --data." placeholder:"FILE" input:"model"`
	Endpoint string `help:"The release is a server that speaks the Open Inference Protocol v2 (KServe, Triton, OpenVINO, MLServer), asked about --data. A bearer token is taken from the environment variable TATTLE_TOKEN." placeholder:"URL"`
	Outputs  string `help:"The release is these outputs with the labels of the same examples: a CSV or .npz." placeholder:"FILE" input:"file"`

	Target    string   `help:"What the outputs answer: a column of the labels, or a rule that makes classes of one, as \"age: <=30, >30\" (default: the data's own; of --outputs, y, target or label)." placeholder:"RULE"`
	Sensitive []string `sep:"none" help:"The sensitive attribute: a column or a rule, as \"race: White; *\". Several times: each of them (default: the data's own; of --outputs, s1, s2 and so on). Of --outputs, NAME:number and NAME:class say how a column is taken." placeholder:"RULE"`

	FailOn   string `help:"What makes the exit status 1: curious, beyond, leaky, inconclusive, never, or figures whose lower confidence limit is over a threshold, as \"excess>5%@95%\", \"curiosity>60%\", \"leakage>1.5\", \"information>.2\"; for one attribute \"race: excess>2%\". Commas between several (default: beyond, which is what curious meant before it required references)." default:"beyond" placeholder:"RULES"`
	Evidence string `help:"Also write an evidence pack into this folder: figures, settings, digests, every example's guess. The same audit gives the same bytes." placeholder:"DIR" writes:"folder"`
	Sarif    string `name:"sarif" help:"Also write report.sarif here." placeholder:"FILE" writes:"file"`
	JUnit    string `name:"junit" help:"Also write report.junit.xml here." placeholder:"FILE" writes:"file"`
	Markdown string `help:"Also write report.md here." placeholder:"FILE" writes:"file"`
	Resume   bool   `help:"Go on with the interrupted audit in --out: what an endpoint answered is not asked again, and what was trained not trained again."`
	output

	auditDataFlags      `group:"Labelled data (--model, --endpoint)"`
	auditEndpointFlags  `group:"Endpoint (--endpoint)"`
	auditOutputsFlags   `group:"File of outputs (--outputs)"`
	auditReferenceFlags `group:"Honest classifiers to compare with"`
	auditFigureFlags    `group:"How it is judged"`
	clusterFlags        `group:"Runs over several machines"`
}

func (auditCmd) Help() string {
	return `Do these outputs tell a sensitive attribute s beyond what the target y explains? Attacks are fitted to the outputs so that every example is judged by attacks that never saw it; what they tell of each sensitive attribute beyond what the target explains is the excess. The verdict is curious (more than honest training by the same recipe tells), tells s beyond y, leaky by correlation, inconclusive, or no evidence (with the smallest excess that is found in the kinds of channel that were planted).

Outputs alone, a CSV with columns y, s1, … and score:CLASS:

  tattle audit --outputs scores.csv

A model, and what honest training on the same task leaks:

  tattle audit --model model.onnx --data faces.zip --kind fairface --target "age: <30, >=30" --sensitive gender --reference faces.zip

A server, in a build that must not ship more than 5 points:

  TATTLE_TOKEN=… tattle audit --endpoint https://host/v2/models/age --data faces.zip --kind fairface --sensitive gender --fail-on "excess>5%@95%" --sarif audit.sarif

Exit status: 0 within --fail-on, 1 over it, 3 inconclusive (the report is written all the same) or unfinished, 2 wrong usage. An excess does not show purpose, for networks learn more than they are taught: --reference measures how much honest training tells. --fail-on curious needs references; without them the verdict is at most tells s beyond y. docs/audit.md explains the verdicts.`
}

func (c *auditCmd) Run(e *env) error {
	if e.serve { // reports are the submitter's
		c.Evidence, c.Sarif, c.JUnit, c.Markdown = "", "", "", ""
	}
	rules, err := c.check()
	if err != nil {
		return err
	}
	if err := c.begunAlready(); err != nil {
		return err
	}
	return c.in(e, "audit", c.Resume, func(dir string) error {
		r, err := c.audit(e, dir, rules)
		if err != nil {
			return e.unfinished(err, dir)
		}
		return c.status(rules, r)
	})
}

// begunAlready refuses a folder with an interrupted audit, unless that is to go on.
func (c *auditCmd) begunAlready() error {
	if c.Out != "" && !c.Resume && begun(c.Out) && !exists(filepath.Join(c.Out, reportJSON)) {
		return usage(fmt.Errorf("--out %s: holds an interrupted run", c.Out), "go on with it by --resume, or choose another folder")
	}
	return nil
}

// audit reads, measures, reports and writes.
func (c *auditCmd) audit(e *env, dir string, rules audit.FailOn) (*report.Report, error) {
	started := time.Now()
	d, err := c.open(e, dir)
	if err != nil {
		return nil, err
	}
	r := newReport(e, "", c.Seed)
	stop := timed(r, "training")
	if err := c.prepare(e, dir, d); err != nil {
		return nil, err
	}
	stop()
	stop = timed(r, "audit")
	bars := &phases{w: e.stderr}
	d.options.Progress = bars.set
	res, err := d.measure(e.ctx)
	bars.close()
	if err != nil {
		return nil, err
	}
	stop()
	c.describe(r, d)
	r.FillAudit(res)
	r.FailOn, r.Breaches = &rules, rules.Breaches(res)
	if s := unreachable(rules, res); s != "" {
		r.Warnings = append(r.Warnings, s)
		fmt.Fprintln(e.stderr, "tattle: "+s)
	}
	r.Timing["total"] = seconds(started)
	return r, c.write(e, dir, r, d)
}

// unreachable warns of a rule that asks for the verdict Curious where the audit could not
// give it, "" where there is no such rule.
func unreachable(rules audit.FailOn, res *audit.Result) string {
	if !rules.NeedsReferences() || res.Settings.References > 0 && res.Settings.Recipe != audit.RecipeUnknown {
		return ""
	}
	return fmt.Sprintf("--fail-on curious: this audit cannot give the verdict %q, which requires references that are known to be of the same recipe (--reference, --same-recipe). Use --fail-on beyond for what curious meant before: %q or worse.", audit.Curious, audit.Beyond)
}

// tokenVariable holds the bearer token, which stands in no command line.
const tokenVariable = "TATTLE_TOKEN"

func token() string { return strings.TrimSpace(os.Getenv(tokenVariable)) }

// status is what the audit ends the program with, once all is written.
func (c *auditCmd) status(rules audit.FailOn, r *report.Report) error {
	switch a := r.Audit; {
	case len(r.Breaches) > 0:
		var said []string
		for _, b := range r.Breaches {
			said = append(said, b.String())
		}
		return finding(fmt.Errorf("--fail-on: %s", onLine(said)), "")
	case a.Verdict == audit.Inconclusive && rules.String() != "never":
		return hinted(fmt.Errorf("inconclusive: %s", onLine(undecided(a))), onLine(a.Advice))
	}
	return nil
}

// mostReasons is how many attributes a line is about.
const mostReasons = 3

// undecided says why an audit came to no verdict: by the control that failed, or what
// its attributes lack.
func undecided(a *audit.Result) []string {
	for _, k := range a.Controls {
		if !k.Passed {
			return a.Reasons
		}
	}
	var said []string
	for i := range a.Findings {
		f := &a.Findings[i]
		if f.Verdict != audit.Inconclusive {
			continue
		}
		if len(said) == mostReasons {
			return append(said, "And so on.")
		}
		why := f.Unusable
		if why == "" && len(f.Reasons) > 0 {
			why = f.Reasons[len(f.Reasons)-1]
		}
		said = append(said, f.Attribute+": "+why)
	}
	return said
}

// onLine joins sentences, in which names from outside may have anything, to a line.
func onLine(sentences []string) string {
	var b strings.Builder
	for _, r := range strings.Join(sentences, " ") {
		if r == ' ' || strconv.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}
