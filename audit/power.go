package audit

// power returns what the finding could have seen, given what attacks lose by
// learning and how many attributes share the level.
func power(f *Finding, learningLoss float64, attributes int, set Settings) Power {
	panic("to be written")
}
