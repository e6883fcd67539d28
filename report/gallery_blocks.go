package report

import (
	"fmt"
	"strings"
)

// pairs adds pairs of inputs whose releases can hardly be distinguished.
func (d *document) pairs(r *Report) {
	if len(r.Pairs) == 0 {
		return
	}
	d.folded("Pairs of inputs with nearly the same features")
	d.say(r.twinsTogether())
	var all sideBySide
	of := -1 // whose pictures are the last
	for _, x := range r.Pairs[:min(len(r.Pairs), mostPairs)] {
		if x.Index != of {
			of = x.Index
			all = append(all, pictures{Caption: pictured(x.Index, x.Name), Shots: []picture{originalPicture(x.first, x.FirstSHA256, x.Index, x.Name)}})
		}
		last := all[len(all)-1].(pictures)
		last.Shots = append(last.Shots, picture{dataURI(x.second, x.SecondSHA256), fmt.Sprintf("Another input, %s grey levels away from example %d, with nearly the same features", number(float64(x.RMS)), x.Index), x.Kind, r.says(x)})
		all[len(all)-1] = last
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

// reconstructions shows originals beside what the best attack made of them: what a reader sees
// after the verdict.
func (d *document) reconstructions(r *Report) {
	var all sideBySide
	for _, p := range r.Gallery {
		for _, s := range p.Shots {
			if s.Status != StatusDemonstrated {
				continue
			}
			all = append(all, pictures{Caption: pictured(p.Index, p.Name) + ", " + s.off(), Shots: []picture{
				originalPicture(p.source, p.SHA256, p.Index, p.Name), s.shown(p, "Reconstruction by an attack", "attack", "")}})
		}
	}
	if len(all) == 0 {
		return
	}
	d.on(onPage, func(d *document) {
		d.section("Originals, and reconstructions from the release")
		d.soft(r.attackedSays())
		d.add(all)
	})
}

// attackedSays says by which attack the shown reconstructions are, and how often the model assigns
// them to the original's class, unless the verdict says so.
func (r *Report) attackedSays() string {
	best := r.bestAttack()
	if best == nil {
		return ""
	}
	if words := r.recognisedSays(best); words != "" && !strings.Contains(r.lead().Says, words) {
		return "The pictures are of one draw of the release. Over all draws, " + words + "."
	}
	return fmt.Sprintf("By the %s attack, from one draw of the release.", best.Name)
}

// pictured names an example and its class.
func pictured(index int, name string) string {
	if name == "" {
		return fmt.Sprintf("example %d", index)
	}
	return fmt.Sprintf("example %d (%s)", index, name)
}

// original is the picture of an example.
func originalPicture(b []byte, digest string, index int, name string) picture {
	return picture{dataURI(b, digest), alt("Original", index, name), "original", ""}
}

// shown is the picture of a reconstruction.
func (s Shot) shown(p Picture, what, name, caption string) picture {
	return picture{dataURI(s.pixels, s.SHA256), alt(what, p.Index, p.Name) + ", " + s.Name + ": " + s.off(), name, caption}
}

// off says how far a reconstruction is from the original.
func (s Shot) off() string { return number(s.RMS) + " grey levels off" }

// gallery adds originals beside the best unbiased reconstructions.
func (d *document) gallery(r *Report) {
	var all sideBySide
	for _, p := range r.Gallery {
		x := pictures{Caption: pictured(p.Index, p.Name), Shots: []picture{originalPicture(p.source, p.SHA256, p.Index, p.Name)}}
		for _, s := range p.Shots {
			if s.Status == StatusDemonstrated {
				continue
			}
			x.Shots = append(x.Shots, s.shown(p, "Best unbiased reconstruction", s.Name, s.off()))
		}
		if len(x.Shots) > 1 {
			all = append(all, x)
		}
	}
	if len(all) == 0 {
		return
	}
	d.on(onPage, func(d *document) {
		d.folded("The best unbiased reconstructions")
		d.say(fmt.Sprintf("The original, plus the %s standard deviation of every cosine mode with a random sign. Unbiased adversaries do no better; adversaries who know what inputs look like may do better.", r.standing()))
		d.add(all)
	})
}
