package file

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"tattle/internal/must"
)

func TestScreen(t *testing.T) {
	for text, want := range map[string]string{
		"a line\n\tand — more\n": "a line\n\tand — more\n",
		"\x1b[2J\a\r":            `\u001b[2J\u0007\u000d`,
		"\u009b31m\x7f":          `\u009b31m\u007f`,
		"a\u202eb\u2066":         `a\u202eb\u2066`,
		"\x9b31m\xff":            `\x9b31m`, // the last byte may begin a character
		"é�":                     "é�",
	} {
		for split := range len(text) + 1 {
			var b bytes.Buffer
			s := &Screen{W: &b}
			for _, part := range []string{text[:split], text[split:]} {
				if n, err := io.WriteString(s, part); n != len(part) || err != nil {
					t.Fatal(n, err)
				}
			}
			if text == "\x9b31m\xff" && b.String() == want+`\xff` {
				continue // 0xff never begins a character, and is known for that at once
			}
			if b.String() != want {
				t.Errorf("%q split at %d came out as %q, want %q", text, split, b.String(), want)
			}
		}
	}
}

// TestScreenKeepsJSON: what is escaped in JSON means the same.
func TestScreenKeepsJSON(t *testing.T) {
	var b bytes.Buffer
	in := "\u009b\x7f\u202e\x1b"
	must.Do(t, json.NewEncoder(&Screen{W: &b}).Encode(in))
	var out string
	if err := json.Unmarshal(b.Bytes(), &out); err != nil || out != in || bytes.ContainsRune(b.Bytes(), 0x9b) {
		t.Errorf("%q from %q, %v", out, b.Bytes(), err)
	}
}
