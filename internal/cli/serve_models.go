package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"tattle/infer"
	"tattle/internal/file"
	"tattle/internal/listen"
	"tattle/measure"
	"tattle/onnx"
)

// endpoints are models that are served.
type endpoints struct {
	models map[string]*infer.Model
	names  []string // in the order given
}

// models reads the models.
func (c *serveCmd) models() (*endpoints, error) {
	o, err := readOptions(c.InputShape, c.ModelOutput)
	if err != nil {
		return nil, err
	}
	p := &endpoints{models: map[string]*infer.Model{}}
	for _, given := range c.Model {
		path, name := servedName(given)
		if err := checkServed(name); err != nil {
			return nil, err
		}
		if p.models[name] != nil {
			return nil, usage(fmt.Errorf("--model: two models have the name %s", file.Name(name)), "give one of them another name, as in --model "+file.Quote(path+"="+name+"2"))
		}
		g, err := onnx.ReadWith(path, o)
		if err != nil {
			return nil, measure.WrongModel(err)
		}
		if p.models[name], err = infer.NewModel(name, g); err != nil {
			return nil, fmt.Errorf("--model %s: %w", file.Name(path), err)
		}
		p.names = append(p.names, name)
	}
	return p, nil
}

// servedName splits FILE=NAME; the default name is that of the file.
func servedName(given string) (path, name string) {
	if i := strings.LastIndexByte(given, '='); i >= 0 && !exists(given) {
		return given[:i], given[i+1:]
	}
	return given, strings.TrimSuffix(filepath.Base(given), filepath.Ext(given))
}

// checkServed returns an error if a name cannot be part of an address.
func checkServed(name string) error {
	odd := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r))
	}
	if name == "" || strings.Trim(name, ".") == "" || strings.ContainsFunc(name, odd) {
		return usage(fmt.Errorf("--model: the name %s cannot be part of an address", file.Name(name)), "use letters, digits, - and _, as in --model FILE=age")
	}
	return nil
}

// announce returns the commands that audit what is served.
func (p *endpoints) announce(at listen.Site) string {
	var b strings.Builder
	for _, name := range p.names {
		switch {
		case at.Made:
			b.WriteString("TATTLE_TOKEN=" + at.Token + " ")
		case at.Token != "":
			b.WriteString("TATTLE_TOKEN=… ")
		}
		fmt.Fprintf(&b, "tattle audit --endpoint %s --data PATH\n", at.URL("/v2/models/"+name, false))
	}
	return b.String()
}
