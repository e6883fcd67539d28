package dataset

import (
	"bytes"
	"encoding/binary"
)

// turned reports whether a JPEG's Exif block asks viewers to turn or mirror the picture (tag
// 274, Orientation, other than 1; Exif 2.3, 4.6.4).
//
// This package does not turn pictures. Neither do the folder readers of torchvision and Keras,
// with which models are trained and their accuracy is published. Such pictures are counted and
// reported.
func turned(data []byte) bool {
	o := orientation(exifBlock(data))
	return o > 1 && o <= 8
}

// exifBlock returns the TIFF structure in a JPEG's segment APP1, nil if there
// is none before the picture begins.
func exifBlock(data []byte) []byte {
	const exif = "Exif\x00\x00"
	for at := 2; at+4 <= len(data) && data[at] == 0xff; {
		marker, size := data[at+1], int(binary.BigEndian.Uint16(data[at+2:]))
		if marker == 0xda || size < 2 || at+2+size > len(data) {
			return nil
		}
		segment := data[at+4 : at+2+size]
		if marker == 0xe1 && bytes.HasPrefix(segment, []byte(exif)) {
			return segment[len(exif):]
		}
		at += 2 + size
	}
	return nil
}

// orientation returns the value of tag 274 of the first directory, 0 if there
// is none.
func orientation(tiff []byte) int {
	const tag, short, entry = 274, 3, 12
	if len(tiff) < 8 {
		return 0
	}
	var order binary.ByteOrder = binary.LittleEndian
	if tiff[0] == 'M' {
		order = binary.BigEndian
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return 0
	}
	list := tiff[at+2:]
	for range order.Uint16(tiff[at:]) {
		if len(list) < entry {
			return 0
		}
		if order.Uint16(list) == tag && order.Uint16(list[2:]) == short {
			return int(order.Uint16(list[8:]))
		}
		list = list[entry:]
	}
	return 0
}
