package dataset

import (
	"fmt"
	"slices"
	"strings"
)

// Description describes a public data set: its content, licence and source.
type Description struct {
	Name      string
	Title     string
	Content   string // what the pictures and labels are
	Shape     []int  // of one picture: channels, height, width
	Train     int    // pictures
	Test      int
	Target    string // what Y is
	Sensitive string // what the sensitive attribute is; "" if the set has none
	Terms     string
	Citation  string
	Home      string
	Files     []RemoteFile
}

// RemoteFile is a file that [Get] fetches.
type RemoteFile struct {
	Name   string // in the folder it is put in
	URL    string
	Size   int64  // of the file as published, in bytes
	SHA256 string // of an idx file decompressed, of an archive as it is

	contents int64    // bytes that SHA256 is of
	members  []member // of an archive, which is unpacked and then removed
}

// member is a file wanted from an archive.
type member struct {
	path string // in the archive
	name string // in the folder it is put in
	size int64
}

// Names lists the sets that [Info] and [Get] know.
func Names() []string {
	var names []string
	for _, d := range catalogue {
		names = append(names, d.Name)
	}
	return names
}

// Info describes the set of that name.
func Info(name string) (Description, error) {
	for _, d := range catalogue {
		if d.Name == name {
			d.Shape, d.Files = slices.Clone(d.Shape), slices.Clone(d.Files)
			return d, nil
		}
	}
	return Description{}, fmt.Errorf("no data set %q: want one of %s", name, strings.Join(Names(), ", "))
}

// Bytes returns the size of all files as they are fetched.
func (d Description) Bytes() int64 {
	var n int64
	for _, f := range d.Files {
		n += f.Size
	}
	return n
}

// String describes the set in some lines of text.
func (d Description) String() string {
	var b strings.Builder
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "  %-10s %s\n", key, value)
		}
	}
	fmt.Fprintf(&b, "%s: %s\n", d.Name, d.Title)
	line("pictures", fmt.Sprintf("%d to train, %d to test, %s: %s", d.Train, d.Test, times(d.Shape), d.Content))
	line("target", d.Target)
	line("sensitive", d.Sensitive)
	line("terms", d.Terms)
	line("cite", d.Citation)
	line("home", d.Home)
	for _, f := range d.Files {
		of := "decompressed"
		if f.members != nil {
			of = "as it is"
		}
		line("file", fmt.Sprintf("%s, %d bytes, SHA-256 %s %s", f.URL, f.Size, of, f.SHA256))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

const (
	mnistHome   = "https://ossci-datasets.s3.amazonaws.com/mnist/"
	fashionHome = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"
	qmnistHome  = "https://raw.githubusercontent.com/facebookresearch/qmnist/master/"
	cifarHome   = "https://www.cs.toronto.edu/~kriz/"
)

// The SHA-256s of idx files are of the decompressed files, so that a mirror may
// compress them anew. CIFAR-10's is of the archive as published.
var (
	mnistImages = []RemoteFile{
		idxFile(mnistHome, "train-images-idx3-ubyte.gz", 9912422, 47040016, "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"),
		idxFile(mnistHome, "t10k-images-idx3-ubyte.gz", 1648877, 7840016, "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"),
	}
	mnistFiles = append(slices.Clone(mnistImages),
		idxFile(mnistHome, "train-labels-idx1-ubyte.gz", 28881, 60008, "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"),
		idxFile(mnistHome, "t10k-labels-idx1-ubyte.gz", 4542, 10008, "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"),
	)
	qmnistFiles = append(slices.Clone(mnistFiles),
		idxFile(qmnistHome, "qmnist-train-labels-idx2-int.gz", 463024, 1920012, "bb1b6e1ec7b04fd5696f1ed50b5f58f8ef195118edd5c93c81783df9740b8ac5"),
		idxFile(qmnistHome, "qmnist-test-labels-idx2-int.gz", 526800, 1920012, "92d0ccb8c25f9c6534270fb4be7e1d24a1c6d315edfc8a638bfbd31c70f362dd"),
	)
	fashionFiles = []RemoteFile{
		idxFile(fashionHome, "train-images-idx3-ubyte.gz", 26421880, 47040016, "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888"),
		idxFile(fashionHome, "t10k-images-idx3-ubyte.gz", 4422102, 7840016, "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b"),
		idxFile(fashionHome, "train-labels-idx1-ubyte.gz", 29515, 60008, "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9"),
		idxFile(fashionHome, "t10k-labels-idx1-ubyte.gz", 5148, 10008, "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34"),
	}
	cifarFiles = []RemoteFile{{
		Name: "cifar-10-binary.tar.gz", URL: cifarHome + "cifar-10-binary.tar.gz",
		Size: 170052171, contents: 170052171,
		SHA256: "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
		members: []member{
			batch("data_batch_1.bin"), batch("data_batch_2.bin"), batch("data_batch_3.bin"),
			batch("data_batch_4.bin"), batch("data_batch_5.bin"), batch("test_batch.bin"),
		},
	}}
)

func idxFile(home, name string, size, contents int64, sum string) RemoteFile {
	return RemoteFile{Name: name, URL: home + name, Size: size, SHA256: sum, contents: contents}
}

// batch is one of CIFAR-10's files, of 10,000 records.
func batch(name string) member {
	return member{path: "cifar-10-batches-bin/" + name, name: name, size: 10000 * cifarRecord}
}

var catalogue = []Description{
	{
		Name: "mnist", Title: "MNIST",
		Content: "handwritten digits, grey", Shape: []int{1, 28, 28}, Train: 60000, Test: 10000,
		Target:   "digit",
		Terms:    "CC BY-SA 3.0",
		Citation: "Y. LeCun, L. Bottou, Y. Bengio and P. Haffner, Gradient-based learning applied to document recognition, Proceedings of the IEEE 86 (1998) 2278–2324",
		Home:     "http://yann.lecun.com/exdb/mnist/", Files: mnistFiles,
	},
	{
		Name: "fashion-mnist", Title: "Fashion-MNIST",
		Content: "articles of clothing, grey", Shape: []int{1, 28, 28}, Train: 60000, Test: 10000,
		Target:   "kind of article",
		Terms:    "MIT",
		Citation: "H. Xiao, K. Rasul and R. Vollgraf, Fashion-MNIST: a novel image dataset for benchmarking machine learning algorithms, arXiv:1708.07747 (2017)",
		Home:     "https://github.com/zalandoresearch/fashion-mnist", Files: fashionFiles,
	},
	{
		Name: "qmnist", Title: "MNIST with QMNIST's labels",
		Content: "handwritten digits, grey, and who wrote them", Shape: []int{1, 28, 28}, Train: 60000, Test: 10000,
		Target: "digit", Sensitive: "writer's population: census employee or high-school student",
		Terms:    "pictures CC BY-SA 3.0 (MNIST), labels BSD-style (QMNIST)",
		Citation: "C. Yadav and L. Bottou, Cold case: the lost MNIST digits, Advances in Neural Information Processing Systems 32 (2019)",
		Home:     "https://github.com/facebookresearch/qmnist", Files: qmnistFiles,
	},
	{
		Name: "cifar10", Title: "CIFAR-10",
		Content: "small photographs, colour", Shape: []int{3, 32, 32}, Train: 50000, Test: 10000,
		Target:   "what is in the picture: " + strings.Join(cifarNames, ", "),
		Terms:    "no formal licence; cite the report",
		Citation: "A. Krizhevsky, Learning multiple layers of features from tiny images, technical report, University of Toronto (2009)",
		Home:     "https://www.cs.toronto.edu/~kriz/cifar.html", Files: cifarFiles,
	},
}
