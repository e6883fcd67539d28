package dataset

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// Description describes a public data set: its content, licence and source.
type Description struct {
	Name      string
	Title     string
	Content   string // what the pictures and labels are
	Shape     []int  // of one picture: channels, height, width
	Train     int    // pictures
	Test      int
	Target    string // what Y is
	Sensitive string // what the sensitive attribute is; "" if the set has none
	Terms     string
	Citation  string
	Home      string
	Files     []RemoteFile
}

// RemoteFile is a file that [Get] fetches.
type RemoteFile struct {
	Name   string // in the folder it is put in
	URL    string
	Size   int64  // of the file as published, in bytes
	SHA256 string // of an idx file decompressed, of an archive as it is

	Contents int64 // bytes that SHA256 is of

	Folder     string   // of an archive: that its members are in
	Members    []string // of an archive, which is unpacked and then removed
	MemberSize int64    `toml:"member_size"` // of each, in bytes
}

//go:embed catalogue.toml
var catalogueText string

var catalogue = decoded[struct{ Set []Description }](catalogueText).Set

// Names lists the sets that [Info] and [Get] know.
func Names() []string {
	var names []string
	for _, d := range catalogue {
		names = append(names, d.Name)
	}
	return names
}

// Info describes the set of that name.
func Info(name string) (Description, error) {
	for _, d := range catalogue {
		if d.Name == name {
			d.Shape, d.Files = slices.Clone(d.Shape), slices.Clone(d.Files)
			return d, nil
		}
	}
	return Description{}, fmt.Errorf("no data set %q: want one of %s", name, strings.Join(Names(), ", "))
}

// Bytes returns the size of all files as they are fetched.
func (d Description) Bytes() int64 {
	var n int64
	for _, f := range d.Files {
		n += f.Size
	}
	return n
}

// String describes the set in some lines of text.
func (d Description) String() string {
	var b strings.Builder
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "  %-10s %s\n", key, value)
		}
	}
	fmt.Fprintf(&b, "%s: %s\n", d.Name, d.Title)
	line("pictures", fmt.Sprintf("%d to train, %d to test, %s: %s", d.Train, d.Test, times(d.Shape), d.Content))
	line("target", d.Target)
	line("sensitive", d.Sensitive)
	line("terms", d.Terms)
	line("cite", d.Citation)
	line("home", d.Home)
	for _, f := range d.Files {
		of := "decompressed"
		if f.Members != nil {
			of = "as it is"
		}
		line("file", fmt.Sprintf("%s, %d bytes, SHA-256 %s %s", f.URL, f.Size, of, f.SHA256))
	}
	return strings.TrimSuffix(b.String(), "\n")
}
