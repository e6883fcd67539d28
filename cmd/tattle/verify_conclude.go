package main

import (
	"fmt"

	"tattle/report"
)

// listed is how many discrepancies are printed one by one.
const listed = 10

// conclude says what was found of bounds, and what was not looked at.
func conclude(e *env, r *report.Report, withData bool, found []string) error {
	if err := wrong(e, "", found); err != nil {
		return err
	}
	also, not := ", its accuracies and its gallery", "timing"
	if !withData {
		also, not = "", "inputs, accuracies, gallery (they need --data), timing"
	}
	if r.Training != nil {
		not += ", training"
	}
	if _, ok := keptFile(r, attacksFile); ok {
		not += ", how attacks.npz came about (attacks and priors: run the same command again)"
	}
	if _, ok := keptFile(r, releaseFile); ok {
		not += ", that release.onnx was made of the model"
	}
	_, err := fmt.Fprintf(e.stdout, "verified: every bound of %s follows from its witness, and every figure of the report from the bounds%s\nnot checked: %s\n", report.Count(r.Data.Examples, "example"), also, not)
	return err
}

// concludeAudit says what was found of an audit, and what was not looked at.
func concludeAudit(e *env, r *report.Report, model string, found []string) error {
	if err := wrong(e, " of the audit", found); err != nil {
		return err
	}
	not := "that the outputs are the model's, timing"
	if r.Audit.Settings.References > 0 {
		not += ", how the references were trained"
	}
	_, err := fmt.Fprintf(e.stdout, "verified: every figure of the audit of %s follows from the outputs that it kept%s\nverdict: %s\nnot checked: %s\n",
		report.Count(r.Audit.Examples, "example"), model, r.Verdict, not)
	return err
}

// wrong prints the discrepancies, if there are any, and errs.
func wrong(e *env, of string, found []string) error {
	for _, line := range found[:min(listed, len(found))] {
		fmt.Fprintln(e.stdout, line)
	}
	switch n := len(found); {
	case n > listed:
		return finding(fmt.Errorf("%d figures%s do not hold (the first %d are listed)", n, of, listed), "")
	case n > 1:
		return finding(fmt.Errorf("%d figures%s do not hold", n, of), "")
	case n == 1:
		return finding(fmt.Errorf("1 figure%s does not hold", of), "")
	}
	return nil
}
