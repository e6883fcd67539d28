package report

import (
	"fmt"
	"slices"
)

// pairs adds pairs of inputs whose releases can hardly be distinguished.
func (d *document) pairs(r *Report) {
	if len(r.Pairs) == 0 {
		return
	}
	d.section("Pairs of inputs with nearly the same features")
	d.say(r.twinsTogether())
	var all sideBySide
	for _, c := range r.cards() {
		p := pictures{Caption: c.caption(), Shots: []picture{{dataURI(c.first, c.FirstSHA256), alt("Original", c.Index, c.Pair.Name), "original", ""}}}
		for _, o := range c.Others {
			p.Shots = append(p.Shots, picture{dataURI(o.second, o.SecondSHA256), fmt.Sprintf("Another input, %s grey levels away from example %d, whose features the noise hardly tells apart", number(float64(o.RMS)), c.Index), o.Kind, r.says(o)})
		}
		all = append(all, p)
	}
	d.add(all)
}

// alt describes a picture of an example.
func alt(what string, index int, name string) string {
	s := fmt.Sprintf("%s, example %d", what, index)
	if name != "" {
		s += ", a " + name
	}
	return s
}

// gallery adds originals beside reconstructions.
func (d *document) gallery(r *Report) {
	has := func(status string) bool {
		return slices.ContainsFunc(r.Gallery, func(p Picture) bool {
			return slices.ContainsFunc(p.Shots, func(s Shot) bool { return (s.Status == StatusDemonstrated) == (status == StatusDemonstrated) })
		})
	}
	bounded, attacked := has(""), has(StatusDemonstrated)
	if len(r.Gallery) == 0 {
		return
	}
	d.on(onPage, func(d *document) {
		switch {
		case bounded && attacked:
			d.section("The best unbiased reconstructions, and those of attacks")
		case bounded:
			d.section("The best unbiased reconstructions")
		case attacked:
			d.section("Reconstructions by attacks")
		default:
			d.section("The inputs")
		}
		if bounded {
			d.say(fmt.Sprintf("Each original beside the best reconstruction of an unbiased adversary: the original, plus the %s standard deviation of every cosine mode with a random sign. Real unbiased adversaries do worse; adversaries with a prior may do better.", r.standing()))
		}
		if attacked {
			d.add(labelled{"", StatusDemonstrated, "", "The reconstruction by the attack with the smallest root mean square error, from one draw of the release."})
		}
		var all sideBySide
		for _, p := range r.Gallery {
			x := pictures{Caption: fmt.Sprintf("example %d %s", p.Index, p.Name), Shots: []picture{{dataURI(p.source, p.SHA256), alt("Original", p.Index, p.Name), "original", ""}}}
			for _, s := range p.Shots {
				what := "Best unbiased reconstruction"
				if s.Status == StatusDemonstrated {
					what = "Reconstruction by an attack"
				}
				off := number(s.RMS) + " grey levels off"
				x.Shots = append(x.Shots, picture{dataURI(s.pixels, s.SHA256), alt(what, p.Index, p.Name) + ", " + s.Name + ": " + off, s.Name, off})
			}
			all = append(all, x)
		}
		d.add(all)
	})
}
