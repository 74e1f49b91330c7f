package condition

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxMessage is the longest message of a condition, in characters. The API server allows 32768; a person reading
// kubectl describe, and the etcd behind it, are better served by a screenful.
const MaxMessage = 1024

// Bound returns the text in valid UTF-8 and at most MaxMessage characters long; what was cut is counted at its end.
func Bound(text string) string {
	text = strings.ToValidUTF8(text, "?")
	length := utf8.RuneCountInString(text)
	if length <= MaxMessage {
		return text
	}
	const room = 40 // for the count, whatever its digits
	runes := []rune(text)
	return fmt.Sprintf("%s ... (%d more characters)", string(runes[:MaxMessage-room]), length-(MaxMessage-room))
}

// Join writes many findings as one message: as many whole ones as fit, parted by semicolons, then how many are left.
// At least the first is named, cut if it must be.
func Join(findings []string) string {
	const room = 20 // for " ... and N more"
	var b strings.Builder
	used := 0
	for i, f := range findings {
		f = strings.ToValidUTF8(f, "?")
		length := utf8.RuneCountInString(f) + len("; ")
		last := i == len(findings)-1
		if i > 0 && used+length > MaxMessage-room && (!last || used+length > MaxMessage) {
			fmt.Fprintf(&b, " ... and %d more", len(findings)-i)
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		if i == 0 && !last {
			f = fit(f, MaxMessage-room)
		}
		b.WriteString(f)
		used += min(length, MaxMessage-room)
	}
	return Bound(b.String())
}

// fit cuts a text to the given number of characters and marks the cut.
func fit(text string, limit int) string {
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	return string(runes[:limit-3]) + "..."
}
