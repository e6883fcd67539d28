// Package try audits a file of outputs that is in memory, for a page that runs in a browser.
package try

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"tattle/internal/data/sheet"
	"tattle/internal/file"
	"tattle/internal/report"
	"tattle/internal/reveal/audit"
)

// A Request says which columns of a file are what.
type Request struct {
	Name      string // of the file
	Target    string
	Sensitive []string
	Scores    []string
	Seed      uint64
}

// fewerChecks stands in every report of Audit.
const fewerChecks = "This audit ran in a browser. It trained no model as a control and tried no defences: tattle audit does both."

// Columns returns the names of the columns of a file of outputs.
func Columns(content []byte) ([]string, error) {
	c, err := sheet.Open(context.Background(), "the file", bytes.NewReader(content), int64(len(content)), nil)
	if err != nil {
		return nil, err
	}
	return c.Names(), nil
}

// Audit audits the outputs in a file and returns the report. It calls progress, unless nil, as
// the audit goes on.
func Audit(ctx context.Context, content []byte, q Request, progress func(stage string, done, total int)) (*report.Report, error) {
	s, err := audit.ReadOutputs(ctx, q.Name, content, audit.OpenOptions{Target: q.Target, Sensitive: q.Sensitive, Columns: q.Scores})
	if err != nil {
		return nil, err
	}
	res, err := (&audit.Record{Sample: s}).Audit(ctx, audit.Options{Seed: q.Seed, Progress: progress})
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	r := res.Report(&audit.Setup{})
	r.Title, r.Command = audit.Title(s), q.command()
	r.Data.Path, r.Data.SHA256 = q.Name, hex.EncodeToString(sum[:])
	r.Warn(fewerChecks)
	return r, nil
}

// command returns the command line that audits the same columns with all checks.
func (q Request) command() string {
	args := []string{"tattle", "audit", "--outputs=" + q.Name, fmt.Sprintf("--seed=%d", q.Seed)}
	if q.Target != "" {
		args = append(args, "--target="+q.Target)
	}
	for _, s := range q.Sensitive {
		args = append(args, "--sensitive="+s)
	}
	if len(q.Scores) > 0 {
		args = append(args, "--scores="+strings.Join(q.Scores, ","))
	}
	return file.CommandLine(args)
}
