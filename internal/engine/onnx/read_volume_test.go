package onnx

import (
	"testing"
)

// volume is how a window goes over depth, height and width.
type volume struct {
	kernel, stride, dilation, before, after [3]int
	groups                                  int
}

// out is how many windows there are along each of the three. With ceil, windows that begin before
// the end may reach beyond.
func (v volume) out(shape []int, ceil bool) []int {
	s := make([]int, 3)
	for i := range s {
		free := shape[2+i] + v.before[i] + v.after[i] - (v.kernel[i]-1)*v.dilation[i] - 1
		if s[i] = free/v.stride[i] + 1; ceil && free%v.stride[i] != 0 && s[i]*v.stride[i] < shape[2+i]+v.before[i] {
			s[i]++
		}
	}
	return s
}

// window calls f with each entry of one window: where it is in the kernel and in the
// input, and whether it is padding.
func (v volume) window(shape, at []int, f func(k, from [3]int, padding bool)) {
	fill(v.kernel[:], func(k []int) float64 {
		var from [3]int
		padding := false
		for i := range from {
			from[i] = at[i]*v.stride[i] + k[i]*v.dilation[i] - v.before[i]
			padding = padding || from[i] < 0 || from[i] >= shape[2+i]
		}
		f([3]int(k), from, padding)
		return 0
	})
}

// convolvedVolume is Conv-11 from its definition.
func convolvedVolume(x, w, bias array, v volume) array {
	out := append([]int{x.shape[0], w.shape[0]}, v.out(x.shape, false)...)
	each := w.shape[0] / v.groups
	return fill(out, func(at []int) float64 {
		y := bias.at(at[1])
		v.window(x.shape, at[2:], func(k, from [3]int, padding bool) {
			for c := 0; c < w.shape[1] && !padding; c++ {
				y += w.at(at[1], c, k[0], k[1], k[2]) * x.at(at[0], at[1]/each*w.shape[1]+c, from[0], from[1], from[2])
			}
		})
		return y
	})
}

// pooledVolume is MaxPool-12 and AveragePool-11 from their definitions: f of the entries of each
// window inside the input, or, with counted, of zeros in the padding too.
func pooledVolume(x array, v volume, ceil, counted bool, f func([]float64) float64) array {
	return fill(append([]int{x.shape[0], x.shape[1]}, v.out(x.shape, ceil)...), func(at []int) float64 {
		var seen []float64
		v.window(x.shape, at[2:], func(_, from [3]int, padding bool) {
			switch {
			case !padding:
				seen = append(seen, x.at(at[0], at[1], from[0], from[1], from[2]))
			case counted:
				seen = append(seen, 0)
			}
		})
		return f(seen)
	})
}

// Windows over volumes.
func TestReadVolumes(t *testing.T) {
	x, rows := random(1, 1, 4, 5, 6, 7), random(2, 2, 4, 5, 6, 7)
	plain := volume{kernel: [3]int{2, 3, 2}, stride: [3]int{1, 1, 1}, dilation: [3]int{1, 1, 1}, groups: 1}
	deep := volume{kernel: [3]int{3, 1, 1}, stride: [3]int{2, 1, 1}, dilation: [3]int{1, 1, 1}, before: [3]int{1, 0, 0}, after: [3]int{1, 0, 0}, groups: 1}
	flat := volume{kernel: [3]int{1, 3, 3}, stride: [3]int{1, 2, 1}, dilation: [3]int{1, 1, 1}, before: [3]int{0, 1, 1}, after: [3]int{0, 1, 0}, groups: 2}
	all := volume{kernel: [3]int{2, 2, 3}, stride: [3]int{2, 1, 2}, dilation: [3]int{2, 1, 2}, before: [3]int{1, 1, 0}, after: [3]int{1, 0, 2}, groups: 2}
	with := map[string]array{"b": random(3, 6)}
	cases := []readCase{}
	for name, v := range map[string]volume{"plain": plain, "deep": deep, "flat": flat, "all": all} {
		settings := [][]byte{
			numbers("kernel_shape", v.kernel[:]...), numbers("strides", v.stride[:]...), numbers("dilations", v.dilation[:]...),
			numbers("pads", append(append([]int{}, v.before[:]...), v.after[:]...)...),
		}
		w := random(4, 6, 4/v.groups, v.kernel[0], v.kernel[1], v.kernel[2])
		weighed := map[string]array{"w": w, "b": with["b"]}
		for kind, x := range map[string]array{"one": x, "two": rows} {
			name := name + ", " + kind
			cases = append(cases,
				readCase{"Conv " + name, 0, x, weighed, nil, between("Conv", in("x", "w", "b"), append(settings, number("group", int64(v.groups)))...), convolvedVolume(x, w, with["b"], v)},
				readCase{"MaxPool " + name, 0, x, nil, nil, apply("MaxPool", settings...), pooledVolume(x, v, false, false, reductions["Max"])},
				readCase{"AveragePool " + name, 19, x, nil, nil, apply("AveragePool", settings...), pooledVolume(x, v, false, false, reductions["Mean"])},
				readCase{"AveragePool with padding " + name, 19, x, nil, nil, apply("AveragePool", append(settings, number("count_include_pad", 1))...), pooledVolume(x, v, false, true, reductions["Mean"])})
		}
	}
	same := volume{kernel: [3]int{2, 3, 2}, stride: [3]int{2, 2, 2}, dilation: [3]int{1, 1, 1}, before: [3]int{0, 0, 0}, after: [3]int{1, 1, 1}, groups: 1}
	w := random(5, 3, 4, 2, 3, 2)
	upper := [][]byte{numbers("kernel_shape", 2, 3, 2), numbers("strides", 2, 2, 2), attributeText("auto_pad", "SAME_UPPER")}
	cases = append(cases,
		readCase{"Conv, as many", 0, x, map[string]array{"w": w}, nil, between("Conv", in("x", "w"), upper...), convolvedVolume(x, w, array{nil, []float64{0}}, same)},
		readCase{"MaxPool, as many", 0, x, nil, nil, apply("MaxPool", upper...), pooledVolume(x, same, false, false, reductions["Max"])})
	holdReads(t, cases)
}

// What does not fit a volume is said so.
func TestReadVolumesRefuses(t *testing.T) {
	weight := random(1, 2, 1, 2, 2, 2).floats()
	conv := func(attributes ...[]byte) *modelFile {
		return newFile(1, 3, 3, 3).floats("w", []int{2, 1, 2, 2, 2}, weight...).node("Conv", "y", in("x", "w"), attributes...)
	}
	for name, f := range map[string]*modelFile{
		"four":     newFile(1, 3, 3, 3, 3).node("MaxPool", "y", in("x"), numbers("kernel_shape", 1, 1, 1, 1)),
		"too deep": conv(numbers("dilations", 3, 1, 1)),
		"two pads": conv(numbers("pads", 0, 0, 0, 0)),
		"pool":     newFile(1, 3, 3, 3).node("MaxPool", "y", in("x"), numbers("kernel_shape", 4, 1, 1)),
		"adjoint":  newFile(1, 3, 3, 3).floats("w", []int{1, 2, 2, 2, 2}, weight...).node("ConvTranspose", "y", in("x", "w")),
		"huge":     newFile(1, 3, 30, 30).floats("w", []int{2, 1, 2, 2, 2}, weight...).node("Conv", "y", in("x", "w"), numbers("pads", 1<<20, 0, 0, 1<<20, 0, 0)),
	} {
		if _, err := f.decode(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
