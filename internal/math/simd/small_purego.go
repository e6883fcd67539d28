//go:build purego || !(amd64 || arm64)

package simd

func (s *Small[T]) tiled(matrix[T], []T) bool { return false }
