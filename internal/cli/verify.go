package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tattle/internal/verify"
)

type verifyCmd struct {
	Run_         string `arg:"" name:"run" help:"Folder of the run, or its report.json."`
	Model        string `help:"Path of the model, if it has moved." placeholder:"FILE"`
	Data         string `help:"Path of the data, if they have moved." placeholder:"PATH"`
	Labels       string `help:"Path of their labels, if they have moved." placeholder:"FILE"`
	TrainingData string `help:"Path of the training data (of a projection, the noise or the candidates), if they have moved." placeholder:"PATH"`
	Coordinates  string `help:"Path of the vectors to be reconstructed, if they have moved." placeholder:"FILE"`
	Independent  bool   `help:"Also check bounds with a second implementation (piecewise linear models, Gaussian or Laplace noise)."`
	memoryFlag
}

func (verifyCmd) Help() string {
	return `Example: tattle verify tattle-bound

Recomputes the report from its settings, the model, the data and the files of the run, and compares every value in report.json. For a run of bounds, it builds the release again from the model and compares it with release.onnx and head.onnx. It recomputes every certificate from the stored witness (with --independent also by a second implementation, which can find errors of the first), and every other figure and sentence from the certificates. For an audit, it repeats the audit on the outputs that the run stored. For every other run, such as a training or a table, it compares the run's files with their digests in report.json and recomputes no figure. It renders report.html, and the other formats of an audit, again, and compares the files.

Values that it cannot recompute are listed by name, with the reason, under "not checked". Searches, attacks and trainings are not repeated. If the model is absent, the list begins with the release: the bounds then hold for release.onnx, whatever it was made from.

Exit status: 0 if every value agrees or is on the list, 1 if one does not agree.`
}

func (c *verifyCmd) Run(ctx context.Context, e *env) error {
	dir, err := finishedRun(c.Run_, "give the folder of a finished run")
	if err != nil {
		return err
	}
	res, err := verify.Run(ctx, dir, verify.Options{
		Model: c.Model, Data: c.Data, Labels: c.Labels, TrainingData: c.TrainingData, Coordinates: c.Coordinates,
		Independent: c.Independent, Memory: c.bytes(), Progress: e.bars.Set, Warn: e.warn,
	})
	switch {
	case err != nil:
		return err
	case len(res.Found) > 0:
		return differences(e, res.Found)
	}
	return conclude(e, res)
}

// warn prints a sentence on standard error.
func (e *env) warn(sentence string) { e.say("%s", sentence) }

// finishedRun returns the folder of a run, which may be named by its report.
func finishedRun(dir, hint string) (string, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		dir = filepath.Dir(dir)
	}
	if _, err := os.Stat(filepath.Join(dir, reportJSON)); err != nil {
		return "", usage(err, hint)
	}
	return dir, nil
}

// conclude prints what holds, and what was not checked.
func conclude(e *env, res *verify.Result) error {
	var b strings.Builder
	fmt.Fprintf(&b, "verified: %s\nnot checked:\n", res.Verified)
	said := map[string]bool{}
	for _, u := range res.Unchecked {
		if line := fmt.Sprintf("  %s (%s)\n", u.What, u.Why); !said[line] {
			said[line] = true
			b.WriteString(line)
		}
	}
	return e.print("%s", b.String())
}

// listed is the largest number of differences that are printed.
const listed = 10

// differences prints the first values that do not hold, and returns an error with their
// number.
func differences(e *env, found []string) error {
	for _, line := range found[:min(listed, len(found))] {
		e.print("%s\n", line)
	}
	switch n := len(found); {
	case n > listed:
		return finding(fmt.Errorf("%d figures do not hold (the first %d are listed)", n, listed), "")
	case n > 1:
		return finding(fmt.Errorf("%d figures do not hold", n), "")
	}
	return finding(errors.New("1 figure does not hold"), "")
}
