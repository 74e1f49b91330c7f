package render

import "fmt"

// ErrorKind says whose fault a failed render is.
type ErrorKind string

const (
	// Failed is a chart that refuses the configuration in its own words, through fail or required.
	Failed ErrorKind = "Failed"
	// Template is a template that does not parse, does not execute, or does not produce objects.
	Template ErrorKind = "Template"
	// Values are values that cannot be combined with the chart's own, such as a text where a subchart's map must be.
	Values ErrorKind = "Values"
	// Limit is a render that passed a bound of size or memory.
	Limit ErrorKind = "Limit"
	// Canceled is a render that was stopped from outside.
	Canceled ErrorKind = "Canceled"
	// Chart is a chart that cannot be installed at all, or not on this version of Kubernetes.
	Chart ErrorKind = "Chart"
	// Input is a request that cannot be rendered whatever the chart: no capabilities, or a name that is no label value.
	Input ErrorKind = "Input"
	// Internal is a render that ended in a way the chart and its values do not explain.
	Internal ErrorKind = "Internal"
)

// Error is why a chart did not render. Text may hold what the chart's author wrote and, through that, a value; who
// prints it cleans it of secrets first.
type Error struct {
	Kind ErrorKind
	// Template is the path of the template that was being rendered, from the chart's name on. Empty if none was.
	Template string
	// Text says in plain words what is wrong; several lines where the chart wrote several.
	Text string
	// Cause is kept for errors.Is and errors.As. It is not part of the message.
	Cause error
}

// Error returns the text, with the template in front where there is one.
func (e *Error) Error() string {
	if e.Template == "" {
		return e.Text
	}
	return fmt.Sprintf("%s: %s", e.Template, e.Text)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }
