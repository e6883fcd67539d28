// Command mutants tests the tests of a package. A mutant is the package with one operator changed, such as < for <=,
// + for -, max for min, or a root left out. Its own tests should fail. Those that do not are listed: each is a figure
// that no test looks at, or a change that changes nothing.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// others are the operators that each operator is changed into.
var others = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR, token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL, token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN,
}

// functions are what each function is changed into; "" leaves its argument alone.
var functions = map[string]string{
	"min": "max", "max": "min", "math.Min": "math.Max", "math.Max": "math.Min", "math.Sqrt": "", "math.Abs": "", "math.Floor": "math.Ceil", "math.Ceil": "math.Floor",
}

// mutant is one change of a file: text for what is there from one byte to another.
type mutant struct {
	at       token.Position
	size     int
	was, now string
}

// options are the flags.
type options struct {
	n       int
	seed    uint64
	files   string
	short   bool
	timeout time.Duration
}

func main() {
	o := options{}
	flag.IntVar(&o.n, "n", 100, "how many mutants")
	flag.Uint64Var(&o.seed, "seed", 1, "`seed` of their choice")
	flag.StringVar(&o.files, "files", "", "`regexp` of the names of files that are changed (default: all)")
	flag.BoolVar(&o.short, "short", false, "run the tests with -short")
	flag.DurationVar(&o.timeout, "timeout", 2*time.Minute, "`limit` of the tests of one mutant, which counts as noticed after that")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	for _, dir := range flag.Args() {
		if err := o.measure(ctx, dir); err != nil {
			fmt.Fprintln(os.Stderr, "mutants:", err)
			os.Exit(1)
		}
	}
}

// measure prints the mutants of the package in a folder that its tests do not notice, and how many they do.
func (o options) measure(ctx context.Context, dir string) error {
	all, err := mutants(dir, o.files)
	if err != nil {
		return err
	}
	if out, err := o.test(ctx, dir, nil); err != nil {
		return fmt.Errorf("%s: the tests fail without any change: %w\n%s", dir, err, out)
	}
	r := rand.New(rand.NewPCG(o.seed, 0))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	noticed, tried, begun := 0, 0, time.Now()
	for _, m := range all {
		if tried == o.n {
			break
		}
		out, err := o.test(ctx, dir, &m)
		if ctx.Err() != nil {
			break
		}
		if strings.Contains(out, "[build failed]") {
			continue // as of a string less another
		}
		if tried++; err != nil {
			noticed++
		} else {
			fmt.Printf("%s: %q in place of %q is not noticed\n", m.at, m.now, m.was)
		}
		left := time.Since(begun) / time.Duration(tried) * time.Duration(min(o.n, len(all))-tried)
		fmt.Fprintf(os.Stderr, "\r%s: %d of %d, %v left ", dir, tried, o.n, left.Round(time.Second))
	}
	fmt.Fprintln(os.Stderr)
	fmt.Printf("%s: %d of %d mutants are noticed\n", dir, noticed, tried)
	return ctx.Err()
}

// mutants lists the changes of a package's files whose names match the regexp.
func mutants(dir, files string) ([]mutant, error) {
	p, err := build.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	match, err := regexp.Compile(files)
	if err != nil {
		return nil, err
	}
	var all []mutant
	for _, name := range p.GoFiles {
		if !match.MatchString(name) {
			continue
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, filepath.Join(dir, name), nil, 0)
		if err != nil {
			return nil, err
		}
		add := func(pos token.Pos, was, now string) {
			all = append(all, mutant{set.Position(pos), len(was), was, now})
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.BinaryExpr:
				if now, ok := others[x.Op]; ok {
					add(x.OpPos, x.Op.String(), now.String())
				}
			case *ast.AssignStmt:
				if now, ok := others[x.Tok]; ok {
					add(x.TokPos, x.Tok.String(), now.String())
				}
			case *ast.CallExpr:
				was := ""
				switch f := x.Fun.(type) {
				case *ast.Ident:
					was = f.Name
				case *ast.SelectorExpr:
					if p, ok := f.X.(*ast.Ident); ok {
						was = p.Name + "." + f.Sel.Name
					}
				}
				if now, ok := functions[was]; ok {
					add(x.Pos(), was, now)
				}
			}
			return true
		})
	}
	return all, nil
}

// test runs the tests of the package in a folder with one of its files changed, and returns what they print. It is
// an error if they fail.
func (o options) test(ctx context.Context, dir string, m *mutant) (string, error) {
	args := []string{"test", "-count=1", "-failfast", "-vet=off", "-timeout=" + o.timeout.String()}
	if o.short {
		args = append(args, "-short")
	}
	if m != nil {
		temp, err := os.MkdirTemp("", "mutant")
		if err != nil {
			return "", err
		}
		defer os.RemoveAll(temp)
		text, err := os.ReadFile(m.at.Filename)
		if err != nil {
			return "", err
		}
		changed := filepath.Join(temp, filepath.Base(m.at.Filename))
		text = append(text[:m.at.Offset:m.at.Offset], append([]byte(m.now), text[m.at.Offset+m.size:]...)...)
		if err := os.WriteFile(changed, text, 0o600); err != nil {
			return "", err
		}
		original, err := filepath.Abs(m.at.Filename)
		if err != nil {
			return "", err
		}
		overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{original: changed}})
		if err != nil {
			return "", err
		}
		listed := filepath.Join(temp, "overlay.json")
		if err := os.WriteFile(listed, overlay, 0o600); err != nil {
			return "", err
		}
		args = append(args, "-overlay="+listed)
	}
	c := exec.CommandContext(ctx, "go", append(args, ".")...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	return string(out), err
}
