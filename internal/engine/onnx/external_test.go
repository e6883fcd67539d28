package onnx

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"tattle/internal/must"
)

// beside is a float tensor whose data lie in another file.
func beside(name, location string, offset, length int64, kind int64, shape ...int) []byte {
	entry := func(key, value string) []byte {
		return appendBytes(nil, tensorExternal, appendBytes(appendBytes(nil, entryKey, []byte(key)), entryValue, []byte(value)))
	}
	b := append(tensorOf(name, kind, shape...), entry("location", location)...)
	if offset >= 0 {
		b = append(b, entry("offset", fmt.Sprint(offset))...)
	}
	if length >= 0 {
		b = append(b, entry("length", fmt.Sprint(length))...)
	}
	return appendInt(b, tensorLocation, 1)
}

func writeFile(t *testing.T, path string, data []byte) string {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must.Do(t, os.WriteFile(path, data, 0o600))
	return path
}

func TestExternalData(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "deep", "weights"), []byte{9, 9, 9, 9, 0, 0, 128, 63, 0, 0, 0, 192})
	f := newFile(2).tensor(beside("w", "deep/weights", 4, 8, typeFloat, 2, 1)).node("MatMul", "y", in("x", "w"))
	g := must.Get(Read(writeFile(t, filepath.Join(dir, "m.onnx"), f.bytes())))(t)
	y := make([]float32, 1)
	net(t, g).Forward(y, []float32{3, 1})
	if y[0] != 1 {
		t.Errorf("3·1 − 2 = %v", y[0])
	}
	// bfloat16 and integers, without offset and length.
	writeFile(t, filepath.Join(dir, "halves"), []byte{0x80, 0x3f, 0, 0xc0})
	writeFile(t, filepath.Join(dir, "shape"), []byte{255, 255, 255, 255, 255, 255, 255, 255})
	f = newFile(2).tensor(beside("w", "halves", -1, -1, typeBfloat16, 2, 1)).tensor(beside("s", "shape", -1, -1, typeInt64, 1)).
		node("MatMul", "m", in("x", "w")).node("Reshape", "y", in("m", "s"))
	g = must.Get(Read(writeFile(t, filepath.Join(dir, "m.onnx"), f.bytes())))(t)
	net(t, g).Forward(y, []float32{3, 1})
	if y[0] != 1 {
		t.Errorf("3·1 − 2 = %v", y[0])
	}
}

func TestExternalDataRefused(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "model")
	writeFile(t, filepath.Join(top, "secret"), make([]byte, 8))
	writeFile(t, filepath.Join(dir, "short"), make([]byte, 7))
	writeFile(t, filepath.Join(dir, "good"), make([]byte, 8))
	if err := os.Truncate(writeFile(t, filepath.Join(dir, "sparse"), nil), 40<<30); err != nil {
		t.Skip(err)
	}
	must.Do(t, os.Symlink("../secret", filepath.Join(dir, "link")))
	for _, c := range []struct {
		tensor []byte
		want   string
	}{
		{beside("w", "none", 0, 8, typeFloat, 2, 1), `"none", which does not exist: put that file beside the model`},
		{beside("w", "short", 0, 8, typeFloat, 2, 1), `needs bytes 0 to 8 of "short", which has 7: the file is cut off`},
		{beside("w", "good", 4, 8, typeFloat, 2, 1), `needs bytes 4 to 12 of "good", which has 8`},
		{beside("w", "good", 1<<62, 8, typeFloat, 2, 1), `which has 8`},
		{beside("w", "good", 0, 4, typeFloat, 2, 1), `needs 8 bytes of data, but has 4`},
		{beside("w", "good", 0, -1, typeFloat, 1<<30, 1<<29), `which has 8`},
		{beside("w", "../secret", 0, 8, typeFloat, 2, 1), `"../secret", which is not a path inside the model's folder`},
		{beside("w", filepath.Join(top, "secret"), 0, 8, typeFloat, 2, 1), `not a path inside the model's folder`},
		{beside("w", "link", 0, 8, typeFloat, 2, 1), `"link", which cannot be read from the model's folder`},
		{beside("w", ".", 0, 8, typeFloat, 2, 1), `which is not a regular file`},
		{beside("w", "sparse", 0, -1, typeFloat, 1<<20, 10<<10), `take more than 8 GiB`},
		{beside("w", "", 0, 8, typeFloat, 2, 1), `not a path`},
	} {
		f := newFile(2).tensor(c.tensor).node("MatMul", "y", in("x", "w"))
		_, err := Read(writeFile(t, filepath.Join(dir, "m.onnx"), f.bytes()))
		var format *FormatError
		if !errors.As(err, &format) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "MatMul of y") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	twice := newFile(2).tensor(beside("v", "good", 0, 8, typeFloat, 2, 1)).tensor(beside("w", "good", 0, 8, typeFloat, 2, 1)).
		node("MatMul", "a", in("x", "v")).node("MatMul", "b", in("x", "w")).node("Add", "y", in("a", "b"))
	must.Fail(t, must.Err(Read(writeFile(t, filepath.Join(dir, "m.onnx"), twice.bytes()))), "overlap")
}

