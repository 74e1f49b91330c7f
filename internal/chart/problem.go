package chart

import (
	"errors"
	"fmt"
	"strings"
)

// The causes a Problem can have, for errors.Is.
var (
	// ErrTooLarge is a chart past one of its Limits.
	ErrTooLarge = errors.New("too large")
	// ErrUnsafeName is a file or chart name that could point outside the chart: absolute, with "." or "..", or not text.
	ErrUnsafeName = errors.New("unsafe name")
	// ErrNoFile is an entry that is no regular file: a link, a device, a pipe.
	ErrNoFile = errors.New("not a regular file")
	// ErrUnreadable is content that is damaged or no chart at all.
	ErrUnreadable = errors.New("unreadable")
	// ErrDuplicate is a name or a chart version that is there twice with different content.
	ErrDuplicate = errors.New("duplicate")
)

// Problem is an entry of the catalogue, or a set of files, that cannot be used as a chart.
//
//nolint:errname // it is a finding of the catalogue first, and an error where one chart is all that was asked for
type Problem struct {
	// Entry is the name of the file or folder in the catalogue; empty when the files came from elsewhere.
	Entry string
	// Sentence says in plain words what is wrong.
	Sentence string
	// Cause is one of the Err values of this package.
	Cause error
}

// Error returns the entry and the sentence.
func (p *Problem) Error() string {
	if p.Entry == "" {
		return p.Sentence
	}
	return p.Entry + ": " + p.Sentence
}

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Cause }

func problem(cause error, format string, args ...any) *Problem {
	return &Problem{Sentence: fmt.Sprintf(format, args...), Cause: cause}
}

// in returns err as a Problem of the named entry.
func in(entry string, err error) *Problem {
	if p, ok := errors.AsType[*Problem](err); ok {
		return &Problem{Entry: entry, Sentence: p.Sentence, Cause: p.Cause}
	}
	return &Problem{Entry: entry, Sentence: err.Error(), Cause: ErrUnreadable}
}

// NotFoundError says that no chart of that name and version is at hand.
type NotFoundError struct {
	// Ref is what was asked for.
	Ref Ref
	// Available are the versions of that chart which are at hand, the nearest one first.
	Available []string
	// Names are the charts at hand, when none has the name that was asked for.
	Names []string
}

// nearestShown is how many versions an error names; the whole list is in Available.
const nearestShown = 5

// Error names the chart that is missing and the nearest ones that are there.
func (e *NotFoundError) Error() string {
	switch {
	case len(e.Available) > 0:
		shown := e.Available[:min(nearestShown, len(e.Available))]
		return fmt.Sprintf("chart %s is not at hand; nearest versions: %s", e.Ref, strings.Join(shown, ", "))
	case len(e.Names) > 0:
		return fmt.Sprintf("chart %s is not at hand; charts at hand: %s", e.Ref, strings.Join(e.Names, ", "))
	default:
		return fmt.Sprintf("chart %s is not at hand; there are no charts at all", e.Ref)
	}
}
