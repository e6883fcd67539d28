package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"tattle/internal/report"
)

const (
	// copiesMost is the largest group of equal rows that counts as copies of an example. Larger groups arise
	// when outputs saturate, unless all of their labels agree, too, as in a class that was filled up with copies.
	copiesMost = 10
	// copiesDistinct is the share of distinct rows from which equal ones count as copies: outputs that are
	// rounded have fewer.
	copiesDistinct = 1. / 3
	// copiesRows is the number of distinct rows, each repeated and always with the same labels, from which on they
	// count as copies: fewer may be a code for the labels.
	copiesRows = 50
)

// rowKey is a hash of a row of outputs.
type rowKey [sha256.Size]byte

// compare orders keys.
func (k rowKey) compare(other rowKey) int { return bytes.Compare(k[:], other[:]) }

// rowKeys returns the key of each row of outputs.
func (s *Sample) rowKeys() []rowKey {
	w := s.RowWidth()
	keys, row := make([]rowKey, s.Len()), make([]byte, 4*w)
	for i := range keys {
		for j, v := range s.Outputs[i*w : (i+1)*w] {
			binary.LittleEndian.PutUint32(row[4*j:], math.Float32bits(v))
		}
		keys[i] = sha256.Sum256(row)
	}
	return keys
}

// labelsOf describes the target and all attributes of an example.
func (s *Sample) labelsOf(i int) string {
	text := fmt.Sprint(s.Y[i])
	for _, a := range s.Sensitive {
		if a.Numeric() {
			text += fmt.Sprint(" ", a.Numbers[i])
		} else {
			text += fmt.Sprint(" ", a.Labels[i])
		}
	}
	return text
}

// firsts lists the examples that are not copies of earlier ones: outputs and labels are equal, and the group of equal
// rows is none that honest outputs have. Copies of an example are one observation. Where people are known, all
// examples count, each as its share of a person.
func (s *Sample) firsts() []int {
	if s.Group != nil {
		return span(0, s.Len())
	}
	keys, labels := s.rowKeys(), make([]string, s.Len())
	type equal struct {
		rows  int
		first map[string]int // by labels
	}
	of := make(map[rowKey]*equal, len(keys))
	for i, k := range keys {
		labels[i] = s.labelsOf(i)
		e := of[k]
		if e == nil {
			e = &equal{first: map[string]int{}}
			of[k] = e
		}
		if _, known := e.first[labels[i]]; !known {
			e.first[labels[i]] = i
		}
		e.rows++
	}
	few, all := float64(len(of)) < copiesDistinct*float64(len(keys)), len(of) >= copiesRows
	for _, e := range of {
		all = all && e.rows > 1 && len(e.first) == 1
	}
	var rows []int
	for i, k := range keys {
		e := of[k]
		if copied := all || !few && (e.rows <= copiesMost || len(e.first) == 1); !copied || e.first[labels[i]] == i {
			rows = append(rows, i)
		}
	}
	return rows
}

// prepared returns the sample as it is audited, with the options for it, and says what was changed: far numbers are
// tamed, and copies of an example count once.
func (s *Sample) prepared(o Options) (*Sample, Options, []string) {
	s, said := s.tamed()
	rows := s.firsts()
	left := s.Len() - len(rows)
	if left == 0 {
		return s, o, said
	}
	t := s.Subset(rows)
	t.Notes = slices.Clone(t.Notes)
	t.note("%s of %s left out: exact copies of others, with equal outputs and labels, which count once", report.Many(left, "row"), report.Grouped(s.Len()))
	if !o.Unpaired {
		o.References = slices.Clone(o.References)
		for i, ref := range o.References {
			o.References[i] = ref.Subset(rows)
		}
	}
	return t, o, said
}
