package dataset

// Column returns the name of the column that the rule is applied to.
func (r Rule) Column() string { return r.column }

// Grouped reports whether the rule says which classes there are; otherwise they
// are the column's distinct values.
func (r Rule) Grouped() bool { return len(r.classes) > 0 }

// Apply gives every value of a column called name its class, and −1 to those that
// fall in none: empty ones, and those that no class of the rule takes. It errs where
// an entry of the rule names no value, where classes overlap, and where a column
// without classes of its rule has more than 100 values.
func (r Rule) Apply(name string, values []string) (Attribute, error) {
	return r.apply(column{name, values})
}
