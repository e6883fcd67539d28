// Package tattle measures what a machine-learned model gives away about its
// inputs. The command is in cmd/tattle; the library is the packages beside it,
// drawn in ARCHITECTURE.md.
package tattle
