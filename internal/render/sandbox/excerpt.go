package sandbox

import "sync"

// excerptPart is how much of the beginning and how much of the end an excerpt keeps.
const excerptPart = 2 << 10

// excerpt keeps the beginning and the end of what is written to it: a Go program that dies says why first, and what it
// was doing last.
type excerpt struct {
	mu         sync.Mutex
	head, tail []byte
}

// Write never fails, so that the writer never blocks on a full pipe.
func (e *excerpt) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	rest := p
	if room := excerptPart - len(e.head); room > 0 {
		n := min(room, len(rest))
		e.head, rest = append(e.head, rest[:n]...), rest[n:]
	}
	e.tail = append(e.tail, rest...)
	if extra := len(e.tail) - excerptPart; extra > 0 {
		e.tail = append([]byte(nil), e.tail[extra:]...)
	}
	return len(p), nil
}

// String returns what is kept.
func (e *excerpt) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return string(e.head) + string(e.tail)
}
