package curious

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/onnx"
	"tattle/internal/file"
)

// The files of a training.
const (
	modelFile  = "model.onnx"
	attackFile = "attack.onnx"
)

// Save writes F as model.onnx and G as attack.onnx, or attack-NAME.onnx for each of
// several attributes, into a folder, which it makes where there is none. How they were
// trained stands in their metadata, under tattle.attack, tattle.beta and so on. Attacks
// of an earlier training are removed once all is written; nothing is touched where one
// of the graphs cannot be written as ONNX.
func Save(files *file.Dir, dir string, r *Result) error {
	names, err := r.attackNames()
	if err != nil {
		return err
	}
	graphs := []*nn.Graph{r.Classifier}
	for _, a := range r.Attacks {
		graphs = append(graphs, a.Graph)
	}
	for _, g := range graphs {
		if _, err := onnx.Encode(g); err != nil {
			return err
		}
	}
	if err := files.MkdirAll(dir); err != nil {
		return err
	}
	for i, name := range append([]string{modelFile}, names...) {
		if err := onnx.WriteIn(files, filepath.Join(dir, name), graphs[i]); err != nil {
			return err
		}
	}
	return removeOthers(files, dir, names)
}

// removeOthers removes the attacks of a folder but those named.
func removeOthers(files *file.Dir, dir string, names []string) error {
	found, err := attackFiles(dir)
	if err != nil {
		return err
	}
	for _, name := range found {
		if !slices.Contains(names, name) {
			if err := files.Remove(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Files returns the names of the files that Save writes.
func (r *Result) Files() ([]string, error) {
	names, err := r.attackNames()
	return append([]string{modelFile}, names...), err
}

// attackNames returns the file names of the attacks.
func (r *Result) attackNames() ([]string, error) {
	if len(r.Attacks) == 1 {
		return []string{attackFile}, nil
	}
	var names []string
	for _, a := range r.Attacks {
		name := "attack-" + fileSafe(a.Attribute) + ".onnx"
		if slices.Contains(names, name) {
			return nil, fmt.Errorf("two sensitive attributes would both be written to %s: rename one", name)
		}
		names = append(names, name)
	}
	return names, nil
}

// fileSafe keeps letters, digits and "-_" of a name.
func fileSafe(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}

// attackFiles lists the names of the attacks in a folder.
func attackFiles(dir string) ([]string, error) {
	var names []string
	for _, pattern := range []string{attackFile, "attack-*.onnx"} {
		found, err := fs.Glob(os.DirFS(dir), pattern)
		if err != nil {
			return nil, err
		}
		names = append(names, found...)
	}
	return names, nil
}

// Open reads what Save wrote, but for what epochs came to.
func Open(dir string) (*Result, error) {
	f, err := onnx.Read(filepath.Join(dir, modelFile))
	if err != nil {
		return nil, fmt.Errorf("%w: is %s the folder of a training?", err, dir)
	}
	r := &Result{Classifier: f}
	files, err := attackFiles(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		a, err := readAttack(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		r.Attacks = append(r.Attacks, *a)
	}
	slices.SortStableFunc(r.Attacks, func(a, b Attack) int { return a.Index - b.Index })
	return r, nil
}

// readAttack reads one attack.
func readAttack(path string) (*Attack, error) {
	g, err := onnx.Read(path)
	if err != nil {
		return nil, err
	}
	a := &Attack{Graph: g, Kind: g.Metadata[metaAttack], Attribute: g.Metadata[metaSensitive]}
	if !slices.Contains([]string{NetworkAttack, ThresholdAttack, DecoderAttack}, a.Kind) {
		return nil, fmt.Errorf("%s: its metadata does not say which kind of attack it is (%s = %q): is it a classifier?", path, metaAttack, a.Kind)
	}
	if a.Index, err = strconv.Atoi(g.Metadata[metaIndex]); err != nil || a.Index < 0 {
		return nil, fmt.Errorf("%s: its metadata has %s = %q, which is no number of an attribute", path, metaIndex, g.Metadata[metaIndex])
	}
	if text, ok := g.Metadata[metaTau]; ok {
		if a.Tau, err = strconv.ParseFloat(text, 64); err != nil {
			return nil, fmt.Errorf("%s: its metadata has %s = %q, which is no number", path, metaTau, text)
		}
	}
	return a, nil
}

// The keys of the metadata in which a training is described.
const (
	metaAttack     = "tattle.attack"
	metaOutputs    = "tattle.outputs"
	metaBeta       = "tattle.beta"
	metaPerExample = "tattle.per_example"
	metaTarget     = "tattle.target"
	metaSensitive  = "tattle.sensitive"
	metaClasses    = "tattle.classes" // names, a JSON list: of the target in F's, of s in G's
	metaIndex      = "tattle.index"
	metaTau        = "tattle.tau"
	metaSeed       = "tattle.seed"
	metaEpochs     = "tattle.epochs"
	metaBest       = "tattle.best"
	metaBatch      = "tattle.batch"
	metaRate       = "tattle.learning_rate"
	metaValidation = "tattle.validation"
	metaData       = "tattle.data"
	metaMean       = "tattle.mean"
	metaStd        = "tattle.std"
)

// OutputsOf returns which outputs f releases: those that its metadata name, as a mixture's
// do, else Soft where it ends in a Softmax.
func OutputsOf(f *nn.Graph) Outputs {
	if f.Metadata[metaOutputs] == string(Soft) {
		return Soft
	}
	return released(f)
}

// ClassesOf returns the classes that f or its metadata name, nil if they name none.
func ClassesOf(f *nn.Graph) []string {
	if f.Classes != nil {
		return f.Classes
	}
	var names []string
	if json.Unmarshal([]byte(f.Metadata[metaClasses]), &names) != nil {
		return nil
	}
	return names
}

// EpochsOf returns for how many epochs f was trained as its metadata say, 0 if they do
// not.
func EpochsOf(f *nn.Graph) int {
	number, _, _ := strings.Cut(f.Metadata[metaEpochs], " ") // "6 of 6"
	n, err := strconv.Atoi(number)
	if err != nil {
		return 0
	}
	return max(n, 0)
}

// metadata describes the training of F; data is the training part's digest, mean and
// std how its inputs were normalised.
func metadata(train *dataset.Set, o Options, best int) map[string]string {
	var names []string
	for _, i := range o.Attributes {
		names = append(names, train.Sensitive[i].Name)
	}
	m := map[string]string{
		metaAttack: string(o.Attack), metaOutputs: string(o.Outputs), metaBeta: o.Beta.String(),
		metaTarget: train.YName, metaClasses: list(train.YNames), metaSensitive: strings.Join(names, ","),
		metaBest: strconv.Itoa(best), metaData: train.SHA256,
	}
	maps.Copy(m, settings(o))
	if o.PerExample {
		m[metaPerExample] = "true"
	}
	if train.Mean != nil {
		m[metaMean], m[metaStd] = numbers(train.Mean), numbers(train.Std)
	}
	return dataset.RecordTraining(m, train)
}

// settings are those of a training that F and G have in common.
func settings(o Options) map[string]string {
	return map[string]string{
		metaSeed: strconv.FormatUint(o.Seed, 10), metaEpochs: strconv.Itoa(o.Epochs),
		metaBatch: strconv.Itoa(o.Batch), metaRate: number(o.LearningRate),
	}
}

// describe sets the metadata of G, which was trained on these outputs with those options.
func (a *Attack) describe(train *dataset.Set, o Outputs, by Options) {
	m := map[string]string{
		metaAttack: a.Kind, metaOutputs: string(o), metaSensitive: a.Attribute, metaIndex: strconv.Itoa(a.Index),
		metaBest: strconv.Itoa(a.Best), metaValidation: number(a.Validation), metaClasses: list(train.Sensitive[a.Index].Values),
	}
	if a.Tau > 0 {
		m[metaTau] = number(a.Tau)
	}
	maps.Copy(m, settings(by))
	a.Graph.Metadata = m
}

// list writes names as a JSON list, "<" and the like as they are.
func list(names []string) string {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(names); err != nil {
		panic(err) // strings can always be written
	}
	return strings.TrimSuffix(text.String(), "\n")
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func numbers(xs []float32) string {
	var s []string
	for _, x := range xs {
		s = append(s, strconv.FormatFloat(float64(x), 'g', -1, 32))
	}
	return strings.Join(s, ",")
}
