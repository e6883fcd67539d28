// Command mutants tests the tests of a package. A mutant is the package with one operator changed, such as < for <=,
// + for -, max for min, or a root left out. Its own tests should fail. Those that do not are listed: each is a figure
// that no test looks at, or a change that changes nothing.
//
// All mutants are compiled at once, into one test binary, where a variable of the environment chooses one of them. A
// mutant meets only the tests that run its operator, one by one, the quickest first, until one fails or takes far longer
// than without the change. What cannot be switched in this way, such as an operator of constants, is no mutant.
package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

var (
	count = flag.Int("n", 100, "how many mutants")
	seed  = flag.Uint64("seed", 1, "`seed` of their choice")
	files = flag.String("files", "", "`regexp` of the names of files that are changed (default: all)")
)

// form says what an operator or a function is changed into, and the text before it, in its place and behind its operands
// that makes both of them. ID is the number of the mutant.
type form struct{ now, before, between, behind string }

var forms = map[string]form{
	"==": {"!=", "((", "==", ") != mutant(ID))"}, "!=": {"==", "((", "!=", ") != mutant(ID))"},
	"<": {"<=", "mutantLSS(ID, ", ",", ")"}, "<=": {"<", "mutantLEQ(ID, ", ",", ")"},
	">": {">=", "mutantGTR(ID, ", ",", ")"}, ">=": {">", "mutantGEQ(ID, ", ",", ")"},
	"+": {"-", "mutantADD(ID, ", ",", ")"}, "-": {"+", "mutantSUB(ID, ", ",", ")"},
	"*": {"/", "mutantMUL(ID, ", ",", ")"}, "/": {"*", "mutantQUO(ID, ", ",", ")"},
	"+=": {"-=", "mutantMore(ID, &", ",", ")"}, "-=": {"+=", "mutantLess(ID, &", ",", ")"},
	// a || b is !(!a && !b).
	"&&":  {"||", "(((", ") != mutant(ID) && ((", ") != mutant(ID))) != mutant(ID))"},
	"||":  {"&&", "(((", ") != mutant(ID) || ((", ") != mutant(ID))) != mutant(ID))"},
	"min": {"max", "", "mutantMin(ID, ", ""}, "max": {"min", "", "mutantMax(ID, ", ""},
	"math.Min": {"math.Max", "", "mutantOf(ID, math.Min, math.Max)(", ""}, "math.Max": {"math.Min", "", "mutantOf(ID, math.Max, math.Min)(", ""},
	"math.Floor": {"math.Ceil", "", "mutantOf(ID, math.Floor, math.Ceil)(", ""}, "math.Ceil": {"math.Floor", "", "mutantOf(ID, math.Ceil, math.Floor)(", ""},
	"math.Sqrt": {"", "", "mutantOf(ID, math.Sqrt, mutantSame)(", ""}, "math.Abs": {"", "", "mutantOf(ID, math.Abs, mutantSame)(", ""},
}

// switches are the functions of forms.
//
//go:embed switch.txt
var switches string

// mutant is one change of a file.
type mutant struct {
	at       token.Position
	was, now string
	edits    []edit
}

// edit is text in place of some bytes of a file. Of edits at one place, the lowest rank is first.
type edit struct {
	at, size, rank int
	text           string
}

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	for _, dir := range flag.Args() {
		if err := measure(ctx, dir); err != nil {
			fmt.Fprintln(os.Stderr, "mutants:", err)
			os.Exit(1)
		}
	}
}

// measure prints the mutants of the package in a folder that its tests do not notice, and how many they do.
func measure(ctx context.Context, dir string) error {
	temp, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	b, all, err := compile(ctx, dir, temp)
	if err != nil {
		return err
	}
	tests, err := b.tests(ctx)
	if err != nil {
		return err
	}
	noticed := 0
	for i, m := range all {
		found, met := b.notice(ctx, tests, strconv.Itoa(i+1))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if found {
			noticed++
		} else {
			fmt.Printf("%s: %q in place of %q is not noticed by the tests that run it, %d\n", m.at, m.now, m.was, met)
		}
		fmt.Fprintf(os.Stderr, "\r%s: %d of %d ", dir, i+1, len(all))
	}
	fmt.Printf("\n%s: %d of %d mutants are noticed\n", dir, noticed, len(all))
	return nil
}

