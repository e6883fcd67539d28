package release

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"tattle/internal/data/sheet"
	"tattle/internal/file"
)

// maxTableFile is the largest file that is read for a table, in bytes: MaxTable rows
// of two long numbers, and room.
const maxTableFile = 1 << 20

// ReadTable reads the density of a noise from a file and returns NewTable of it:
// text of lines "x,density", with or without such a heading.
func ReadTable(path string, sigma float64) (*Table, error) {
	b, err := file.ReadFileAtMost(path, maxTableFile)
	if errors.Is(err, file.ErrTooLong) {
		return nil, fmt.Errorf("noise table %q: larger than %d bytes: give at most %d rows", path, maxTableFile, MaxTable)
	}
	if err != nil {
		return nil, fmt.Errorf("noise table: %w", err)
	}
	x, density, err := decodeTable(b)
	if err != nil {
		return nil, fmt.Errorf("noise table %q: %w", path, err)
	}
	t, err := NewTable(x, density, sigma)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", path, err)
	}
	t.name = "table:" + path
	return t, nil
}

// decodeTable reads the rows of a file.
func decodeTable(b []byte) (x, density []float64, err error) {
	r, err := sheet.NewReader(bytes.NewReader(b), 0)
	if err != nil {
		return nil, nil, err
	}
	for row := 0; ; row++ {
		fields, err := r.Read()
		if err == io.EOF {
			return x, density, nil
		}
		if err != nil {
			return nil, nil, err
		}
		if len(fields) != 2 {
			return nil, nil, fmt.Errorf("rows have %d fields: give two, x and density", len(fields))
		}
		v, err1 := strconv.ParseFloat(strings.TrimSpace(fields[0]), 64)
		d, err2 := strconv.ParseFloat(strings.TrimSpace(fields[1]), 64)
		if err := errors.Join(err1, err2); err != nil {
			if row == 0 && err1 != nil && err2 != nil {
				continue // a heading
			}
			return nil, nil, fmt.Errorf("row %d: %q and %q are not both numbers", row+1, fields[0], fields[1])
		}
		if len(x) == MaxTable {
			return nil, nil, fmt.Errorf("more than %d rows", MaxTable)
		}
		x, density = append(x, v), append(density, d)
	}
}
