package cli

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"tattle/nn"
	"tattle/npy"
)

// Endings of arrays in a state_dict that the built-in nets have no use for: a count
// that only training without a momentum needs, and indices that the net computes.
var unusedWeights = []string{".num_batches_tracked", ".relative_position_index", ".attn_mask"}

// parallelPrefix stands before every name that PyTorch's DataParallel saved.
const parallelPrefix = "module."

// loadWeights replaces all parameters of g, and the running moments of its batch
// norms, by the arrays of an .npz file of the same names and shapes.
func loadWeights(g *nn.Graph, path string) error {
	f, err := npy.Open(path)
	if err != nil {
		return fmt.Errorf("--weights: %w", err)
	}
	defer f.Close()
	arrays := weightNames(f)
	var missing, misfits []string
	for _, p := range stateOf(g) {
		name, ok := arrays[p.Name]
		if !ok {
			missing = append(missing, p.Name)
			continue
		}
		delete(arrays, p.Name)
		data, shape, err := f.Float32s(name)
		if err != nil {
			return fmt.Errorf("--weights: %w", err)
		}
		if !slices.Equal(shape, p.Shape) {
			misfits = append(misfits, fmt.Sprintf("%s is %v instead of %v", name, shape, p.Shape))
			continue
		}
		if at := slices.IndexFunc(data, notFinite); at >= 0 {
			return fmt.Errorf("--weights %s: array %q: entry %d is %g", path, name, at, data[at])
		}
		copy(p.Data, data)
		p.Changed()
	}
	return misfit(g, path, missing, slices.Sorted(maps.Values(arrays)), misfits)
}

func notFinite(v float32) bool { return math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) }

// weightNames maps the names of parameters to the archive's.
func weightNames(f *npy.File) map[string]string {
	all := f.Names()
	parallel := len(all) > 0 && !slices.ContainsFunc(all, func(s string) bool { return !strings.HasPrefix(s, parallelPrefix) })
	names := map[string]string{}
	for _, s := range all {
		if slices.ContainsFunc(unusedWeights, func(end string) bool { return strings.HasSuffix(s, end) }) {
			continue
		}
		name := s
		if parallel {
			name = strings.TrimPrefix(s, parallelPrefix)
		}
		names[name] = s
	}
	return names
}

// stateOf lists the parameters of g with the running moments of its batch norms.
func stateOf(g *nn.Graph) []*nn.Param {
	all := g.Params()
	for _, n := range g.Nodes {
		if b, ok := n.Op.(*nn.BatchNorm); ok {
			all = append(all, b.Mean, b.Variance)
		}
	}
	return all
}

// misfit says what is missing, left over or of another shape, nil for nothing.
func misfit(g *nn.Graph, path string, missing, left, misfits []string) error {
	var said []string
	for _, l := range []struct {
		what  string
		names []string
	}{{"missing: ", missing}, {"left over: ", left}, {"of another shape: ", misfits}} {
		if len(l.names) > 0 {
			said = append(said, l.what+some(l.names))
		}
	}
	if said == nil {
		return nil
	}
	hint := "names and shapes are those of torchvision's state_dict; docs/models.md shows how to write them"
	if missing == nil && left == nil {
		hint = "is it another number of --classes?"
	}
	return usage(errors.New("--weights "+path+" does not fit "+g.Name+": "+strings.Join(said, "; ")), hint)
}

// mostNamed is how many names an error line lists.
const mostNamed = 4

func some(names []string) string {
	if n := len(names) - mostNamed; n > 1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostNamed], ", "), n)
	}
	return strings.Join(names, ", ")
}
