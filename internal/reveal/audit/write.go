package audit

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tattle/internal/data/sheet"
	"tattle/internal/file"
	"tattle/internal/npy"
	"tattle/internal/reveal/curious"
)

// WriteOutputs writes a sample as an .npz, whole or not at all. OpenOutputs reads it back to the
// same outputs, labels, classes and names; Name becomes the file's, and Notes are not kept. It
// returns an error if a name of a class or an attribute would come back as another.
func WriteOutputs(path string, s *Sample) error { return s.write(nil, path) }

// write is WriteOutputs by files.
func (s *Sample) write(files *file.Dir, path string) error {
	if err := s.Check(); err != nil {
		return err
	}
	if err := s.writable(); err != nil {
		return fmt.Errorf("write %s: %w", file.Shown(path), err)
	}
	return files.Write(path, s.writeNPZ)
}

// writable refuses names that would not be read back.
func (s *Sample) writable() error {
	if s.Kind == Vector && s.targeted() == (s.Target == "") {
		return fmt.Errorf("vectors with %d classes of the target %q: give both or neither", len(s.Classes), s.Target)
	}
	names := s.Classes
	if s.Target != "" {
		names = append(slices.Clone(names), s.Target)
	}
	return checkNames(names, s.Sensitive)
}

// checkNames refuses names of the target's classes, and of attributes, that would not be read back.
func checkNames(names []string, sensitive []Attribute) error {
	for _, a := range sensitive {
		names = slices.Concat(names, []string{a.Name}, a.Values)
	}
	for _, name := range names {
		if len(name) > sheet.MaxName {
			return fmt.Errorf("the name %s has %d bytes, more than %d: shorten it", file.Shown(name), len(name), sheet.MaxName)
		}
		if name == "" || strings.TrimSpace(name) != name || strings.ContainsAny(name, "\r\x00") || !utf8.ValidString(name) {
			return fmt.Errorf("the name %q cannot be written (empty, with blanks around it, or no text): rename it", name)
		}
	}
	return nil
}

// writeNPZ writes outputs as logits or probabilities [n, Y] or as vectors [n, Width], the target as y and the
// group as group, the attributes as s1, s2 and so on, and beside each what it is about.
func (s *Sample) writeNPZ(w io.Writer) error {
	z, n := npy.NewWriter(w), s.Len()
	outputs := map[curious.Outputs]string{curious.Raw: "logits", curious.Soft: "probabilities", Vector: "vectors"}[s.Kind]
	if err := z.Add(outputs, []int{n, s.RowWidth()}, s.Outputs); err != nil {
		return err
	}
	add := func(array string, a Attribute) error {
		var labels any = a.Labels
		if a.Numeric() {
			labels, a.Values = a.Numbers, nil
		}
		if err := z.Add(array, []int{n}, labels); err != nil {
			return err
		}
		return z.Add(array+aboutSuffix, []int{1 + len(a.Values)}, append([]string{a.Name}, a.Values...))
	}
	if s.Kind != Vector || s.targeted() {
		if err := add("y", Attribute{Name: cmp.Or(s.Target, "y"), Labels: s.Y, Values: s.Classes, Numbers: s.YNumbers}); err != nil {
			return err
		}
	}
	if s.Group != nil {
		if err := add("group", Attribute{Name: s.Group.Name, Labels: s.Group.Labels}); err != nil {
			return err
		}
	}
	for i, a := range s.Sensitive {
		if err := add("s"+strconv.Itoa(i+1), a); err != nil {
			return err
		}
	}
	return z.Close()
}
