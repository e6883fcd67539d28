package dataset

// labels is what is known of the examples before any picture is decoded: one
// row an example.
type labels struct {
	source  string   // file or folder, for errors
	files   []string // names inside the file system; nil for tables
	columns []column // as text
	split   []Split  // "" where the source does not say; nil where it says of none
	notes   []string // what a reader wants to know: files left out, and why
}

// column is one attribute of every example, as the source writes it.
type column struct {
	name   string
	values []string
}
