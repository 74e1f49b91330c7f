// Package tail reads the end of a log. Effect: it reads a file.
package tail

import (
	"io"
	"os"
	"strings"
)

// window is more than any dozen log lines of a control plane need.
const window = 64 << 10

// Lines returns the last n lines of the file, or a line that says why there are none: it is only
// ever printed beside an error that matters more.
func Lines(path string, n int) string {
	f, err := os.Open(path)
	if err != nil {
		return "(no log: " + err.Error() + ")"
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > window {
		if _, err := f.Seek(-window, io.SeekEnd); err != nil {
			return "(no log: " + err.Error() + ")"
		}
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return "(no log: " + err.Error() + ")"
	}
	return last(string(text), n)
}

func last(text string, n int) string {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return "(the log is empty)"
	}
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
