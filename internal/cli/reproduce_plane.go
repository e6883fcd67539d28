package cli

import (
	"context"

	"tattle/curious"
	"tattle/report"
	"tattle/reproduce"
)

// plane runs the mixtures of figure 4 or the convex case, for which nothing has to be trained long.
func (c *reproduceCmd) plane(ctx context.Context, e *env, x *reproduce.Experiment) error {
	if err := c.onPlane(x); err != nil {
		return err
	}
	return c.in(ctx, e, c.Experiment, false, func(dir string) error {
		r := newReport(e, x.Title, c.Seed)
		p := curious.Plane(curious.DefaultPlane, c.Seed)
		r.Data = report.DataOf(p.Test, "", "test")
		r.Data.SHA256 = p.Sum()
		stop := timed(r, "total")
		if err := x.OnPlane(ctx, p, r); err != nil {
			return err
		}
		stop()
		return c.finish(e, dir, r)
	})
}
