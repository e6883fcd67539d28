package main

import (
	"errors"
	"os"
	"strings"
)

// The commands of a document, and the table of what two rounds of them printed.
func Example() {
	list := commands(strings.ReplaceAll(`Text: go test -bench Text ./a
'''
SLOW=1 go test -run xxx -bench Sum ./a
go test -run xxx -bench Sum ./a
go test -bench Hours -timeout 0 ./a
tattle demo
'''
`, "'''", "```"))
	t := newTable()
	for _, ns := range []string{"200", "100"} {
		t.add(list[0], "BenchmarkSum-2 \t 10\t 400 ns/op\n", nil)
		t.add(list[1], "BenchmarkSum-2 \t 10\t "+ns+" ns/op\n"+
			"BenchmarkPeer-2 \t 5\t 0 ns/op\t 0.5 x-peer\n"+
			"    a_test.go:9: needs a peer\n--- SKIP: BenchmarkOther\n", nil)
	}
	t.add(list[1], "no gcc\nFAIL\n", errors.New("exit status 1"))
	t.print(os.Stdout)
	// Output:
	// | benchmark | figure | median | smallest | largest | runs |
	// |---|---|---|---|---|---|
	// | Peer | x-peer | 0.5 | 0.5 | 0.5 | 2 |
	// | Sum | x-SLOW=1 | 0.5 | 0.25 | 0.5 | 2 |
	// | SLOW=1 Sum | ms | 0.0004 | 0.0004 | 0.0004 | 2 |
	// | Sum | ms | 0.0002 | 0.0001 | 0.0002 | 2 |
	// left out: BenchmarkOther: needs a peer
	// left out: go test -run xxx -bench Sum ./a: exit status 1: FAIL
}
