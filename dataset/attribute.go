package dataset

// Attribute is one label of every example, as classes.
type Attribute struct {
	Name   string   // of the column, or of the rule
	Values []string // names of the classes, class 0 first
	Labels []int    // the class of each example
}
