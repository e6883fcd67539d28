// Package project reads tattle.toml: the flags that a repository always uses.
package project

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/alecthomas/kong"

	"tattle/internal/file"
)

// File is the name of the file. It is looked for in the working directory alone, so paths in it
// are relative to it.
const File = "tattle.toml"

// Flags are the flags of each command, by its words, as "data get": arguments that a command
// line could have.
type Flags map[string][]string

// Read reads a file with a table for each command, whose keys are its flags. Unknown commands
// and flags are errors.
func Read(path string, app *kong.Application) (Flags, error) {
	document, err := file.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var tables map[string]any
	if _, err := toml.Decode(string(document), &tables); err != nil {
		return nil, fmt.Errorf("%s: %w", file.Name(path), err)
	}
	f := Flags{}
	if err := f.read(app.Node, tables); err != nil {
		return nil, fmt.Errorf("%s: %w", file.Name(path), err)
	}
	return f, nil
}

// read adds the keys of a command's table.
func (f Flags) read(n *kong.Node, table map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if child := childOf(n, key); child != nil {
			inner, ok := table[key].(map[string]any)
			if !ok {
				return fmt.Errorf("%s: must be a table [%s]", words(child), strings.ReplaceAll(words(child), " ", "."))
			}
			if err := f.read(child, inner); err != nil {
				return err
			}
			continue
		}
		flag := flagOf(n, key)
		if flag == nil {
			return unknown(n, key)
		}
		args, err := arguments(flag, table[key])
		if err != nil {
			return fmt.Errorf("%s: %s: %w", words(n), key, err)
		}
		f[words(n)] = append(f[words(n)], args...)
	}
	return nil
}

// unknown says what is allowed in the place of a key.
func unknown(n *kong.Node, key string) error {
	if len(n.Children) > 0 {
		var names []string
		for _, c := range n.Children {
			names = append(names, c.Name)
		}
		return fmt.Errorf("unknown command %q: the tables are %s", key, strings.Join(names, ", "))
	}
	return fmt.Errorf("%s has no flag %q: tattle %s --help=all lists them", words(n), key, words(n))
}

// arguments returns a value as a command line has it; a list repeats the flag.
func arguments(flag *kong.Flag, value any) ([]string, error) {
	name := "--" + flag.Name
	switch v := value.(type) {
	case bool:
		switch {
		case !flag.IsBool():
			return nil, fmt.Errorf("must be a value, not %v", v)
		case v:
			return []string{name}, nil
		case flag.Negated || flag.Tag.Negatable != "":
			return []string{"--no-" + flag.Name}, nil
		}
		return nil, nil
	case string:
		return []string{name + "=" + v}, nil
	case int64:
		return []string{name + "=" + strconv.FormatInt(v, 10)}, nil
	case float64:
		return []string{name + "=" + strconv.FormatFloat(v, 'g', -1, 64)}, nil
	case []any:
		var all []string
		for _, x := range v {
			args, err := arguments(flag, x)
			if err != nil {
				return nil, err
			}
			all = append(all, args...)
		}
		return all, nil
	}
	return nil, fmt.Errorf("must be text, a number, true, false or a list of them")
}

// For returns the flags of the command that is traced, without those that its line gives.
func (f Flags) For(k *kong.Context) []string {
	n := k.Selected()
	if n == nil {
		return nil
	}
	given := map[string]bool{}
	for _, p := range k.Path {
		if p.Flag != nil {
			given[p.Flag.Name] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(f[words(n)]), func(arg string) bool {
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		return given[name] || given[strings.TrimPrefix(name, "no-")]
	})
}

// words returns the words of a command, without the program's name.
func words(n *kong.Node) string {
	if n.Parent == nil {
		return ""
	}
	return strings.TrimSpace(words(n.Parent) + " " + n.Name)
}

func childOf(n *kong.Node, name string) *kong.Node {
	i := slices.IndexFunc(n.Children, func(c *kong.Node) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return n.Children[i]
}

func flagOf(n *kong.Node, name string) *kong.Flag {
	i := slices.IndexFunc(n.Flags, func(f *kong.Flag) bool { return f.Name == name })
	if i < 0 || n.Parent == nil || name == "help" {
		return nil
	}
	return n.Flags[i]
}
