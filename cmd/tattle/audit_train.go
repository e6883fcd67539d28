package main

import (
	"tattle/audit"
)

// prepare trains what the figures are compared with and checked by.
func (c *auditCmd) prepare(e *env, dir string, d *audited) error {
	if !hopeful(d.sample) {
		return nil
	}
	bar := newMeter(e.stderr, "planting a curious model", 0, false)
	defer bar.close()
	var err error
	d.planted, err = audit.Plant(e.ctx, nil, d.sample, d.sample.Len(), audit.PlantOptions{Seed: c.Seed, Progress: func(done, total int) { bar.set(int64(done), int64(total)) }})
	return err
}
