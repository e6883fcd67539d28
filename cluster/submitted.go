package cluster

// SubmittedTo says which run a folder was submitted as, and where; "" if it was not.
func SubmittedTo(root string) (id, url string) {
	was, err := readSubmitted(root)
	if err != nil {
		return "", ""
	}
	return was.ID, was.URL
}
