package values

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// minSecret is the length from which a text is searched for. Shorter ones would mask half of every sentence.
const minSecret = 6

// Redactor removes known secret texts from a message: what came from Secrets and what stands under sensitive keys.
// The zero value knows none.
type Redactor struct{ texts []string }

// Clean returns the text with every known secret replaced. Overlapping ones leave no rest behind.
func (r Redactor) Clean(text string) string {
	var hidden []bool
	for _, secret := range r.texts {
		for from := 0; ; {
			at := strings.Index(text[from:], secret)
			if at < 0 {
				break
			}
			if hidden == nil {
				hidden = make([]bool, len(text))
			}
			for i := from + at; i < from+at+len(secret); i++ {
				hidden[i] = true
			}
			from += at + 1
		}
	}
	if hidden == nil {
		return text
	}
	return cover(text, hidden)
}

func cover(text string, hidden []bool) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case !hidden[i]:
			b.WriteByte(text[i])
		case i == 0 || !hidden[i-1]:
			b.WriteString(maskText)
		}
	}
	return b.String()
}

// Secrets returns a Redactor for this tree. It knows every scalar of every layer that came from a Secret, also where a
// higher layer replaced it, and those under sensitive keys of the layers people write.
func (e Effective) Secrets() Redactor {
	texts, words := map[string]bool{}, sync.OnceValue(e.words)
	for _, layer := range e.layers {
		if layer.root == nil || (layer.kind != FreeForm && layer.kind != Reference) {
			continue
		}
		layer.root.leaves(nil, func(p Path, n *node) {
			scalars(p, n.value, func(p Path, value any) {
				if layer.sensitive || (sensitivePath(p) && !isWord(value, words)) {
					addForms(texts, value)
				}
			})
		})
	}
	out := make([]string, 0, len(texts))
	for text := range texts {
		out = append(out, text)
	}
	slices.Sort(out)
	return Redactor{texts: out}
}

// isWord reports whether a text under a sensitive key is a plain word of the tree, such as the «connection» of
// object_store.connection.key. Such a text is the name of a key inside a Secret, and masking it would blank the paths
// in every message.
func isWord(value any, words func() map[string]bool) bool {
	text, ok := value.(string)
	return ok && (slices.Contains(sensitiveWords(), text) || words()[text])
}

// words returns every key of every layer. Most trees have no text under a sensitive key and are never asked.
func (e Effective) words() map[string]bool {
	words := map[string]bool{}
	for _, layer := range e.layers {
		if layer.root != nil {
			layer.root.keys(words)
		}
	}
	return words
}

// addForms adds the forms in which a secret turns up in a text: as it is, line by line, quoted, and in base64, which
// charts put into Secrets.
func addForms(texts map[string]bool, value any) {
	var forms []string
	switch v := value.(type) {
	case string:
		quoted := strconv.Quote(v)
		forms = append(strings.Split(v, "\n"), v, quoted[1:len(quoted)-1], base64.StdEncoding.EncodeToString([]byte(v)))
	case float64:
		forms = []string{strconv.FormatFloat(v, 'f', -1, 64), strconv.FormatFloat(v, 'g', -1, 64)}
	}
	for _, form := range forms {
		if form = strings.TrimSpace(form); len(form) >= minSecret {
			texts[form] = true
		}
	}
}

// keys collects every key of a layer.
func (n *node) keys(into map[string]bool) {
	for key, child := range n.table {
		into[key] = true
		child.keys(into)
	}
}
