//go:build !bridge

package operator

import "io"

// RenderWorker has nothing to render with in a binary without the GitLab kinds; it returns the exit code that says so.
func RenderWorker(io.Reader, io.Writer) int { return 2 }
