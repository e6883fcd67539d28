package main

import (
	"errors"

	"tattle/dataset"
)

// examples are those that a model or an endpoint was asked about.
type examples struct {
	set    *dataset.Set
	parts  *dataset.Parts // that it is of; nil where there is no telling
	source *opened
	part   string
}

func (c *auditCmd) openModel(e *env, d *audited) error                { return errors.New("not yet") }
func (c *auditCmd) openEndpoint(e *env, dir string, d *audited) error { return errors.New("not yet") }
