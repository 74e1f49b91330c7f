package cli

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/portcullis-operator/portcullis/internal/values"
)

// render prints the objects of every resource in the order they are applied in, and says on standard error which of
// the rendered ones are not.
func (c *command) render(ctx context.Context) (int, error) {
	return c.explain(ctx, request{strict: true}, func(name string, seen *reviewed) error {
		if seen.objects == nil {
			say(c.Stdout, "%s: nothing was rendered\n", title(name, seen))
			return nil
		}
		say(c.Stdout, "%s (application %s), %d objects\n", title(name, seen), seen.appVersion, len(seen.objects))
		secrets := seen.effective.Secrets()
		for i, a := range seen.objects {
			if i > 0 {
				say(c.Stdout, "---\n")
			}
			if err := c.writeObject(a, secrets); err != nil {
				return err
			}
		}
		for _, sentence := range seen.leftOut {
			say(c.Stderr, "%s: %s: %s\n", c.Name, name, sentence)
		}
		return nil
	})
}

func (c *command) writeObject(a applied, secrets values.Redactor) error {
	if a.stage != "" {
		say(c.Stdout, "# %s\n", a.stage)
	}
	content := a.object.Object
	if !c.showSecrets {
		content = hidden(a.object, secrets)
	}
	text, err := yaml.Marshal(content)
	if err != nil {
		return fmt.Errorf("write %s %s: %w", a.object.GetKind(), a.object.GetName(), err)
	}
	say(c.Stdout, "%s", text)
	return nil
}

// hidden returns the object without the content of a Secret and without any text that is known to come from one.
func hidden(u *unstructured.Unstructured, secrets values.Redactor) map[string]any {
	content, _ := clean(u.Object, secrets).(map[string]any)
	// What kind an object is of is no secret, and a Secret that holds whole objects would hide it everywhere.
	content["apiVersion"], content["kind"] = u.GetAPIVersion(), u.GetKind()
	if u.GroupVersionKind().Group != "" || u.GetKind() != "Secret" {
		return content
	}
	for _, part := range []string{"data", "stringData"} {
		table, ok := content[part].(map[string]any)
		if !ok {
			continue
		}
		for key := range table {
			table[key] = maskText
		}
	}
	return content
}

func clean(value any, secrets values.Redactor) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, child := range v {
			out[key] = clean(child, secrets)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, child := range v {
			out[i] = clean(child, secrets)
		}
		return out
	case string:
		return secrets.Clean(v)
	}
	return value
}
