package curious

import (
	"encoding/json"
	"maps"
	"strconv"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
)

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
