package cluster

import (
	"flag"
	"os"
	"testing"
)

// TestMain has more tests at a time than there are cores: most wait, for disks, leases
// and other processes.
func TestMain(m *testing.M) {
	flag.Set("test.parallel", "8") // before it is parsed: -parallel changes it
	os.Exit(m.Run())
}
