package render

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	helmchart "helm.sh/helm/v3/pkg/chart"
)

// engineName is what the engine calls a template that has no file: a text given to tpl.
const engineName = "gotpl"

// frame is one step of the chain of templates in which an error arose: where, and at which expression.
type frame struct {
	file, line, expr string
}

// explain turns the nested text of the template engine's error into the template at fault and what is wrong there.
// The engine offers nothing but text. What the chart itself says, through fail or required, is passed on word for word.
func explain(err error) *Error {
	text := err.Error()
	for _, own := range []struct {
		kind   ErrorKind
		prefix string
	}{
		{Failed, "execution error at ("}, {Template, "execution error in ("},
		{Template, "parse error at ("}, {Template, "parse error in ("},
	} {
		rest, ok := strings.CutPrefix(text, own.prefix)
		if !ok {
			continue
		}
		place, said, _ := strings.Cut(rest, "): ")
		at := position(place)
		if own.kind == Failed {
			return &Error{Kind: Failed, Template: at.file, Text: trimLines(said), Cause: err}
		}
		return &Error{Kind: Template, Template: at.file, Text: onLine(at.line) + plain(said), Cause: err}
	}
	frames, cause := unwind(text)
	if len(frames) == 0 {
		return &Error{Kind: Template, Text: "the chart's templates cannot be rendered: " + plain(cause), Cause: err}
	}
	outer, inner := frames[0], frames[len(frames)-1]
	return &Error{Kind: Template, Template: outer.file, Text: where(outer, inner) + plain(cause), Cause: err}
}

// where says in which place of which template a cause lies, as seen from the template that was being rendered.
func where(outer, inner frame) string {
	var out strings.Builder
	switch inner.file {
	case outer.file:
	case engineName:
		out.WriteString("in a text that tpl evaluates, ")
	default:
		out.WriteString("in " + inner.file + " ")
	}
	out.WriteString(onLine(inner.line))
	if inner.expr != "" {
		out.WriteString("at " + inner.expr + ": ")
	}
	return out.String()
}

// unwind takes the chain apart, outermost first, and returns what is left: the innermost cause.
func unwind(text string) ([]frame, string) {
	var frames []frame
	for {
		rest, ok := strings.CutPrefix(text, "template: ")
		if !ok {
			return frames, text
		}
		place, rest, ok := strings.Cut(rest, ": ")
		if !ok {
			return frames, text
		}
		at := position(place)
		if executing, ok := strings.CutPrefix(rest, "executing "); ok {
			if quoted, err := strconv.QuotedPrefix(executing); err == nil {
				executing = executing[len(quoted):]
			}
			executing = strings.TrimPrefix(executing, " at <")
			at.expr, rest, _ = strings.Cut(executing, ">: ")
		}
		frames = append(frames, at)
		text = inward(rest)
	}
}

// inward drops the words between one step of the chain and the next. The text of a tpl call is dropped with them: it
// can be a whole values file.
func inward(text string) string {
	for _, call := range []string{"include", "tpl", "template"} {
		text = strings.TrimPrefix(text, "error calling "+call+": ")
	}
	for _, words := range []string{"error during tpl function execution for ", "cannot parse template "} {
		if rest, ok := strings.CutPrefix(text, words); ok {
			if quoted, err := strconv.QuotedPrefix(rest); err == nil {
				return strings.TrimPrefix(rest[len(quoted):], ": ")
			}
		}
	}
	return text
}

// position reads "file:line:column" or "file:line".
func position(place string) frame {
	parts := strings.Split(place, ":")
	for len(parts) > 1 {
		if _, err := strconv.Atoi(parts[len(parts)-1]); err != nil {
			break
		}
		parts = parts[:len(parts)-1]
	}
	at := frame{file: strings.Join(parts, ":")}
	if rest, ok := strings.CutPrefix(place, at.file+":"); ok {
		at.line, _, _ = strings.Cut(rest, ":")
	}
	return at
}

func onLine(line string) string {
	if line == "" {
		return ""
	}
	return "line " + line + ", "
}

// trimLines removes blank lines around a text and blanks at the ends of its lines; the lines themselves stay.
func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\r")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// explainValues turns Helm's error about values and subcharts into plain words. Helm prints the value it found, through
// a broken format on top, and of the path its last key alone: the value is left out and the path found again.
func explainValues(c *helmchart.Chart, err error) *Error {
	if rest, ok := strings.CutPrefix(err.Error(), "type mismatch on "); ok {
		name, _, _ := strings.Cut(rest, ":")
		return &Error{Kind: Values, Cause: err, Text: fmt.Sprintf(
			"the value %s must be a map, because it holds the values of the subchart of that name",
			strings.Join(subchartPaths(c, name), " or "))}
	}
	return &Error{Kind: Values, Text: "the values cannot be combined with the chart's own", Cause: err}
}

// subchartPaths returns where in the values the subcharts of a name lie.
func subchartPaths(c *helmchart.Chart, name string) []string {
	var paths []string
	for _, sub := range c.Dependencies() {
		if sub.Name() == name {
			paths = append(paths, name)
		}
		for _, path := range subchartPaths(sub, name) {
			paths = append(paths, sub.Name()+"."+path)
		}
	}
	return paths
}

// explainYAML says what is wrong with a document. Only such messages of the decoder are passed on as hold no value.
func explainYAML(err error) error {
	text := err.Error()
	var twice []string
	for line := range strings.Lines(text) {
		if first, ok := strings.CutSuffix(strings.TrimSpace(line), " already set in map"); ok {
			at, key, _ := strings.Cut(first, ": key ")
			twice = append(twice, fmt.Sprintf("%s has the key %s a second time", at, key))
		}
	}
	if len(twice) > 0 {
		return errors.New(strings.Join(twice, "; "))
	}
	syntax, ok := strings.CutPrefix(text, "yaml: ")
	if strings.HasPrefix(syntax, "invalid map key") || strings.Contains(text, "unsupported map key") {
		return errors.New("a key that is neither text nor a number")
	}
	if ok && !strings.ContainsAny(syntax, "`\n") {
		return fmt.Errorf("no valid YAML: %s", syntax)
	}
	if strings.HasPrefix(text, "json: unsupported value") {
		return errors.New("a number that is infinite or none")
	}
	return errors.New("no YAML that can be read")
}
