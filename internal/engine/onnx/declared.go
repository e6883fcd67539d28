package onnx

import (
	"fmt"
	"strings"
)

// declared is the type of an input or output as the file declares it.
type declared struct {
	name    string
	other   string // what it is where no tensor
	element int64
	ranked  bool // the file says how many dimensions there are
	dims    []dim
}

// dim is a dimension: open unless known, and then perhaps with a name.
type dim struct {
	size  int64
	known bool
	name  string
}

func (w *wire) declared(b []byte) (v declared) {
	w.each(b, func(f field) {
		switch f.number {
		case valueName:
			v.name = w.name(f)
		case valueType:
			w.each(w.bytes(f), func(f field) { w.typeOf(f, &v) })
		}
	})
	return v
}

func (w *wire) typeOf(f field, v *declared) {
	other := map[int]string{typeSequence: "a sequence", typeMap: "a map", typeSparse: "a sparse tensor", typeOptional: "an optional"}
	if v.other = other[int(f.number)]; int(f.number) != typeTensor {
		return
	}
	w.each(w.bytes(f), func(f field) {
		switch f.number {
		case typeElement:
			v.element = w.int(f)
		case typeShape:
			v.ranked = true
			w.each(w.bytes(f), func(f field) {
				if f.number != shapeDim {
					return
				}
				if v.dims = append(v.dims, w.dim(w.bytes(f))); len(v.dims) > maxDims {
					w.fail("has more than %d dimensions", maxDims)
				}
			})
		}
	})
}

func (w *wire) dim(b []byte) (d dim) {
	w.each(b, func(f field) {
		switch f.number {
		case dimValue:
			d.size = w.int(f)
			d.known = d.size > 0 // some exporters write -1 or 0 for an open one
		case dimParam:
			d.name = w.name(f)
		}
	})
	return d
}

// String returns name, type and dimensions, as in "x" float32 [batch, 3, height, width].
func (v declared) String() string {
	if v.other != "" {
		return fmt.Sprintf("%q %s", v.name, v.other)
	}
	return fmt.Sprintf("%q %s %s", v.name, typeName(v.element), v.dimensions())
}

// dimensions prints sizes, names of open dimensions, and ? for those without one.
func (v declared) dimensions() string {
	if !v.ranked {
		return "of any shape"
	}
	texts := make([]string, len(v.dims))
	for i, x := range v.dims {
		texts[i] = x.String()
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// String returns the size, or else the name of an open dimension, or ?.
func (x dim) String() string {
	switch {
	case x.known:
		return fmt.Sprint(x.size)
	case x.name != "":
		return fmt.Sprintf("%.40s", strings.Trim(fmt.Sprintf("%q", x.name), `"`))
	}
	return "?"
}
