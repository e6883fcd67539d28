package nn

import (
	"reflect"
	"sync"
)

// derivation says how a parameter's values follow from others', so that they can be
// made anew when those have changed.
type derivation struct {
	mu       sync.Mutex
	sources  []*Param
	versions []uint64
	fill     func(dst []float32)
}

// derive returns a parameter that fill computes from the sources, their values now
// and, after refresh, later.
func derive(name string, shape []int, sources []*Param, fill func(dst []float32)) *Param {
	p := &Param{Name: name, Shape: shape, Data: make([]float32, Size(shape))}
	p.from = &derivation{sources: sources, versions: make([]uint64, len(sources)), fill: fill}
	for i, s := range sources {
		p.from.versions[i] = s.version
	}
	fill(p.Data)
	return p
}

// refresh makes a derived parameter's values anew where those of its sources, which
// it refreshes first, have changed. Nets that share it may call it at the same time.
func (p *Param) refresh() {
	d := p.from
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	stale := false
	for i, s := range d.sources {
		s.refresh()
		stale = stale || d.versions[i] != s.version
		d.versions[i] = s.version
	}
	if stale {
		d.fill(p.Data)
		p.Changed()
	}
}

// derivedOf returns the derived parameters that the graph computes with.
func derivedOf(g *Graph) []*Param {
	var ps []*Param
	for _, n := range g.Nodes {
		for _, p := range operands(n.Op) {
			if p.from != nil {
				ps = append(ps, p)
			}
		}
	}
	return unique(ps)
}

// operands returns every parameter of an operator, those that are not learned too:
// its fields of that type.
func operands(op Op) []*Param {
	v := reflect.Indirect(reflect.ValueOf(op))
	if v.Kind() != reflect.Struct {
		return nil
	}
	var ps []*Param
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() {
			continue
		}
		if p, ok := v.Field(i).Interface().(*Param); ok && p != nil {
			ps = append(ps, p)
		}
	}
	return ps
}

// unique returns the parameters without repetitions.
func unique(params []*Param) []*Param {
	seen := map[*Param]bool{}
	var once []*Param
	for _, p := range params {
		if !seen[p] {
			seen[p] = true
			once = append(once, p)
		}
	}
	return once
}
