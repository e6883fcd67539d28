package npy_test

import (
	"bytes"
	"fmt"
	"log"

	"tattle/internal/npy"
)

// Two arrays are written into an .npz archive, and one is read back by its name.
func Example() {
	var archive bytes.Buffer
	w := npy.NewWriter(&archive)
	if err := w.Add("x", []int{2, 2}, []float32{1, 2, 3, 4}); err != nil {
		log.Fatal(err)
	}
	if err := w.Add("y", []int{2}, []int64{0, 1}); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	f, err := npy.NewFile("archive.npz", bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	if err != nil {
		log.Fatal(err)
	}
	x, err := f.Array("x")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.Names(), x.Shape, x.Data)
	// Output: [x y] [2 2] [1 2 3 4]
}
