package report

// Table is a published table with ours beside it. Every row has a cell for every
// column; a cell that did not run has no Ours and says why.
type Table struct {
	Name    string        `json:"name"` // as "table1"
	Title   string        `json:"title"`
	Caption string        `json:"caption,omitempty"`
	Reduced string        `json:"reduced,omitempty"` // how it differs from the published procedure, so that the figures do not compare; empty where it does not
	Heads   []string      `json:"heads"`             // of the rows' labels
	Columns []TableColumn `json:"columns"`
	Rows    []TableRow    `json:"rows"`
	Notes   []string      `json:"notes,omitempty"`
}

// TableColumn heads a column; neighbours of one Group share a heading.
type TableColumn struct {
	Group string `json:"group,omitempty"`
	Name  string `json:"name"`
	Unit  string `json:"unit"` // UnitPercent, UnitBits or empty
}

// The units of a column.
const (
	UnitPercent = "percent" // figures are fractions, shown times 100
	UnitBits    = "bits"
)

// TableRow is a row; equal labels of neighbouring rows are printed once.
type TableRow struct {
	Labels []string    `json:"labels"`
	Cells  []TableCell `json:"cells"`
}

// TableCell is one figure, ours and published.
type TableCell struct {
	Ours       *Figure `json:"ours"`      // nil: did not run; Note says why
	Published  *Figure `json:"published"` // nil: the paper prints none
	Difference *Number `json:"difference,omitempty"`
	Note       string  `json:"note,omitempty"`
	Blank      bool    `json:"blank,omitempty"` // there is nothing here to run or to print
}

// Figure is a mean over seeds.
type Figure struct {
	Mean  Number `json:"mean"`
	Std   Number `json:"std"` // sample standard deviation; NaN or zero with one seed
	Seeds int    `json:"seeds,omitempty"`
}
