//go:build bridge

package operator

import (
	"io"

	"github.com/portcullis-operator/portcullis/internal/render/sandbox"
)

// RenderWorker makes this process a render process and returns its exit code.
func RenderWorker(stdin io.Reader, stdout io.Writer) int { return sandbox.Main(stdin, stdout) }
