package onnx

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// The messages of ONNX as far as they are read. A field's number is said once,
// here, for reading and writing; those not listed are skipped.
const (
	modelIRVersion = 1
	modelProducer  = 2
	modelVersion   = 3 // of the producer
	modelGraph     = 7
	modelOpset     = 8
	modelMetadata  = 14
	modelFunctions = 25

	opsetDomain, opsetVersion = 1, 2
	entryKey, entryValue      = 1, 2

	graphNode        = 1
	graphName        = 2
	graphInitializer = 5
	graphInput       = 11
	graphOutput      = 12
	graphSparse      = 15

	nodeInput     = 1
	nodeOutput    = 2
	nodeName      = 3
	nodeOp        = 4
	nodeAttribute = 5
	nodeDomain    = 7

	attributeName   = 1
	attributeFloat  = 2
	attributeInt    = 3
	attributeString = 4
	attributeTensor = 5
	attributeGraph  = 6
	attributeFloats = 7
	attributeInts   = 8
	attributeTexts  = 9
	attributeType   = 20

	tensorDims     = 1
	tensorType     = 2
	tensorFloats   = 4
	tensorInt32s   = 5
	tensorTexts    = 6
	tensorInt64s   = 7
	tensorName     = 8
	tensorRaw      = 9
	tensorDoubles  = 10
	tensorUint64s  = 11
	tensorExternal = 13
	tensorLocation = 14

	valueName, valueType   = 1, 2
	typeTensor             = 1
	typeSequence           = 4
	typeMap                = 5
	typeSparse             = 8
	typeOptional           = 9
	typeElement, typeShape = 1, 2
	shapeDim               = 1
	dimValue, dimParam     = 1, 2
)

// Element types of tensors.
const (
	typeFloat    = 1
	typeUint8    = 2
	typeInt8     = 3
	typeUint16   = 4
	typeInt16    = 5
	typeInt32    = 6
	typeInt64    = 7
	typeString   = 8
	typeBool     = 9
	typeFloat16  = 10
	typeDouble   = 11
	typeUint32   = 12
	typeUint64   = 13
	typeBfloat16 = 16
)

// Types of attributes.
const (
	kindFloat  = 1
	kindInt    = 2
	kindString = 3
	kindTensor = 4
	kindFloats = 6
	kindInts   = 7

	kindStrings = 8
)

type model struct {
	opset     int64    // of the standard operators; 0 if it says none
	ir        int64    // version of the file format
	classical int64    // of the operators of classical machine learning; 0 if it says none
	producer  string   // program that wrote the file
	version   string   // of the producer
	domains   []string // with the versions of their operators
	functions bool
	metadata  map[string]string
	graph     *graph
}

type graph struct {
	name            string
	nodes           []node
	initializers    []named
	inputs, outputs []named
	sparse          bool
}

// named is a message with a name that is read in full only when it is wanted,
// so that a file of many tiny messages costs little memory.
type named struct {
	name string
	body []byte
}

type node struct {
	name, op, domain string
	inputs, outputs  []string
	attributes       []named
	captured         []string // tensors that its branches read
	emitted          int      // operators that it was read as
}

func (w *wire) model(b []byte) (m model) {
	w.read(b, fields{
		modelIRVersion: &m.ir, modelProducer: &m.producer, modelVersion: &m.version,
		modelGraph: func(f field) {
			if m.graph != nil {
				w.fail("holds two graphs")
			}
			m.graph = w.graph(w.bytes(f))
		},
		modelOpset:     func(f field) { w.opset(w.bytes(f), &m) },
		modelFunctions: func(field) { w.part(); m.functions = true },
		modelMetadata: func(f field) {
			if m.metadata == nil {
				m.metadata = map[string]string{}
			}
			key, value := w.entry(w.bytes(f))
			m.metadata[key] = value
		},
	})
	if m.graph == nil {
		w.fail("holds no graph: empty, or not an ONNX file")
	}
	return m
}

func (w *wire) opset(b []byte, m *model) {
	domain, version := "", int64(0)
	w.read(b, fields{opsetDomain: &domain, opsetVersion: &version})
	if isStandard(domain) {
		m.opset = version
		return
	}
	m.domains = append(m.domains, fmt.Sprintf("%s %d", domain, version))
	if domain == classicalDomain {
		m.classical = version
	}
}

func isStandard(domain string) bool { return domain == "" || domain == "ai.onnx" }

func (w *wire) entry(b []byte) (key, value string) {
	w.read(b, fields{entryKey: (*long)(&key), entryValue: (*long)(&value)})
	return key, value
}

func (w *wire) graph(b []byte) *graph {
	g := &graph{nodes: make([]node, 0, w.count(b, graphNode))}
	w.read(b, fields{
		graphNode: func(f field) {
			n := w.node(w.bytes(f))
			if e, ok := w.err.(*FormatError); ok && e.Node == "" && e.Op == "" {
				e.Node, e.Op = n.name, n.op
			}
			g.nodes = append(g.nodes, n)
		},
		graphName:        (*long)(&g.name),
		graphInitializer: func(f field) { g.initializers = append(g.initializers, w.named(f, tensorName)) },
		graphInput:       func(f field) { g.inputs = append(g.inputs, w.named(f, valueName)) },
		graphOutput:      func(f field) { g.outputs = append(g.outputs, w.named(f, valueName)) },
		graphSparse:      func(field) { g.sparse = true },
	})
	return g
}

func (w *wire) node(b []byte) (n node) {
	w.read(b, fields{
		nodeInput: &n.inputs, nodeOutput: &n.outputs, nodeName: &n.name, nodeOp: &n.op, nodeDomain: &n.domain,
		nodeAttribute: func(f field) { n.attributes = append(n.attributes, w.named(f, attributeName)) },
	})
	if n.op == "" || len(n.outputs) == 0 {
		w.fail("a node lacks its operator or its output")
	}
	return n
}

// named finds the name in a message without reading the rest.
func (w *wire) named(f field, number protowire.Number) (m named) {
	m.body = w.bytes(f)
	w.read(m.body, fields{number: &m.name})
	if m.name == "" {
		w.fail("a tensor, attribute or value has no name")
	}
	return m
}
