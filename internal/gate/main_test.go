package main

import (
	"strings"
	"testing"
)

func TestSummarise(t *testing.T) {
	const skips = `{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:7: needs mnist, which is not here\n"}
{"Action":"skip","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:8: takes seconds\n"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestC","Output":"    c_test.go:9: takes seconds\n"}
{"Action":"skip","Package":"p","Test":"TestC"}
{"Action":"output","Package":"p","Test":"TestD","Output":"noise\n"}
{"Action":"pass","Package":"p","Test":"TestD"}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\t1s\n"}
{"Action":"pass","Package":"p"}
`
	const failure = `{"Action":"output","Package":"q","Test":"TestE","Output":"    e_test.go:1: wrong\n"}
{"Action":"fail","Package":"q","Test":"TestE"}
{"Action":"fail","Package":"q"}
`
	const said = "ok  \tp\t1s\nskipped: 3 tests (2 × takes seconds; 1 × needs mnist, which is not here)\n"
	for _, c := range []struct {
		in, want string
		failed   bool
	}{
		{"", "skipped: no tests\n", false},
		{skips, said, false},
		{failure, "    e_test.go:1: wrong\nskipped: no tests\n", true},
	} {
		var b strings.Builder
		failed, err := summarise(&b, strings.NewReader(c.in))
		if err != nil || failed != c.failed || b.String() != c.want {
			t.Errorf("%q, failed %v, %v; want %q, failed %v", b.String(), failed, err, c.want, c.failed)
		}
	}
}
