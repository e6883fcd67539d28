//go:build !linux

package cluster_test

import "time"

var processBegun = time.Now()

// threadTime is the time where threads do not tell theirs.
func threadTime() time.Duration { return time.Since(processBegun) }
