package dataset

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// adultColumns are the columns of UCI Adult, whose files have no header.
var adultColumns = []string{"age", "workclass", "fnlwgt", "education", "education-num",
	"marital-status", "occupation", "relationship", "race", "sex",
	"capital-gain", "capital-loss", "hours-per-week", "native-country", "income"}

// Names of Adult's files.
const (
	adultTrain = "adult.data"
	adultTest  = "adult.test"
)

// openAdult reads UCI Adult: a folder with adult.data and, where it is there,
// adult.test, or adult.data itself with adult.test beside it. A question mark is
// a category like any other.
func openAdult(path string) (*origin, error) {
	dir := path
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		dir = filepath.Dir(path)
	}
	train := firstFile(dir, adultTrain)
	if train == "" {
		return nil, fmt.Errorf("%s: no %s: give the folder with UCI Adult's %s and %s", dir, adultTrain, adultTrain, adultTest)
	}
	t, err := readTable(train, adultColumns)
	if err != nil {
		return nil, err
	}
	tables := []*table{t}
	if test := firstFile(dir, adultTest); test != "" {
		if t, err = readTable(test, adultColumns); err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	src, err := fromTables(train, tables)
	if err != nil {
		return nil, err
	}
	income := src.labels.columns[len(adultColumns)-1].values
	for i, v := range income {
		income[i] = strings.TrimSuffix(v, ".") // adult.test has one
	}
	src.name, src.target, src.sensitive = KindAdult, "income", []string{"sex"}
	return src, nil
}