// Of a file of weights over 2 GiB only what is used is read.
func TestOverTwoGiB(t *testing.T) {
	dir := t.TempDir()
	const size = 5 << 30
	w := must.Get(os.Create(filepath.Join(dir, "weights")))(t)
	defer w.Close()
	if err := w.Truncate(size); err != nil { // sparse: it takes no room
		t.Skip(err)
	}
	if _, err := w.WriteAt([]byte{0, 0, 128, 63, 0, 0, 0, 192}, size-8); err != nil {
		t.Skip(err)
	}
	f := newFile(2).tensor(beside("w", "weights", size-8, 8, typeFloat, 2, 1)).node("MatMul", "y", in("x", "w"))
	f.tensor(beside("unused", "weights", 0, size-8, typeFloat, 1<<20, 1279)).tensor(beside("large", "weights", 0, 64<<20, typeFloat, 1<<23, 2)).
		node("Transpose", "z", in("large"))
	path := writeFile(t, filepath.Join(dir, "m.onnx"), f.bytes())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	g, err := Read(path)
	runtime.ReadMemStats(&after)
	must.Do(t, err)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
	y := make([]float32, 1)
	net(t, g).Forward(y, []float32{3, 1})
	if y[0] != 1 {
		t.Errorf("3·1 − 2 = %v", y[0])
	}
	var whole []byte
	whole = protowire.AppendTag(whole, modelGraph, protowire.BytesType)
	big := filepath.Join(dir, "big.onnx")
	writeFile(t, big, whole)
	if err := os.Truncate(big, 3<<30); err != nil {
		t.Skip(err)
	}
	must.Fail(t, must.Err(Read(big)), "keep the weights in a file beside it")
}

// Weights beside the file are copied once, to where they stay.
func TestExternalDataIsCopiedOnce(t *testing.T) {
	dir := t.TempDir()
	const side, layers = 512, 8
	must.Do(t, os.Truncate(writeFile(t, filepath.Join(dir, "weights"), nil), layers*4*side*side))
	f := newFile(side)
	last := "x"
	for i := range layers {
		w, y := fmt.Sprint("w", i), fmt.Sprint("y", i)
		f.tensor(beside(w, "weights", int64(4*side*side*i), 4*side*side, typeFloat, side, side))
		f.node("Gemm", y, in(last, w), number("transB", 1))
		last = y
	}
	f.output = last
	path := writeFile(t, filepath.Join(dir, "m.onnx"), f.bytes())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Read(path)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; err != nil || n > layers*(4*side*side+1<<19) {
		t.Errorf("%d bytes were allocated for %d of weights (%v)", n, layers*4*side*side, err)
	}
}
