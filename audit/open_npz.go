package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tattle/npy"
)

// vectorsArray is the array of vectors that WriteOutputs writes, and descriptionsArray the one that
// describes the labels, as JSON.
const (
	vectorsArray      = "vectors"
	descriptionsArray = "descriptions"
)

// description says of an array of labels what numbers cannot.
type description struct {
	Array  string   `json:"array"`
	Name   string   `json:"name"`             // of the target or the attribute
	Values []string `json:"values,omitempty"` // the classes of the integers; −1 is none
	Number bool     `json:"number,omitempty"`
}

// archive is an open .npz.
type archive struct {
	ctx   context.Context
	file  *npy.File
	names []string
	room  float64                 // bytes that arrays may still take
	about map[string]*description // by array
}

// openNPZ lists the arrays of an archive of size bytes.
func openNPZ(ctx context.Context, f *npy.File, size int64) (*columns, error) {
	a := &archive{ctx: ctx, file: f, names: f.Names(), room: min(maxArrays, freeBytes+maxPacked*float64(size))}
	if len(a.names) == 0 || len(a.names) > maxArchive {
		return nil, fmt.Errorf("has %d arrays: want 1 to %d, saved with numpy.savez; take a CSV out of an archive, and save a workbook as CSV", len(a.names), maxArchive)
	}
	a.about = map[string]*description{}
	if slices.Contains(a.names, descriptionsArray) {
		var list []description
		texts, err := a.texts(descriptionsArray)
		if err == nil {
			err = json.Unmarshal([]byte(strings.Join(texts, "")), &list)
		}
		if err != nil {
			return nil, fmt.Errorf("array %s: %w: leave it out, or write the outputs again", descriptionsArray, err)
		}
		for _, d := range list {
			a.about[d.Array] = &d
		}
	}
	c := &columns{noun: "array"}
	for _, name := range a.names {
		f := field{name: name}
		var err error
		if f.shape, _, err = a.file.Size(name); err != nil {
			return nil, err
		}
		if f.shape == nil {
			f.shape = []int{}
		}
		if d := a.about[name]; d != nil {
			f.title = d.Name
			if d.Number {
				f.manner = asNumber
			}
		}
		if name != descriptionsArray {
			c.fields = append(c.fields, f)
		}
	}
	c.read = func(scores, labels []int) (_ *content, err error) { return a.content(c.fields, scores, labels) }
	return c, nil
}

// array reads an array of a bounded size.
func (a *archive) array(name string) (npy.Array, error) {
	if err := a.ctx.Err(); err != nil {
		return npy.Array{}, err
	}
	_, bytes, err := a.file.Size(name)
	if err != nil {
		return npy.Array{}, err
	}
	if a.room -= bytes; a.room < 0 {
		return npy.Array{}, fmt.Errorf("array %s and those before it unpack to more than %d MiB, or %d times the file: leave arrays out, or save them with numpy.savez", showName(name), maxArrays>>20, maxPacked)
	}
	return a.file.Array(name)
}

// column reads a label or number for each example.
func (a *archive) column(name string) (*column, error) {
	c, d := newColumn(), a.about[name]
	if d == nil || d.Values == nil {
		texts, err := a.texts(name)
		if err != nil {
			return nil, err
		}
		return c, a.fill(name, c, texts)
	}
	array, err := a.array(name)
	if err != nil {
		return nil, err
	}
	labels, err := array.Ints()
	if err != nil {
		return nil, fmt.Errorf("array %s: %w", showName(name), err)
	}
	if err := a.fill(name, c, d.Values); err != nil {
		return nil, err
	}
	if len(c.values) != len(d.Values) || slices.Contains(d.Values, "") {
		return nil, fmt.Errorf("array %s is described with a class twice, or one without a name: rename it", showName(name))
	}
	c.listed = slices.Clone(c.values)
	c.values, c.codes = append(c.values, ""), make([]int32, len(labels))
	for i, label := range labels {
		if label < -1 || label >= len(d.Values) {
			return nil, fmt.Errorf("array %s, row %d (from 0): class %d does not exist: it is described with %d classes, from 0", showName(name), i, label, len(d.Values))
		}
		if c.codes[i] = int32(label); label < 0 {
			c.codes[i] = int32(len(d.Values))
		}
	}
	return c, nil
}

// fill adds the values of an array to a column.
func (a *archive) fill(name string, c *column, texts []string) error {
	for _, t := range texts {
		if err := c.add(t); err != nil {
			return fmt.Errorf("array %s: %w", showName(name), err)
		}
		if len(c.values) > maxDistinct {
			return fmt.Errorf("array %s has more than %d different labels: round numbers, or leave it out", showName(name), maxDistinct)
		}
	}
	return nil
}

// texts reads an array of labels: numbers as the shortest decimal, and bools as 0 and 1.
func (a *archive) texts(name string) ([]string, error) {
	array, err := a.array(name)
	if err != nil {
		return nil, err
	}
	switch x := array.Data.(type) {
	case []string:
		return written(x, strings.TrimSpace), nil
	case []float32:
		return written(x, func(v float32) string { return strconv.FormatFloat(float64(v), 'g', -1, 32) }), nil
	case []float64:
		return written(x, func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }), nil
	case []uint64:
		return written(x, func(v uint64) string { return strconv.FormatUint(v, 10) }), nil
	}
	x, err := array.Ints()
	if err != nil {
		return nil, fmt.Errorf("array %s holds neither text nor numbers", showName(name))
	}
	return written(x, strconv.Itoa), nil
}

func written[T any](x []T, as func(T) string) []string {
	dst := make([]string, len(x))
	for i, v := range x {
		dst[i] = as(v)
	}
	return dst
}

// content reads arrays: one of outputs at most, and labels.
func (a *archive) content(fields []field, scores, labels []int) (*content, error) {
	c := &content{place: func(i int) string { return fmt.Sprintf("row %d (from 0)", i) }}
	for _, k := range scores {
		name, width := fields[k].name, fields[k].width()
		array, err := a.array(name)
		if err != nil {
			return nil, err
		}
		if _, text := array.Data.([]string); text {
			return nil, fmt.Errorf("array %s holds text: save the outputs as numbers", showName(name))
		}
		if c.scores, err = array.Float32s(); err != nil {
			return nil, fmt.Errorf("array %s: %w: scale the outputs", showName(name), err)
		}
		wide, ok := array.Data.([]float64)
		c.finer = ok && slices.ContainsFunc(wide, finer)
		if i := slices.IndexFunc(c.scores, func(v float32) bool { return v-v != 0 }); i >= 0 {
			return nil, fmt.Errorf("array %s, row %d, column %d (from 0): the score is %v: outputs must be finite; correct the model or leave the row out", showName(name), i/width, i%width, c.scores[i])
		}
	}
	for _, k := range labels {
		column, err := a.column(fields[k].name)
		if err != nil {
			return nil, err
		}
		c.labels = append(c.labels, column)
	}
	return c, nil
}
