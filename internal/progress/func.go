package progress

// A Func is called with the steps done of what runs, and those of all of it. It may be nil.
type Func func(what string, done, total int)

// Of returns what reports the steps of one kind of work.
func (f Func) Of(what string) func(done, total int) {
	return func(done, total int) {
		if f != nil {
			f(what, done, total)
		}
	}
}
