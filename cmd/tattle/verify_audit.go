package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"tattle/audit"
	"tattle/report"
	"tattle/run"
)

// audit computes an audit again from the outputs that it kept, and compares every
// figure. What was trained for it is taken as it lies there.
func (c *verifyCmd) audit(e *env, dir string, r *report.Report) error {
	d, err := c.reopen(e, dir, r)
	if err != nil {
		return err
	}
	model, err := c.auditedModel(e, r)
	if err != nil {
		return err
	}
	bars := &phases{w: e.stderr}
	d.options.Progress = bars.set
	res, err := d.measure(e.ctx)
	bars.close()
	if err != nil {
		return finding(fmt.Errorf("%s: the audit cannot be done again: %w", dir, err), "")
	}
	res.Notes = r.Audit.Notes // of what was read, which is not here
	fresh := &report.Report{Data: r.Data}
	fresh.FillAudit(res)
	found, err := discrepancies("", r.Audit, res)
	if err != nil {
		return err
	}
	if more, err := discrepancies("curiosity", r.Curiosity, fresh.Curiosity); err != nil {
		return err
	} else {
		found = append(found, more...)
	}
	rules, err := audit.ParseFailOn(r.Settings[failOnSetting])
	if err != nil {
		found = append(found, fmt.Sprintf("settings: %s: %v", failOnSetting, err))
	} else if is := rules.Breaches(res); !slices.Equal(is, r.Breaches) {
		found = append(found, fmt.Sprintf("breaches: recorded %q, now %q", r.Breaches, is))
	}
	if r.Verdict != string(res.Verdict) {
		found = append(found, fmt.Sprintf("verdict: recorded %q, now %q", r.Verdict, res.Verdict))
	}
	return concludeAudit(e, r, model, found)
}

// reopen reads what the audit was computed from.
func (c *verifyCmd) reopen(e *env, dir string, r *report.Report) (*audited, error) {
	for _, a := range r.Arrays {
		if a.File != filepath.Base(a.File) {
			return nil, finding(fmt.Errorf("%s: the report lists %q, which is no file of its folder", dir, a.File), "")
		}
		if err := unchanged(dir, a); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{outputsFile, trainedFile} {
		if _, ok := keptFile(r, name); !ok {
			return nil, finding(fmt.Errorf("%s: the report does not list %s", dir, name), "")
		}
	}
	d := &audited{defences: r.Settings[defencesSetting] == "true"}
	var err error
	if d.options, err = auditOptions(dir, r); err != nil {
		return nil, err
	}
	if d.sample, err = audit.OpenOutputs(e.ctx, filepath.Join(dir, outputsFile), audit.OpenOptions{}); err != nil {
		return nil, finding(err, "")
	}
	d.sample.Name = r.Audit.Sample
	t, err := readTraining(dir)
	if err == nil {
		err = t.restore(e, dir, d)
	}
	if err != nil {
		return nil, finding(err, "")
	}
	for _, f := range d.samples() {
		if _, ok := keptFile(r, f.name); !ok {
			return nil, finding(fmt.Errorf("%s: the report does not list %s", dir, f.name), "")
		}
	}
	return d, nil
}

// auditOptions are the settings that the audit was done with.
func auditOptions(dir string, r *report.Report) (audit.Options, error) {
	s := r.Audit.Settings // but for the folds, which are fewer where there are many examples
	o := audit.Options{
		Seed: s.Seed, Permutations: s.Permutations, MaxFit: s.MaxFit,
		Confidence: s.Confidence, Margin: s.Margin, Attacks: s.Attacks,
	}
	asked, ok := r.Settings[foldsSetting]
	if !ok {
		return o, nil
	}
	var err error
	if o.Folds, err = strconv.Atoi(asked); err != nil || o.Folds < 2 || o.Folds > mostFolds {
		return o, finding(fmt.Errorf("%s: settings: %s %q is no number of them", dir, foldsSetting, asked), "")
	}
	return o, nil
}

// auditedModel compares the model's digest; it says what there is to say of it.
func (c *verifyCmd) auditedModel(e *env, r *report.Report) (said string, err error) {
	path := c.Model
	if path == "" {
		path = r.Model.Path
	}
	switch {
	case path == "" || r.Model.SHA256 == "" && c.Model == "":
		return "", nil
	case r.Model.SHA256 == "":
		return "", usage(errors.New("--model: the audit was not of a file"), "leave it out")
	}
	hash, err := run.Digest(path)
	if errors.Is(err, os.ErrNotExist) && c.Model == "" {
		fmt.Fprintf(e.stderr, "tattle: the model is not at %s: its outputs are taken as they are\n", path)
		return "", nil
	}
	if err != nil {
		return "", hinted(err, "name the model with --model")
	}
	if hash != r.Model.SHA256 {
		return "", finding(fmt.Errorf("%s: sha256 %s, the report is about %s", path, hash, r.Model.SHA256), "name the right model with --model")
	}
	return ", the model is the one audited", nil
}

// discrepancies compares two values as JSON, and says in a line each what differs.
func discrepancies(name string, recorded, fresh any) ([]string, error) {
	was, err := plain(recorded)
	if err != nil {
		return nil, err
	}
	is, err := plain(fresh)
	if err != nil {
		return nil, err
	}
	return differ(nil, name, was, is), nil
}

// plain is a value as JSON has it.
func plain(v any) (x any, err error) {
	b, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(b, &x)
	}
	return x, err
}

func differ(list []string, name string, was, is any) []string {
	if a, ok := was.(map[string]any); ok {
		if b, ok := is.(map[string]any); ok {
			for _, k := range keysOf(a, b) {
				list = differ(list, strings.TrimPrefix(name+"."+k, "."), a[k], b[k])
			}
			return list
		}
	}
	if a, ok := was.([]any); ok {
		if b, ok := is.([]any); ok && len(a) == len(b) {
			for i := range a {
				list = differ(list, fmt.Sprintf("%s[%d]", name, i), a[i], b[i])
			}
			return list
		}
	}
	if !reflect.DeepEqual(was, is) {
		list = append(list, fmt.Sprintf("%s: recorded %s, now %s", name, brief(was), brief(is)))
	}
	return list
}

// keysOf are the keys of both, sorted.
func keysOf(a, b map[string]any) []string {
	var keys []string
	for k := range a {
		keys = append(keys, k)
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}

// brief is a value on a line.
func brief(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if s := []rune(string(b)); len(s) > 60 {
		return string(s[:60]) + "…"
	}
	return string(b)
}
