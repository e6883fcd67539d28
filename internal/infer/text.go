package infer

import "tattle/internal/file"

// maxText bounds what is quoted of the other side's words, in runes: a sentence or two.
const maxText = 300

// oneLine returns words from outside as one line that prints.
func oneLine(s string) string { return file.Short(s, maxText) }
