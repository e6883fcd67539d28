package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tattle/internal/file"
)

// Open reads one part of a data set from path, which is one of
//
//   - a folder of idx files named as MNIST's are (train-images-idx3-ubyte and so
//     on, "." for the last "-" allowed, with or without .gz), with QMNIST's label
//     files beside them or not: where they are, the sensitive attribute is the writer's population;
//   - a folder of CIFAR-10's binary records (data_batch_*.bin, test_batch.bin),
//     as many of the training batches as are there;
//   - one idx file of images with its labels beside it, for which split is not
//     looked at.
//
// Whether a file is compressed is seen from its contents, not its name.
func Open(path string, split Split) (*Set, error) { return readPart(path, "", split) }

// readPart reads a part as [Open] does; if the folder of QMNIST's labels is given, these are of MNIST's images: Y is the
// digit, the sensitive attribute the writer's population, 0 for census employees and 1 for high-school students. The folders
// may be the same.
func readPart(path, labelsDir string, split Split) (*Set, error) {
	if err := split.check(); err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &file.NotFoundError{Path: path, Give: "give a folder of idx files or CIFAR-10 batches, or one idx file of images"}
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() && labelsDir == "" {
		return openImages(path, "")
	}
	idx, cifar, labels := idxImages(path, split), cifarBatches(path, split), qmnistLabels(cmp.Or(labelsDir, path), split)
	switch {
	case labelsDir != "" && idx == "":
		return nil, fmt.Errorf("%s: no %s-images-idx3-ubyte(.gz): wants MNIST's images", path, imageStems(split)[0])
	case labelsDir != "" && labels == "":
		return nil, fmt.Errorf("%s: no qmnist-%s-labels-idx2-int(.gz): wants QMNIST's labels", labelsDir, split)
	case idx != "" && len(cifar) > 0:
		return nil, fmt.Errorf("%s: holds both %s and %s: give each data set a folder of its own", path, filepath.Base(idx), filepath.Base(cifar[0]))
	case idx != "":
		return openImages(idx, labels)
	case len(cifar) > 0:
		return openCIFAR(cifar)
	case labels != "":
		return nil, malformed(labels, "labels without images: put MNIST's %s beside it, or name MNIST's folder as well", imageStems(split)[0]+"-images-idx3-ubyte.gz")
	case hasPart(path, split.other()):
		return nil, fmt.Errorf("%s: holds the %s part only: no %s images", path, split.other(), split)
	}
	return nil, fmt.Errorf("%s: no data set: wants %s-images-idx3-ubyte(.gz) or %s", path, imageStems(split)[0], cifarPattern(split))
}

func (s Split) other() Split {
	if s == Train {
		return Test
	}
	return Train
}

// imageStems are the beginnings of the file names of a part, MNIST's own first.
func imageStems(split Split) []string {
	if split == Train {
		return []string{"train"}
	}
	return []string{"t10k", "test"}
}

// firstFile returns the first of the names that is there, or "".
func firstFile(dir string, names ...string) string {
	for _, name := range names {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path
		}
	}
	return ""
}

// spellings lists the ways that a file of an idx data set may be named.
func spellings(stem, kind string) []string {
	var names []string
	for _, sep := range []string{"-", "."} {
		for _, gz := range []string{".gz", ""} {
			names = append(names, stem+sep+kind+gz)
		}
	}
	return names
}

func idxImages(dir string, split Split) string {
	var names []string
	for _, stem := range imageStems(split) {
		names = append(names, spellings(stem+"-images", "idx3-ubyte")...)
	}
	return firstFile(dir, names...)
}

func qmnistLabels(dir string, split Split) string {
	return firstFile(dir, spellings("qmnist-"+string(split)+"-labels", "idx2-int")...)
}

// labelsFor returns the labels file beside an images file, or "".
func labelsFor(images string) string {
	dir, base := filepath.Split(images)
	if !strings.Contains(base, "images") {
		return ""
	}
	base = strings.TrimSuffix(base, ".gz")
	base = strings.ReplaceAll(strings.ReplaceAll(base, "images", "labels"), "idx3", "idx1")
	dashed := strings.Replace(base, ".idx1", "-idx1", 1)
	dotted := strings.Replace(base, "-idx1", ".idx1", 1)
	return firstFile(dir, base+".gz", base, dashed+".gz", dashed, dotted+".gz", dotted)
}
