package audit

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"tattle/curious"
	"tattle/internal/file"
	"tattle/npy"
)

// WriteOutputs writes a sample as an .npz, whole or not at all. OpenOutputs reads it back to the
// same outputs, labels, classes and names; Name becomes the file's, and Notes are not kept. It
// returns an error if a name of a class or an attribute would come back as another.
func WriteOutputs(path string, s *Sample) error {
	if err := s.Check(); err != nil {
		return err
	}
	if err := s.writable(); err != nil {
		return fmt.Errorf("write %s: %w", showName(path), err)
	}
	return file.Write(path, s.writeNPZ)
}

// writable refuses names that would not be read back.
func (s *Sample) writable() error {
	names := slices.Clone(s.Classes)
	if s.Target != "" {
		names = append(names, s.Target)
	}
	if s.Kind == Vector && s.targeted() == (s.Target == "") {
		return fmt.Errorf("vectors with %d classes of the target %q: give both or neither", len(s.Classes), s.Target)
	}
	for _, a := range s.Sensitive {
		names = append(append(names, a.Name), a.Values...)
	}
	return checkNames(names)
}

// checkNames refuses names that would not be read back.
func checkNames(names []string) error {
	for _, name := range names {
		if len(name) > maxName {
			return fmt.Errorf("the name %s has %d bytes, more than %d: shorten it", showName(name), len(name), maxName)
		}
		if name == "" || strings.TrimSpace(name) != name || strings.ContainsAny(name, "\r\x00") || !utf8.ValidString(name) {
			return fmt.Errorf("the name %q cannot be written (empty, with blanks around it, or no text): rename it", name)
		}
	}
	return nil
}

// target returns the name of y.
func (s *Sample) target() string {
	return cmp.Or(s.Target, "y")
}

// writeNPZ writes outputs as logits or probabilities [n, Y] or as vectors [n, Width], and y and the
// attributes under their names, with the names of classes beside them.
func (s *Sample) writeNPZ(w io.Writer) error {
	z := npy.NewWriter(w)
	outputs := map[curious.Outputs]string{curious.Raw: "logits", curious.Soft: "probabilities", Vector: vectorsArray}[s.Kind]
	n := s.Len()
	arrays := []named{{outputs, []int{n, s.RowWidth()}, s.Outputs}}
	if s.YNumbers != nil {
		arrays = append(arrays, named{"y", []int{n}, s.YNumbers}, named{"y" + kindSuffix, []int{1}, []string{"number"}}, named{"y" + nameSuffix, []int{1}, []string{s.target()}})
	} else if s.Kind != Vector || s.targeted() {
		arrays = append(arrays, named{"y", []int{n}, s.Y}, named{"y" + valuesSuffix, []int{len(s.Classes)}, s.Classes}, named{"y" + nameSuffix, []int{1}, []string{s.target()}})
	}
	for i := range s.Sensitive {
		arrays = append(arrays, arraysOf(&s.Sensitive[i], i, n)...)
	}
	for _, a := range arrays {
		if err := z.Add(a.name, a.shape, a.data); err != nil {
			return err
		}
	}
	return z.Close()
}

// named is an array of an .npz.
type named struct {
	name  string
	shape []int
	data  any
}

// arraysOf returns those of attribute i: NAME if that can be the name of a file, else s1, s2 …, with
// its values.
func arraysOf(a *Attribute, i, n int) []named {
	name, list := a.Name, []named(nil)
	if !fileName(name) {
		name = "s" + strconv.Itoa(i+1) + "_"
		list = []named{{name + nameSuffix, []int{1}, []string{a.Name}}}
	}
	if a.Numeric() {
		return append(list, named{name, []int{n}, a.Numbers}, named{name + kindSuffix, []int{1}, []string{"number"}})
	}
	return append(list, named{name, []int{n}, a.Labels}, named{name + valuesSuffix, []int{len(a.Values)}, a.Values})
}

// fileName reports whether an attribute's name is that of its array: letters, digits
// and underscores that no other array of ours has.
func fileName(name string) bool {
	for _, r := range name {
		if r != '_' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)) {
			return false
		}
	}
	numbered := name[0] == 's' && name[len(name)-1] == '_'
	return !numbered && !isOutputArray(name) && !slices.Contains(append([]string{classesArray}, targetNames...), strings.ToLower(name))
}
