package report

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tattle/internal/must"
)

// codes are the codes of findings in Go source.
var codes = regexp.MustCompile(`(?:\bFind\(|\bCode: |\bsay\(|\bwarn\(|\bhelp\(|\bHas\(|code = )"([a-z_]+(?:\.[a-z_]+)*)"`)

// Every code that a package of the project writes in its source has words.
func TestEveryCodeHasWords(t *testing.T) {
	found := 0
	must.Do(t, filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source := string(must.Get(os.ReadFile(path))(t))
		if !strings.Contains(source, `"tattle/internal/report"`) {
			return nil
		}
		for _, m := range codes.FindAllStringSubmatch(source, -1) {
			if found++; words[m[1]].Says == "" {
				t.Errorf("%s: no words for the finding %q", path, m[1])
			}
		}
		return nil
	}))
	if found < 100 {
		t.Errorf("only %d codes found", found)
	}
}
