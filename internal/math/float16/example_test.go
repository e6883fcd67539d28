package float16_test

import (
	"fmt"

	"tattle/internal/math/float16"
)

func Example() {
	fmt.Println(float16.Half.Round(0.1), float16.Brain.Round(0.1))
	fmt.Printf("%#04x %v\n", float16.Bits(1.5), float16.FromBits(0x3e00))
	// Output:
	// 0.0999755859375 0.10009765625
	// 0x3e00 1.5
}
