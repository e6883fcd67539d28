package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"tattle/internal/file"
)

// readPart reads one part of a data set from path, which is one of
//
//   - a folder of idx files named as MNIST's are (train-images-idx3-ubyte and so
//     on, "." for the last "-" allowed, with or without .gz), with QMNIST's label
//     files beside them or not: where they are, the sensitive attribute is the writer's population;
//   - a folder of CIFAR-10's binary records (data_batch_1.bin to data_batch_5.bin, test_batch.bin),
//     as many of the training batches as are there;
//   - one idx file of images with its labels beside it, for which split is not
//     looked at.
//
// Whether a file is compressed is seen from its contents, not its name.
//
// If the folder of QMNIST's labels is given, these are of MNIST's images: Y is the
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

// GlyphsTrain and GlyphsTest are how many glyphs are drawn for training and for tests, unless a number is given: variables for
// tests alone. Those for training are learned to above 90 % in seconds.
var GlyphsTrain, GlyphsTest = 10000, 2000

// openDigits reads both parts of what readPart reads, or the one that is asked for.
func openDigits(path string, o Options) (*origin, error) {
	wanted := []Split{Train, Test}
	switch {
	case !o.divided && o.Part == Validation:
		return nil, fmt.Errorf("%s: has no %s part: ask for %s or %s", path, Validation, Train, Test)
	case !o.divided:
		wanted = []Split{o.Part}
	case !hasPart(path, Test):
		wanted = wanted[:1]
	}
	var sets []*Set
	for _, part := range wanted {
		set, err := readPart(path, o.Labels, part)
		if err != nil {
			return nil, err
		}
		if side := set.Shape[1]; o.Side != 0 && o.Side != side {
			return nil, fmt.Errorf("%s: pictures of %d×%d are not resized to %d: leave the side out", path, side, set.Shape[2], o.Side)
		}
		sets = append(sets, set)
	}
	src := fromSets(path, sets, wanted, o, nil)
	src.elsewhere = map[string]string{"writer": "QMNIST's labels say the writers of MNIST: put them beside the pictures, or name their folder for the labels"}
	if len(sets[0].Mean) > 1 {
		src.scaled = "the bytes of CIFAR-10 are scaled to −1 … 1"
	}
	return src, nil
}

// drawGlyphs draws the glyphs that are read, and no others.
func drawGlyphs(o Options) (*origin, error) {
	if o.Side != 0 && o.Side != glyphSide {
		return nil, fmt.Errorf("%s are drawn with %d×%d pixels, and not with %d: leave the side out", KindGlyphs, glyphSide, glyphSide, o.Side)
	}
	parts := []Split{Train, Test}
	if !o.divided {
		parts = []Split{o.Part}
	}
	var sets []*Set
	var all []glyph
	for _, part := range parts {
		g := GlyphOptions{N: GlyphsTrain, Seed: o.Seed, Split: Train}
		if part != Train {
			g.N, g.Split = GlyphsTest, Test
		}
		list := g.list()
		sets, all = append(sets, labelGlyphs(list)), append(all, list...)
	}
	return fromSets(KindGlyphs, sets, parts, o, func(rows []int) []uint8 { return paintGlyphs(pick(all, 1, rows)) }), nil
}

// fromSets makes columns of the labels of sets, which are parts of one. draw returns the pixels of some rows; nil takes them of the
// sets.
func fromSets(source string, sets []*Set, parts []Split, o Options, draw func(rows []int) []uint8) *origin {
	all := *sets[0]
	if draw == nil {
		draw = func(rows []int) []uint8 { return pick(all.Pixels, all.size(), rows) }
	}
	l := &labels{source: source, columns: []column{{name: all.YName, listed: all.YNames}}}
	src := &origin{labels: l, name: all.Name, target: all.YName, close: func() {}}
	for _, a := range all.Sensitive {
		l.columns = append(l.columns, column{name: a.Name, listed: a.Values})
		src.sensitive = append(src.sensitive, a.Name)
	}
	if all.Group != nil {
		l.columns = append(l.columns, column{name: all.Group.Name})
	}
	all.Y, all.Sensitive, all.Group, all.Source = nil, nil, nil, nil
	all.Pixels = all.Pixels[:len(all.Pixels):len(all.Pixels)]
	for k, s := range sets {
		if k > 0 {
			all.Pixels = append(all.Pixels, s.Pixels...)
		}
		all.Source = append(all.Source, s.Source...)
		for i, y := range s.Y {
			l.split = append(l.split, parts[k])
			l.columns[0].values = append(l.columns[0].values, s.YNames[y])
			for k, a := range s.Sensitive {
				c := &l.columns[k+1]
				c.values = append(c.values, a.Values[a.Labels[i]])
			}
			if s.Group != nil {
				c := &l.columns[len(l.columns)-1]
				c.values = append(c.values, s.Group.Values[s.Group.Labels[i]])
			}
		}
	}
	src.read = func(_ context.Context, rows, _ []int, _ *chosen) (*Set, error) {
		set := all
		set.Pixels = draw(rows)
		return &set, o.Preprocess.reshape(source, &set)
	}
	return src
}

// classNumbers are the names of n classes that have none.
func classNumbers(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names
}

// baseName is the last element of a path: for "." the name of the folder.
func baseName(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return filepath.Base(path)
}
