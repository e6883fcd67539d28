package dataset

import (
	"fmt"
	"slices"

	"tattle/npy"
)

// readBytes reads pictures, and changes them as the preprocessing says; where it
// says nothing of the values, bytes are taken to 0 … 1.
func (a *arrays) readBytes(rows, order []int, size int, o InputOptions, in *inputs) (*Set, error) {
	channels, height, width, last, err := a.picture(o)
	if err != nil {
		return nil, err
	}
	set := &Set{Shape: []int{channels, height, width}, Pixels: make([]uint8, len(rows)*size)}
	set.Mean, set.Std = slices.Repeat([]float32{0}, channels), slices.Repeat([]float32{1}, channels)
	err = a.each(rows, order, func(k int, one npy.Array) error {
		planes(set.Pixels[k*size:][:size], one.Data.([]uint8), channels, last)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !o.Preprocess.Normalises() {
		in.note("no normalisation is given: bytes are scaled to 0 … 1 (set range, mean and std of the preprocessing to change this)")
	}
	return set, o.Preprocess.reshape(a.path, set)
}

// planes writes a picture as planes of its channels.
func planes(dst, src []uint8, channels int, last bool) {
	if !last {
		copy(dst, src)
		return
	}
	plane := len(src) / channels
	for i, v := range src {
		dst[i%channels*plane+i/channels] = v
	}
}

// picture returns the meaning of the dimensions of an array of bytes: channels are 1 or 3.
func (a *arrays) picture(o InputOptions) (channels, height, width int, last bool, err error) {
	shape := a.x.Shape()[1:]
	switch len(shape) {
	case 2:
		return 1, shape[0], shape[1], false, nil
	case 3:
		return a.colours(shape, o)
	case 0:
		return 1, 1, 1, false, nil
	case 1:
		return a.flat(shape[0], o)
	}
	return 0, 0, 0, false, malformed(a.path, "examples of shape %s are bytes, and no pictures: give pictures as n × height × width × channels, or numbers as float32", times(shape))
}

// flat interprets a list of bytes in the model's shape, if that is a shape of pictures.
func (a *arrays) flat(n int, o InputOptions) (channels, height, width int, last bool, err error) {
	if len(o.Shape) == 3 && sizeOf(o.Shape) == n && !o.Preprocess.resizes() {
		return a.colours(o.Shape, o)
	}
	return 1, 1, n, false, nil
}

// colours finds which of three dimensions are the channels.
func (a *arrays) colours(shape []int, o InputOptions) (channels, height, width int, last bool, err error) {
	coloured := func(n int) bool { return n == 1 || n == 3 }
	first, last := coloured(shape[0]), coloured(shape[2])
	if first && last {
		first, last, err = a.ambiguous(shape, o)
	}
	switch {
	case err != nil:
		return 0, 0, 0, false, err
	case first:
		return shape[0], shape[1], shape[2], false, nil
	case last:
		return shape[2], shape[0], shape[1], true, nil
	}
	return 0, 0, 0, false, malformed(a.path, "examples of shape %s are bytes with neither 1 nor 3 channels: give pictures as n × height × width × channels, or numbers as float32", times(shape))
}

// ambiguous decides by the model's layout, if that is given or the shapes agree.
func (a *arrays) ambiguous(shape []int, o InputOptions) (first, last bool, err error) {
	layout := o.Preprocess.Layout
	if layout == "" && slices.Equal(shape, o.Shape) {
		layout = LayoutCHW
	}
	if layout == "" {
		return false, false, fmt.Errorf("%s: examples of shape %s: which are the channels? say layout=chw or layout=hwc", a.path, times(shape))
	}
	return layout == LayoutCHW, layout == LayoutHWC, nil
}
