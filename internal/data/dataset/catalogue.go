package dataset

import (
	_ "embed"
	"fmt"
	"strings"
)

// Description describes a public data set.
type Description struct {
	Name  string
	About string       // its title, and lines on its contents, licence and source
	Files []RemoteFile // that [Get] fetches; none of a set without a known checksum
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

// Names lists the sets that [Info] knows.
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
			return d, nil
		}
	}
	return Description{}, fmt.Errorf("no data set %q: there are %s", name, strings.Join(Names(), ", "))
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
	text := d.Name + ": " + d.About
	for _, f := range d.Files {
		of := "decompressed"
		if f.Members != nil {
			of = "as it is"
		}
		text += fmt.Sprintf("\n  %-10s %s, %d bytes, SHA-256 %s %s", "file", f.URL, f.Size, of, f.SHA256)
	}
	return text
}
