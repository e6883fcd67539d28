package bound

import (
	"math"
	"slices"

	"tattle/release"
)

// summaries returns the summaries of a result: for each kind of witness the bounds in each
// band and the mean square bounds, then the floors on pairs, then the Cramér-Rao figures.
func (e Experiment) summaries(r *Result) []Summary {
	m, n := e.Coordinates.Len(), len(r.Indices)
	bands := Bands(e.Coordinates, e.Band)
	var todo []func() Summary // run in parallel: each sorts all its values
	add := func(b *Bounds, method string, std, squares []float64, notes ...Note) {
		if b == r.Twins {
			notes = append([]Note{{Kind: NoteTwins, Examples: b.Tried}}, notes...)
		}
		status, why := e.standing()
		of := Summary{Method: method, Search: e.searchOf(b), Size: b.Size, Examples: b.Tried, Coordinates: e.Coordinates.Name(),
			Domain: b.domain.String(), Status: status, Notes: slices.Concat(notes, []Note{e.computed(b.counted)}, why)}
		for _, band := range bands {
			todo = append(todo, func() Summary { return of.in(band, std[:b.Tried*m], m) })
		}
		todo = append(todo, func() Summary { return of.meanSquare(squares[:b.Tried]) })
	}
	kinds := slices.DeleteFunc(append(slices.Clone(r.Sizes), r.Far, r.Barankin, r.Twins, r.Pairs), func(b *Bounds) bool { return b == nil })
	for _, b := range kinds {
		switch b {
		case r.Pairs:
		case r.Barankin:
			add(b, MethodBarankin, b.Std, b.MeanSquare)
		default:
			add(b, MethodHCR, b.Std, b.MeanSquare)
		}
	}
	for _, b := range kinds {
		if b != r.Barankin {
			add(b, MethodPair, b.Pair.Std, b.Pair.MeanSquare, Note{Kind: NotePair})
		}
	}
	if r.CramerRao != nil {
		for _, b := range bands {
			todo = append(todo, func() Summary { return e.axis(r.CramerRao, b, n) }, func() Summary { return e.full(r.CramerRao, b, n) })
		}
	}
	out := make([]Summary, len(todo))
	parallel(len(todo), func(i int) {
		out[i] = todo[i]()
		out[i].Vacuous = e.vacuous(out[i])
	})
	return out
}

// searchOf names the search for the witnesses of some bounds; empty for combined ones.
func (e Experiment) searchOf(b *Bounds) string {
	switch b.name {
	case farName:
		return SearchFar
	case barankinName:
		return ""
	case twinName:
		return SearchTwins
	case pairName:
		return SearchPairs
	}
	return e.Search.Search
}

// computed returns the note on how much the released features may differ from real arithmetic.
func (e Experiment) computed(counted bool) Note {
	if counted && e.Runtime.Error > 0 {
		_, gaussian := e.Noise.(release.Gaussian)
		return Note{Kind: NoteRuntimeError, Error: e.Runtime.Error, From: e.Runtime.From, RMS: gaussian}
	}
	return Note{Kind: NoteRealArithmetic}
}

// standing returns the status of bounds with a witness, and why it is not StatusCertified.
func (e Experiment) standing() (status string, why []Note) {
	switch {
	case e.Rounding == RoundingMeasured:
		return StatusEstimated, []Note{{Kind: NoteMeasured}}
	case e.Rounding != RoundingProved && e.Rounding != RoundingPairs: // the experiment is not resolved
		return StatusEstimated, []Note{{Kind: NoteUnknownRounding}}
	case e.Noise.Certain():
		return StatusCertified, nil
	}
	return StatusEstimated, []Note{{Kind: NoteNumerical, Noise: noiseName(e.Noise)}}
}

// in returns the summary of the values x, [examples, m], in a band.
func (s Summary) in(b Band, x []float64, m int) Summary {
	s.Band = b.Name
	return s.summarize(b.Of(x, m))
}

// meanSquare returns the summary of the roots of bounds on the mean square.
func (s Summary) meanSquare(squares []float64) Summary {
	s.Method, s.Coordinates, s.Band = s.Method+"-mean-square", "inputs", "all"
	s.Notes = append([]Note{{Kind: NoteRoot}}, s.Notes...)
	roots := make([]float64, len(squares))
	for i, v := range squares {
		roots[i] = math.Sqrt(v)
	}
	return s.summarize(roots)
}

// axis returns the summary of the Cramér-Rao bounds of a coordinate whose others are known.
func (e Experiment) axis(c *CramerRao, b Band, examples int) Summary {
	s := Summary{Method: MethodCramerRaoAxis, Examples: examples, Coordinates: e.Coordinates.Name(), Status: StatusEstimated,
		Notes: []Note{{Kind: NoteOthersKnown}}}
	return s.in(b, c.Axis, e.Coordinates.Len())
}

// full returns the summary of the Cramér-Rao bounds with all coordinates unknown.
func (e Experiment) full(c *CramerRao, b Band, examples int) Summary {
	s := Summary{Method: MethodCramerRao, Examples: examples, Coordinates: e.Coordinates.Name(), Status: StatusEstimated,
		Notes: []Note{{Kind: NoteIdentifiable}}}
	s = s.in(b, c.Full, e.Coordinates.Len())
	seen := b.Of(c.Seen, e.Coordinates.Len())
	hidden := 0
	for _, v := range seen {
		if v < 1-SeenTolerance {
			hidden++
		}
	}
	s.UnboundedFraction = float64(hidden) / float64(max(1, len(seen)))
	return s
}
