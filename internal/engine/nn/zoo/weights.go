package zoo

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"tattle/internal/engine/nn"
	"tattle/internal/npy"
)

// unusedWeights are suffixes of arrays in a state_dict that the built-in nets do not need: a
// count for training without momentum, and indices that the net computes.
var unusedWeights = []string{".num_batches_tracked", ".relative_position_index", ".attn_mask"}

// parallelPrefix begins every name that PyTorch's DataParallel saves.
const parallelPrefix = "module."

// LoadWeights replaces all parameters of g, and the running moments of its batch
// norms, by the arrays of an .npz file of the same names and shapes. Arrays that do not fit
// are a *MisfitError.
func LoadWeights(g *nn.Graph, path string) error {
	f, err := npy.Open(path)
	if err != nil {
		return fmt.Errorf("weights: %w", err)
	}
	defer f.Close()
	arrays := weightNames(f)
	var missing, misfits []string
	for _, p := range g.State() {
		name, ok := arrays[p.Name]
		if !ok {
			missing = append(missing, p.Name)
			continue
		}
		delete(arrays, p.Name)
		data, shape, err := f.Float32s(name)
		if err != nil {
			return fmt.Errorf("weights: %w", err)
		}
		if !slices.Equal(shape, p.Shape) {
			misfits = append(misfits, fmt.Sprintf("%s is %v, not %v", name, shape, p.Shape))
			continue
		}
		if at := slices.IndexFunc(data, notFinite); at >= 0 {
			return fmt.Errorf("weights %s: array %q: entry %d is %g", path, name, at, data[at])
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

// A MisfitError reports arrays that do not fit a net.
type MisfitError struct {
	Path, Net string
	Arrays    string // that are missing, unknown or of the wrong shape
	Shapes    bool   // only shapes are wrong
}

// Error implements error.
func (e *MisfitError) Error() string { return e.Path + " does not fit " + e.Net + ": " + e.Arrays }

// misfit lists arrays that are missing, unknown or of the wrong shape; nil if there are none.
func misfit(g *nn.Graph, path string, missing, left, misfits []string) error {
	var lists []string
	for _, l := range []struct {
		what  string
		names []string
	}{{"missing: ", missing}, {"unknown: ", left}, {"wrong shape: ", misfits}} {
		if len(l.names) > 0 {
			lists = append(lists, l.what+some(l.names))
		}
	}
	if lists == nil {
		return nil
	}
	return &MisfitError{Path: path, Net: g.Name, Arrays: strings.Join(lists, "; "), Shapes: missing == nil && left == nil}
}

// maxNamed bounds the names in an error.
const maxNamed = 4

func some(names []string) string {
	if n := len(names) - maxNamed; n > 1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNamed], ", "), n)
	}
	return strings.Join(names, ", ")
}
