package onnx

import (
	"fmt"
	"strings"
)

// names makes the names of nodes, and those of tensors, unique.
type names struct {
	given   map[string]bool // that the file gives to nodes
	nodes   map[string]bool // that nodes of the graph have
	tensors map[string]bool
	next    map[string]int // number to try next after a stem
}

func newNames() names {
	return names{given: map[string]bool{}, nodes: map[string]bool{}, tensors: map[string]bool{}, next: map[string]int{}}
}

// unique returns the name that the file gives to a node, or a new one where it gives none
// or another node has it.
func (s *names) unique(n *node) string {
	name := n.name
	if name == "" || s.nodes[name] {
		name = s.fresh(n.name + "_" + n.op)
	}
	s.nodes[name] = true
	return name
}

// nextOf returns the name of the next operator that a node is read as: the first has the
// name of the node, the next ones the name and _2, _3 …
func (s *names) nextOf(n *node) string {
	n.emitted++
	if n.emitted == 1 {
		return n.name
	}
	name := fmt.Sprintf("%s_%d", n.name, n.emitted)
	if s.given[name] || s.nodes[name] {
		return s.fresh(name)
	}
	s.nodes[name] = true
	return name
}

// fresh returns the stem and a number, as a name that no node has.
func (s *names) fresh(stem string) string {
	stem = strings.TrimPrefix(stem, "_")
	for {
		name := fmt.Sprintf("%s_%d", stem, s.next[stem])
		s.next[stem]++
		if !s.given[name] && !s.nodes[name] {
			s.nodes[name] = true
			return name
		}
	}
}

// freshTensor returns the stem as a new tensor's name, with a number if a tensor has it.
func (s *names) freshTensor(stem string) string {
	name := stem
	for i := 2; s.tensors[name]; i++ {
		name = fmt.Sprintf("%s_%d", stem, i)
	}
	s.tensors[name] = true
	return name
}
