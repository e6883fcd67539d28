package audit

import (
	"fmt"
	"slices"
	"strconv"

	"tattle/npy"
)

// texts reads an array of names, which may be numbers.
func (a *archive) texts(name string) ([]string, error) {
	array, err := a.array(name)
	if err != nil {
		return nil, err
	}
	texts := asText(array)
	if texts == nil {
		return nil, fmt.Errorf("array %s holds neither text nor numbers", showName(name))
	}
	return texts, nil
}

// asText writes numbers as the shortest decimal, and bools as 0 and 1.
func asText(array npy.Array) []string {
	switch x := array.Data.(type) {
	case []string:
		return x
	case []float32:
		return written(x, func(v float32) string { return strconv.FormatFloat(float64(v), 'g', -1, 32) })
	case []float64:
		return written(x, func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) })
	case []uint64:
		return written(x, func(v uint64) string { return strconv.FormatUint(v, 10) })
	}
	x, err := array.Ints()
	if err != nil {
		return nil
	}
	return written(x, strconv.Itoa)
}

func written[T any](x []T, as func(T) string) []string {
	dst := make([]string, len(x))
	for i, v := range x {
		dst[i] = as(v)
	}
	return dst
}

// column reads a label or number for each example, and what the arrays beside it say
// of it.
func (a *archive) column(name string) (*column, wanted, error) {
	shape, _, err := a.file.Size(name)
	if err != nil {
		return nil, wanted{}, err
	}
	if len(shape) == 2 && shape[0] == a.n && shape[1] > 1 {
		return nil, wanted{}, fmt.Errorf("array %s has %d columns: want one label for each example; of one-hot rows that is %s.argmax(1)", showName(name), shape[1], showName(name))
	}
	if !a.perExample(shape) {
		return nil, wanted{}, fmt.Errorf("array %s has the shape %v: want one label for each of %d examples", showName(name), shape, a.n)
	}
	if slices.Contains(a.names, name+valuesSuffix) {
		return a.coded(name)
	}
	texts, err := a.texts(name)
	if err != nil {
		return nil, wanted{}, err
	}
	c := newColumn(name)
	for _, t := range texts {
		if err := c.add(t); err != nil {
			return nil, wanted{}, fmt.Errorf("array %w", err)
		}
		if len(c.values) > maxDistinct {
			return nil, wanted{}, fmt.Errorf("array %s has more than %d different labels: round numbers, or leave it out", showName(name), maxDistinct)
		}
	}
	own, err := a.manner(name)
	return c, own, err
}

// manner reads NAME.kind.
func (a *archive) manner(name string) (wanted, error) {
	if !slices.Contains(a.names, name+kindSuffix) {
		return wanted{}, nil
	}
	text, err := a.texts(name + kindSuffix)
	if err != nil {
		return wanted{}, err
	}
	switch {
	case len(text) == 1 && text[0] == "number":
		return wanted{manner: asNumber}, nil
	case len(text) == 1 && text[0] == "class":
		return wanted{manner: asClass}, nil
	}
	return wanted{}, fmt.Errorf("array %s: want the one text number or class", showName(name+kindSuffix))
}

// coded reads integers whose classes NAME.values names; −1 is none.
func (a *archive) coded(name string) (*column, wanted, error) {
	array, err := a.array(name)
	if err != nil {
		return nil, wanted{}, err
	}
	labels, err := array.Ints()
	if err != nil {
		return nil, wanted{}, fmt.Errorf("array %s: %w", showName(name), err)
	}
	values, err := a.texts(name + valuesSuffix)
	if err != nil {
		return nil, wanted{}, err
	}
	c := newColumn(name)
	for _, v := range values {
		if err := c.add(v); err != nil {
			return nil, wanted{}, fmt.Errorf("array %w", err)
		}
	}
	if len(c.values) != len(values) || slices.Contains(values, "") {
		return nil, wanted{}, fmt.Errorf("array %s has a class twice, or one without a name: rename it", showName(name+valuesSuffix))
	}
	c.values, c.codes = append(c.values, ""), make([]int32, len(labels))
	for i, label := range labels {
		if label < -1 || label >= len(values) {
			return nil, wanted{}, fmt.Errorf("array %s, row %d (from 0): there is no class %d of the %d of %s", showName(name), i, label, len(values), showName(name+valuesSuffix))
		}
		if c.codes[i] = int32(label); label < 0 {
			c.codes[i] = int32(len(values))
		}
	}
	return c, wanted{manner: asListed, listed: slices.Clone(c.values[:len(values)])}, nil
}
