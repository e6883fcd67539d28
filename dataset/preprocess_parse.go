package dataset

import "errors"

// ParsePreprocess reads what a flag says: the path of a TOML file, the name of a
// preset (one of [PreprocessPresets]), or settings such as
//
//	resize=256 crop=224 mean=.485,.456,.406 std=.229,.224,.225 filter=bicubic
//
// with a list's numbers parted by commas, and settings by blanks. A preset's name
// may come first, and the settings behind it change it.
func ParsePreprocess(spec string) (Preprocess, error) {
	return Preprocess{}, errors.New("dataset: ParsePreprocess is not written yet")
}

// PreprocessBeside reads the TOML file that lies beside a model: MODEL.preprocess.toml
// for MODEL.onnx. It returns false where there is none.
func PreprocessBeside(model string) (Preprocess, bool, error) {
	return Preprocess{}, false, nil
}

// PreprocessPresets lists the names that [ParsePreprocess] knows.
func PreprocessPresets() []string { return []string{"none", "imagenet", "imagenet-91", "cifar10"} }

// String gives the settings as [ParsePreprocess] reads them, in a fixed order;
// "none" where there are none.
func (p Preprocess) String() string { return "none" }

// WriteFile writes the settings as a TOML file.
func (p Preprocess) WriteFile(path string) error {
	return errors.New("dataset: WriteFile is not written yet")
}