// mutants lists the changes of the files of the package in a folder whose names match the regexp.
func mutants(dir string) (p *build.Package, all []mutant, err error) {
	match, bad := regexp.Compile(*files)
	if p, err = build.ImportDir(dir, 0); bad != nil || err != nil {
		return nil, nil, errors.Join(bad, err)
	}
	for _, name := range slices.DeleteFunc(p.GoFiles, func(name string) bool { return !match.MatchString(name) }) {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, filepath.Join(dir, name), nil, 0)
		if err != nil {
			return nil, nil, err
		}
		// Of expressions that begin at one place, the outer one has the later operator; of those that end at one, the
		// inner one.
		add := func(n ast.Node, was string, from token.Pos, size int) {
			if f, ok := forms[was]; ok {
				at, begin, end := set.Position(from), set.Position(n.Pos()).Offset, set.Position(n.End()).Offset
				all = append(all, mutant{at, was, f.now, []edit{{begin, 0, -at.Offset, f.before}, {at.Offset, size, 0, f.between}, {end, 0, -at.Offset, f.behind}}})
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.BinaryExpr:
				add(x, x.Op.String(), x.OpPos, len(x.Op.String()))
			case *ast.AssignStmt:
				add(x, x.Tok.String(), x.TokPos, len(x.Tok.String()))
			case *ast.CallExpr:
				add(x, types.ExprString(x.Fun), x.Pos(), int(x.Lparen-x.Pos())+1)
			}
			return true
		})
	}
	return p, all, nil
}

// binary is the tests of the package in a folder, compiled with mutants, which are numbered from 1 on.
type binary struct{ dir, path string }

// run runs a program in the folder, with a mutant, and returns what it prints. With mutant -1, that is those it meets.
func (b binary) run(ctx context.Context, mutant, program string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, program, args...)
	c.Dir, c.Env, c.WaitDelay = b.dir, append(os.Environ(), "MUTANT="+mutant), time.Second
	out, err := c.CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("%s: %q: %w\n%s", b.dir, c.Args, err, out)
	}
	return string(out), nil
}

// compile builds a binary in the folder temp with the first mutants of a random order that can be switched.
func compile(ctx context.Context, dir, temp string) (binary, []mutant, error) {
	b := binary{dir, filepath.Join(temp, "test")}
	p, all, err := mutants(dir)
	if err != nil {
		return b, nil, err
	}
	rand.New(rand.NewPCG(*seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for {
		chosen := all[:min(*count, len(all))]
		if err := write(p, temp, chosen); err != nil {
			return b, nil, err
		}
		out, err := b.run(ctx, "", "go", "test", "-c", "-vet=off", "-gcflags=-e", "-overlay="+filepath.Join(temp, "overlay"), "-o", b.path, ".")
		before := len(all)
		all = slices.DeleteFunc(all, func(m mutant) bool {
			return err != nil && strings.Contains(out, fmt.Sprintf("%s:%d:", filepath.Base(m.at.Filename), m.at.Line))
		})
		if len(all) == before {
			return b, chosen, err
		}
	}
}

// write writes the files of a package with mutants, and the list of them for "go test -overlay".
func write(p *build.Package, temp string, all []mutant) error {
	texts, edits := map[string]string{"mutants_switch.go": "package " + p.Name + "\n" + switches}, map[string][]edit{}
	for i, m := range all {
		name := filepath.Base(m.at.Filename)
		for _, e := range m.edits {
			e.text = strings.ReplaceAll(e.text, "ID", strconv.Itoa(i+1))
			edits[name] = append(edits[name], e)
		}
	}
	for name, edits := range edits {
		was, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return err
		}
		slices.SortFunc(edits, func(a, b edit) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.rank, b.rank)) })
		done := 0
		for _, e := range edits {
			texts[name] += string(was[done:e.at]) + e.text
			done = e.at + e.size
		}
		texts[name] += string(was[done:])
	}
	var list []string
	for name, text := range texts {
		list = append(list, fmt.Sprintf("%q: %q", name, filepath.Join(temp, name)))
		if err := os.WriteFile(filepath.Join(temp, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(temp, "overlay"), []byte(`{"Replace": {`+strings.Join(list, ", ")+"}}"), 0o600)
}

// test is a test of the package, what it prints, such as the mutants that it meets, and how long it takes.
type test struct {
	name, prints string
	takes        time.Duration
}

// tests runs each test without a change. It is an error if one fails.
func (b binary) tests(ctx context.Context) (tests []test, err error) {
	names, err := b.run(ctx, "", b.path, "-test.list=^(Test|Example|Fuzz)")
	if err != nil {
		return nil, err
	}
	for _, name := range strings.Fields(names) {
		begun := time.Now()
		out, err := b.run(ctx, "-1", b.path, "-test.run=^"+name+"$")
		if err != nil {
			return nil, err
		}
		tests = append(tests, test{name, out, time.Since(begun)})
	}
	slices.SortFunc(tests, func(a, b test) int { return cmp.Compare(a.takes, b.takes) })
	return tests, nil
}

// notice returns whether a test fails with a mutant, and how many meet it until then. A test that takes ten seconds and
// twenty times longer than without the mutant fails.
func (b binary) notice(ctx context.Context, tests []test, mutant string) (noticed bool, met int) {
	for _, t := range tests {
		if !noticed && strings.Contains(t.prints, "\nmutant "+mutant+"\n") {
			limited, stop := context.WithTimeout(ctx, 20*t.takes+10*time.Second)
			_, err := b.run(limited, mutant, b.path, "-test.run=^"+t.name+"$")
			stop()
			noticed, met = err != nil, met+1
		}
	}
	return noticed, met
}
