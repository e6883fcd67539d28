package onnx

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
)

// floatList, intList and textList are attributes.
func floatList(name string, x ...float64) []byte {
	var raw []byte
	for _, v := range x {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(v)))
	}
	return appendAttribute(nil, name, kindFloats, appendBytes(nil, attributeFloats, raw))
}

func intList(name string, x ...int64) []byte {
	var list []byte
	for _, v := range x {
		list = appendInt(list, attributeInts, v)
	}
	return appendAttribute(nil, name, kindInts, list)
}

func textList(name string, x ...string) []byte {
	var list []byte
	for _, v := range x {
		list = appendBytes(list, attributeTexts, []byte(v))
	}
	return appendAttribute(nil, name, kindStrings, list)
}

func textTensor(name string, x ...string) []byte {
	b := tensorOf(name, typeString, len(x))
	for _, s := range x {
		b = appendBytes(b, tensorTexts, []byte(s))
	}
	return attributeOf(name, b)
}

// A grower grows random trees.
type grower struct {
	seed            uint64
	trees, depth    int
	features        int
	modes           []string
	missing, double bool
	kind            string // class or target
	outputs         int
	votes           func(r *rand.Rand) [][2]float64 // outputs and weights of a leaf
}

// trees are the attributes of an ensemble in the versions before 5.
func (g grower) attributes() []byte {
	r := rand.New(rand.NewPCG(g.seed, 3))
	var tree, node, feature, yes, no, missing, ids, nodes, trees []int64
	var modes []string
	var values, weights []float64
	for t := range int64(g.trees) {
		next := int64(0)
		var grow func(depth int) int64
		grow = func(depth int) int64 {
			id := next
			next++
			i := len(tree)
			tree, node = append(tree, t), append(node, id)
			feature, values = append(feature, int64(r.IntN(g.features))), append(values, float64(r.IntN(17)-8)/4)
			missing, yes, no = append(missing, int64(r.IntN(2))), append(yes, 0), append(no, 0)
			if depth == g.depth || depth > 1 && r.IntN(4) == 0 {
				modes = append(modes, "LEAF")
				for _, v := range g.votes(r) {
					ids, weights = append(ids, int64(v[0])), append(weights, v[1])
					nodes, trees = append(nodes, id), append(trees, t)
				}
				return id
			}
			modes = append(modes, g.modes[r.IntN(len(g.modes))])
			a := grow(depth + 1)
			b := grow(depth + 1)
			yes[i], no[i] = a, b
			return id
		}
		grow(0)
	}
	b := slices.Concat(intList("nodes_treeids", tree...), intList("nodes_nodeids", node...), intList("nodes_featureids", feature...),
		intList("nodes_truenodeids", yes...), intList("nodes_falsenodeids", no...), textList("nodes_modes", modes...),
		intList(g.kind+"_ids", ids...), intList(g.kind+"_nodeids", nodes...), intList(g.kind+"_treeids", trees...))
	if g.missing {
		b = append(b, intList("nodes_missing_value_tracks_true", missing...)...)
	}
	if g.double {
		return slices.Concat(b, numbersOf("nodes_values_as_tensor", typeDouble, values...), numbersOf(g.kind+"_weights_as_tensor", typeDouble, weights...))
	}
	return slices.Concat(b, floatList("nodes_values", values...), floatList(g.kind+"_weights", weights...), floatList("nodes_hitrates", make([]float64, len(values))...))
}

// shares gives each class a share, as random forests do; scores gives one output a score of
// either sign, as boosted trees do.
func shares(classes, trees int) func(*rand.Rand) [][2]float64 {
	return func(r *rand.Rand) (v [][2]float64) {
		left := 1.
		for k := range classes {
			w := left
			if k < classes-1 {
				w = left * float64(r.IntN(9)) / 8
			}
			left -= w
			v = append(v, [2]float64{float64(k), w / float64(trees)})
		}
		return v
	}
}

func scoreOf(outputs int, positive bool) func(*rand.Rand) [][2]float64 {
	return func(r *rand.Rand) [][2]float64 {
		w := r.NormFloat64() / 2
		if positive {
			w = math.Abs(w) / 8
		}
		return [][2]float64{{float64(r.IntN(outputs)), w}}
	}
}
