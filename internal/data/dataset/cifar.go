package dataset

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// CIFAR-10's binary records: one label byte, then 32×32 bytes each of red,
// green and blue.
const (
	cifarSide   = 32
	cifarPixels = 3 * cifarSide * cifarSide
	cifarRecord = 1 + cifarPixels
)

var cifarNames = []string{"airplane", "automobile", "bird", "cat", "deer", "dog",
	"frog", "horse", "ship", "truck"}

func cifarPattern(split Split) string {
	if split == Train {
		return "data_batch_*.bin"
	}
	return "test_batch.bin"
}

// cifarBatches lists the files of a part, in order.
func cifarBatches(dir string, split Split) []string {
	paths, _ := fs.Glob(os.DirFS(dir), cifarPattern(split))
	for i, name := range paths {
		paths[i] = filepath.Join(dir, name)
	}
	return paths
}

// openCIFAR reads batches. Pixels are normalised to x/255·2 − 1, that is with
// mean and standard deviation .5 (A, section 3.2).
func openCIFAR(paths []string) (*Set, error) {
	set := &Set{
		Name: "cifar10", Shape: []int{3, cifarSide, cifarSide},
		YName: "class", YNames: cifarNames, Source: paths,
		Mean: []float32{.5, .5, .5}, Std: []float32{.5, .5, .5},
	}
	for _, path := range paths {
		data, err := readFile(path)
		if err != nil {
			return nil, err
		}
		if err := set.appendRecords(path, data); err != nil {
			return nil, err
		}
	}
	return set.finish(), nil
}

// appendRecords decodes the records of one file.
func (s *Set) appendRecords(name string, data []byte) error {
	n := len(data) / cifarRecord
	if extra := len(data) % cifarRecord; extra != 0 {
		return malformed(name, "%d bytes are not whole records of %d (%d left over): truncated, or not CIFAR-10's binary version; get the file again", len(data), cifarRecord, extra)
	}
	if n == 0 {
		return malformed(name, "holds no pictures: get the file again")
	}
	s.Pixels = slices.Grow(s.Pixels, n*cifarPixels)
	for i := range n {
		record := data[i*cifarRecord:][:cifarRecord]
		if record[0] >= byte(len(cifarNames)) {
			return malformed(name, "label %d of picture %d is out of range 0..9: not CIFAR-10's binary version; get the file again", record[0], i)
		}
		s.Y = append(s.Y, int(record[0]))
		s.Pixels = append(s.Pixels, record[1:]...)
	}
	return nil
}
