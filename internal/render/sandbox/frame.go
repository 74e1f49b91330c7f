package sandbox

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
)

// frameMark begins every frame, so that anything else on the pipe is noticed at once.
const frameMark = 0x50434C31

// frameLimit is the largest frame: a release at its output bound, with what JSON adds, or the largest chart.
const frameLimit = 512 << 20

var errNoFrame = errors.New("what came over the pipe is no message")

// writeFrame sends one message. Each frame is complete in itself: both sides can bound it before they decode it.
func writeFrame(w io.Writer, message any) error {
	var body bytes.Buffer
	body.Write(make([]byte, 8))
	if err := gob.NewEncoder(&body).Encode(message); err != nil {
		return fmt.Errorf("encoding a message: %w", err)
	}
	frame := body.Bytes()
	if len(frame) > frameLimit {
		return fmt.Errorf("a message of %d bytes is too long to send", len(frame))
	}
	binary.BigEndian.PutUint32(frame[:4], frameMark)
	binary.BigEndian.PutUint32(frame[4:8], uint32(len(frame)-8)) //nolint:gosec // frameLimit is far below
	if _, err := w.Write(frame); err != nil {
		return fmt.Errorf("sending a message: %w", err)
	}
	return nil
}

// readFrame receives one message. At the end of the pipe the error is io.EOF.
func readFrame(r io.Reader, message any) error {
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return fmt.Errorf("waiting for a message: %w", err)
	}
	length := binary.BigEndian.Uint32(head[4:])
	if binary.BigEndian.Uint32(head[:4]) != frameMark || length > frameLimit {
		return errNoFrame
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(r, body); err != nil {
		return fmt.Errorf("receiving a message: %w", err)
	}
	if err := gob.NewDecoder(bytes.NewReader(body)).Decode(message); err != nil {
		return fmt.Errorf("%w: %w", errNoFrame, err)
	}
	return nil
}
