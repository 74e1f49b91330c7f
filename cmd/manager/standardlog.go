package main

import (
	"log"
	"strings"
)

// logger is what the lines of the HTTP servers are written to.
type logger interface {
	Info(message string, pairs ...any)
	Error(err error, message string, pairs ...any)
}

// listenToStandardLog takes over the standard logger, which nothing of ours uses. Two libraries do: Helm, whose lines
// show chart values (one that cannot be merged, the text of a template's fail), and the HTTP servers of webhooks, metrics
// and probes, whose lines are the only trace of a failed TLS handshake and of a handler's panic.
func listenToStandardLog(to logger) {
	// Without a date, a line begins with the words of who wrote it.
	log.SetFlags(0)
	log.SetPrefix("")
	log.SetOutput(serverLines{to})
}

// serverLines passes on what an HTTP server writes and drops the rest. It judges a call by its first words, so a value
// that Helm prints does not get through by looking like such a line further down.
type serverLines struct{ to logger }

// Write is called once for each call of the standard logger.
func (s serverLines) Write(p []byte) (int, error) {
	line := strings.TrimRight(string(p), "\n")
	switch {
	case strings.HasPrefix(line, "http: panic serving "):
		s.to.Error(nil, "an HTTP handler panicked", "line", line)
	case strings.HasPrefix(line, "http: "), strings.HasPrefix(line, "http2: "):
		s.to.Info("an HTTP server says", "line", line)
	}
	return len(p), nil
}
