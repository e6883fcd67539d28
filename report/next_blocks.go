package report

import "fmt"

// nextSteps says what to do about what was measured of a release. A search for a release and a
// figure of the papers end with commands of their own.
func (d *document) nextSteps(r *Report) {
	if !r.released() || r.Audit != nil || r.Design != nil || len(r.Published) > 0 {
		return
	}
	if steps := readable(r.steps()); len(steps) > 0 {
		d.section("What to do")
		d.list(steps)
	}
}

// steps are sentences on what to do.
func (r *Report) steps() []string {
	badge, _ := r.harm()
	var said []string
	switch {
	case r.Lists == nil:
		said = append(said, "This report has no limit on adversaries who know what inputs look like. tattle bound computes such limits from a list of inputs: from training data, or from what --candidates names.")
	case !r.listed():
		said = append(said, "This report has no limit on adversaries who know what inputs look like; its warnings say why.")
	}
	switch {
	case r.Lists != nil && r.Lists.Holder != nil && badge != "" && badge != recognisedBadge:
		said = append(said, "Do not rely on this release to hide which input it is.",
			fmt.Sprintf("More noise or fewer numbers help: tattle design --identify SHARE@%d, with the same model and data, finds the release that keeps this share at the lowest cost in accuracy.", r.Lists.Holder.List.Inputs))
	case r.partlyReconstructed(), badge != "":
		said = append(said, "If inputs must not be reconstructed, more noise or fewer numbers help: tattle design --attack-rms X, with the same model and data, finds the release from which no attack of tattle reconstructs inputs with an error below X, at the lowest cost in accuracy.")
	case len(said) > 0 || r.Release.NoBounds != "":
	case r.Release.Noise.Family == "lattice":
		said = append(said, "To deploy this release with its certificate, run tattle guard pack on the folder of this report.")
	default:
		said = append(said, "To deploy noise of this strength with a certificate, measure it with --noise lattice, and run tattle guard pack on the folder of that report.")
	}
	return said
}
