package definition_test

import (
	"errors"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/portcullis-operator/portcullis/internal/definition"
	"github.com/portcullis-operator/portcullis/internal/rules"
	"github.com/portcullis-operator/portcullis/test/invalid"
)

const header = "apiVersion: apps.gitlab.com/v2alpha1\nkind: GitLabCore\n"

const static = "  version:\n    type: Static\n    version: 10.4.1\n"

// parse decodes YAML into an object, whole numbers as int64.
func parse(tb testing.TB, text string) *unstructured.Unstructured {
	tb.Helper()
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		tb.Fatalf("decode: %v", err)
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(raw); err != nil {
		tb.Fatalf("decode: %v", err)
	}
	return u
}

func core(tb testing.TB, spec string) *unstructured.Unstructured {
	tb.Helper()
	return parse(tb, header+"metadata:\n  name: gitlab\nspec:\n"+spec)
}

func widgets(tb testing.TB) *definition.Set {
	tb.Helper()
	data, err := os.ReadFile("testdata/widget.yaml")
	if err != nil {
		tb.Fatal(err)
	}
	set, err := definition.New(data)
	if err != nil {
		tb.Fatal(err)
	}
	return set
}

func widget(tb testing.TB, spec string) *unstructured.Unstructured {
	tb.Helper()
	return parse(tb, "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: w\nspec: "+spec)
}

func failure(code rules.Code, field, message string) invalid.Fault {
	return invalid.Fault{Severity: "error", Code: string(code), Field: field, Message: message}
}

const wrongLabel = "must be empty, or letters, digits, dashes, underscores and dots that start and end with a letter or a digit"

func TestCheckOfANewObject(t *testing.T) {
	cases := map[string]struct {
		object string
		want   []invalid.Fault
	}{
		"a name that is a number is a fault at the name": {
			object: header + "metadata:\n  name: 5\nspec:\n" + static,
			want:   []invalid.Fault{failure(rules.FieldInvalid, "metadata.name", "must be a string, not a whole number: write it in quotes")},
		},
		"metadata that is a list is a fault at metadata": {
			object: header + "metadata: []\nspec:\n" + static,
			want: []invalid.Fault{
				failure(rules.FieldInvalid, "metadata", "must be a map of fields, not a list"),
				failure(rules.FieldInvalid, "metadata.name", "name or generateName is required"),
			},
		},
		"a missing spec is a fault at spec": {
			object: header + "metadata:\n  name: gitlab\n",
			want:   []invalid.Fault{failure(rules.FieldInvalid, "spec", "is required and missing")},
		},
		"a spec that is text is a fault at spec": {
			object: header + "metadata:\n  name: gitlab\nspec: all of it\n",
			want:   []invalid.Fault{failure(rules.FieldInvalid, "spec", "must be a map of fields, not a string")},
		},
		"a null counts as absent, as the API server drops it": {
			object: header + "metadata:\n  name: gitlab\nspec:\n" + static + "  hostname: null\n",
		},
		"a null inside the free-form values stays and is no fault": {
			object: header + "metadata:\n  name: gitlab\nspec:\n" + static + "  chart:\n    values:\n      a: null\n",
		},
		"a status in the file is not looked at": {
			object: header + "metadata:\n  name: gitlab\nspec:\n" + static + "status:\n  phase: Exploded\n",
		},
		"a generated name is completed before it is checked": {
			object: header + "metadata:\n  generateName: gitlab-\nspec:\n" + static,
		},
		"a generated name that gets too long is refused": {
			object: header + "metadata:\n  generateName: gitlab-of-the-platform-team-for-all-the-engineers-\nspec:\n" + static,
			want: []invalid.Fault{failure(rules.RuleViolated, "metadata.name", "must be at most 53 characters of lower-case letters, "+
				"digits and dashes, start with a letter and end with a letter or a digit: it becomes the release name and the prefix of every object")},
		},
		"labels that are wrong are named, by their value or by their key": {
			object: header + "metadata:\n  name: gitlab\n  labels: {tier: not good, team: not good, app.kubernetes.io/name: '-', 'not good': fine, 'A_/x': fine}\nspec:\n" + static,
			want: []invalid.Fault{
				failure(rules.FieldInvalid, "metadata.labels.A_/x", "the prefix of its key must be lower-case letters, digits, dashes and dots, and start and end with a letter or a digit"),
				failure(rules.FieldInvalid, "metadata.labels.app.kubernetes.io/name", wrongLabel+` (found "-")`),
				failure(rules.FieldInvalid, "metadata.labels.not good", "its key must be letters, digits, dashes, underscores and dots, and start and end with a letter or a digit"),
				failure(rules.FieldInvalid, "metadata.labels.team", wrongLabel+` (found "not good")`),
				failure(rules.FieldInvalid, "metadata.labels.tier", wrongLabel+` (found "not good")`),
			},
		},
		"a label that is too long, and annotations with a wrong key": {
			object: header + "metadata:\n  name: gitlab\n  labels: {tier: " + strings.Repeat("x", 64) + "}\n  annotations: {a/b/c: any text, '': x}\nspec:\n" + static,
			want: []invalid.Fault{
				failure(rules.FieldInvalid, "metadata.annotations.", "its key must be letters, digits, dashes, underscores and dots, and start and end with a letter or a digit"),
				failure(rules.FieldInvalid, "metadata.annotations.", "its key must not be empty"),
				failure(rules.FieldInvalid, "metadata.annotations.a/b/c", "its key must be a name, or a prefix and a name with one / between them"),
				failure(rules.FieldInvalid, "metadata.labels.tier", "must have at most 63 characters (found \""+strings.Repeat("x", 64)+"\")"),
			},
		},
		"a namespace of the wrong form is told in plain words": {
			object: header + "metadata:\n  name: gitlab\n  namespace: Prod\nspec:\n" + static,
			want:   []invalid.Fault{failure(rules.FieldInvalid, "metadata.namespace", `must be lower-case letters, digits and dashes, and start and end with a letter or a digit (found "Prod")`)},
		},
		"every fault is told, also where the API server stops before its rules": {
			object: header + "metadata:\n  name: 9\nspec:\n  version: {}\n  hostname: gitlab\n  clickhouse: 1\n",
			want: []invalid.Fault{
				failure(rules.FieldInvalid, "metadata.name", "must be a string, not a whole number: write it in quotes"),
				failure(rules.FieldInvalid, "spec.clickhouse", "must be a map of fields, not a whole number"),
				failure(rules.RuleViolated, "spec.hostname", `must be a lower-case DNS name of at least two labels, such as gitlab.example.com, `+
					`without scheme, port or path (found "gitlab")`),
				failure(rules.FieldInvalid, "spec.version.type", "is required and missing"),
			},
		},
	}
	set := ours(t)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			object := parse(t, c.object)
			before := object.DeepCopy()
			if diff := cmp.Diff(c.want, told(set.Check(object, nil))); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before.Object, object.Object); diff != "" {
				t.Errorf("the check changed its argument:\n%s", diff)
			}
		})
	}
}

func TestCheckOfAnUpdate(t *testing.T) {
	set := ours(t)
	mode := "  networking:\n    envoyGatewayController:\n      controllerName: %\n"
	controller := func(name string) string { return static + strings.ReplaceAll(mode, "%", name) }
	cases := map[string]struct {
		old, fresh     string
		wantSeverities []rules.Severity
		wantTransition bool
	}{
		"a fault in a part that did not change only warns": {
			old: static + "  hostname: gitlab\n", fresh: static + "  hostname: gitlab\n  edition: ce\n",
			wantSeverities: []rules.Severity{rules.Warning},
		},
		"a fault in a part that changed is refused although there was one before": {
			old: static + "  hostname: gitlab\n", fresh: static + "  hostname: gitlab2\n",
			wantSeverities: []rules.Severity{rules.Error},
		},
		"an immutable field that changes is a fault of the change": {
			old: controller("a.example.com/a"), fresh: controller("a.example.com/b"),
			wantSeverities: []rules.Severity{rules.Error}, wantTransition: true,
		},
		"an immutable field that is removed with its mode is none": {
			old: controller("a.example.com/a"), fresh: static,
		},
		"an immutable field that appears is none": {
			old: static, fresh: controller("a.example.com/a"),
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			faults := set.Check(core(t, c.fresh), core(t, c.old))
			var severities []rules.Severity
			for _, f := range faults {
				severities = append(severities, f.Severity)
				if f.Transition != c.wantTransition {
					t.Errorf("Transition is %v for %v", f.Transition, f)
				}
			}
			if diff := cmp.Diff(c.wantSeverities, severities); diff != "" {
				t.Errorf("severities (-want +got):\n%s\n%v", diff, faults)
			}
		})
	}
}

func TestCheckKnowsTheListAndNumberTypesOfADefinition(t *testing.T) {
	cases := map[string]struct {
		spec string
		want []invalid.Fault
	}{
		"a good one": {spec: "{size: 2, port: http, tags: [a, b], parts: [{name: a}, {name: b, weight: 0.5}]}"},
		"a text where a number of a list belongs is one fault": {spec: "{size: big}",
			want: []invalid.Fault{failure(rules.FieldInvalid, "spec.size", "must be a whole number, not a string")}},
		"a text where a number with a bound belongs is one fault": {spec: "{size: 1, parts: [{name: a, weight: light}]}",
			want: []invalid.Fault{failure(rules.FieldInvalid, "spec.parts[0].weight", "must be a number, not a string")}},
		"an enum of numbers": {spec: "{size: 3}",
			want: []invalid.Fault{failure(rules.FieldInvalid, "spec.size", "must be one of 1, 2, 4 (found 3)")}},
		"a fraction where a whole number belongs": {spec: "{size: 1.5}",
			want: []invalid.Fault{failure(rules.FieldInvalid, "spec.size", "must be a whole number, not a number with a fraction")}},
		"a null where it is allowed": {spec: "{size: 1, note: null}"},
		"a set with an item twice": {spec: "{size: 1, tags: [a, b, a]}",
			want: []invalid.Fault{failure(rules.FieldInvalid, "spec.tags[2]", `is there twice (found "a")`)}},
		"a map list with a key twice": {spec: "{size: 1, parts: [{name: a}, {name: a}]}",
			want: []invalid.Fault{failure(rules.FieldInvalid, "spec.parts[1]", `is there twice`)}},
		"a number below its bound in a list": {spec: "{size: 1, parts: [{name: a}, {name: b, weight: 0.25}]}",
			want: []invalid.Fault{failure(rules.FieldInvalid, "spec.parts[1].weight", "must be greater than or equal to 0.5 (found 0.25)")}},
	}
	set := widgets(t)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, told(set.Check(widget(t, c.spec), nil))); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDefaultFillsACopyAndIsIdempotent(t *testing.T) {
	set := widgets(t)
	u := widget(t, "{size: 1, parts: [{name: a}], extra: kept}")
	before := u.DeepCopy()
	once := set.Default(u)
	want := widget(t, "{size: 1, color: red, parts: [{name: a, weight: 1}], extra: kept}")
	if diff := cmp.Diff(want.Object, once.Object); diff != "" {
		t.Errorf("defaulted (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(once.Object, set.Default(once).Object); diff != "" {
		t.Errorf("defaulting twice changes something:\n%s", diff)
	}
	if diff := cmp.Diff(before.Object, u.Object); diff != "" {
		t.Errorf("defaulting changed its argument:\n%s", diff)
	}
}

func TestOddObjectsNeverPanic(t *testing.T) {
	deep := any("end")
	for range 20000 {
		deep = []any{deep}
	}
	odd := func(value any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "w"}, "spec": map[string]any{"size": value},
		}}
	}
	cases := map[string]struct {
		object *unstructured.Unstructured
		good   bool
	}{
		"nothing at all":                  {object: nil},
		"an empty object":                 {object: &unstructured.Unstructured{}},
		"a number no JSON can write":      {object: odd(math.NaN())},
		"a Go type no JSON can write":     {object: odd(make(chan int))},
		"a Go int, as code writes it":     {object: odd(2), good: true},
		"lists nested without end":        {object: odd(deep)},
		"a kind nobody defined":           {object: parse(t, "apiVersion: example.com/v1\nkind: Gadget\n")},
		"a version that is not served":    {object: parse(t, "apiVersion: example.com/v0\nkind: Widget\n")},
		"a kind that is a number":         {object: &unstructured.Unstructured{Object: map[string]any{"kind": 5}}},
		"metadata fields of wrong types":  {object: parse(t, "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, ownerReferences: 5, labels: 7}\nspec: {size: 1}")},
		"a size that is a list of a list": {object: odd([]any{[]any{}})},
	}
	set := widgets(t)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if faults := set.Check(c.object, c.object); (len(faults) == 0) != c.good {
				t.Errorf("faults: %v", faults)
			}
			set.Unknown(c.object)
			set.Default(c.object)
		})
	}
}

func TestNoSecretIsEverPrinted(t *testing.T) {
	const secret = "hunter2 hunter2"
	set := ours(t)
	faults := set.Check(core(t, static+`  license: {secretRef: {name: "`+secret+`", key: "`+secret+`"}}
  clickhouse: {url: "ftp://gitlab:`+strings.ReplaceAll(secret, " ", "")+`@host", database: d, username: u, passwordSecretRef: "`+secret+`"}
`), nil)
	if len(faults) != 5 {
		t.Errorf("want five faults, got %d: %v", len(faults), faults)
	}
	for _, f := range faults {
		if strings.Contains(f.Message, "hunter2") {
			t.Errorf("%s prints the secret", f.Field)
		}
	}
}

func TestTheSameObjectGivesTheSameFaults(t *testing.T) {
	set := ours(t)
	text := "  hostname: 5\n  edition: x\n  redis: {}\n  postgresql: {}\n  openbao: {}\n  license: {}\n  orbitRef: {}\n"
	first := set.Check(core(t, text), nil)
	for range 20 {
		if again := set.Check(core(t, text), nil); !reflect.DeepEqual(first, again) {
			t.Fatalf("two checks differ:\n%v\n%v", first, again)
		}
	}
}

func TestTheValueOfAFaultTellsOneValueFromAnother(t *testing.T) {
	set := ours(t)
	value := func(hostname string) string {
		return set.Check(core(t, static+"  hostname: "+hostname+"\n"), nil)[0].Value
	}
	first, again, other := value("one"), value("one"), value("two")
	if first != again || first == other || strings.Contains(first, "one") {
		t.Error("the value must be a digest that is equal for equal values alone")
	}
}

func TestNewRefusesWhatIsNoDefinition(t *testing.T) {
	if _, err := definition.New([]byte("spec: [")); err == nil {
		t.Error("broken YAML was accepted")
	}
	_, err := definition.New([]byte("spec: {versions: [{name: v1, served: true}]}"))
	if !errors.Is(err, definition.ErrNoSchema) {
		t.Errorf("want ErrNoSchema, got %v", err)
	}
}

func TestKindsNamesEveryServedVersion(t *testing.T) {
	want := []schema.GroupVersionKind{{Group: "example.com", Version: "v1", Kind: "Widget"}}
	if diff := cmp.Diff(want, widgets(t).Kinds()); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
}

func TestUnknownNamesTheNearestField(t *testing.T) {
	cases := map[string]struct {
		spec string
		want []invalid.Fault
	}{
		"one letter of four is a typing mistake": {spec: "{pert: 1, prts: 1}", want: []invalid.Fault{
			failure(rules.FieldUnknown, "spec.pert", "is not a field of Widget; did you mean port?"),
			failure(rules.FieldUnknown, "spec.prts", "is not a field of Widget; did you mean parts?"),
		}},
		"two letters of four are no typing mistake": {spec: "{noto: 1, host: 1}", want: []invalid.Fault{
			failure(rules.FieldUnknown, "spec.host", "is not a field of Widget; the fields here are color, note, parts, port, size, tags"),
			failure(rules.FieldUnknown, "spec.noto", "is not a field of Widget; did you mean note?"),
		}},
		"a letter too many":      {spec: "{size: 1, colour: red}", want: []invalid.Fault{failure(rules.FieldUnknown, "spec.colour", "is not a field of Widget; did you mean color?")}},
		"another case":           {spec: "{Size: 1}", want: []invalid.Fault{failure(rules.FieldUnknown, "spec.Size", "is not a field of Widget; did you mean size?")}},
		"deep inside a list":     {spec: "{parts: [{name: a}, {nam: b}]}", want: []invalid.Fault{failure(rules.FieldUnknown, "spec.parts[1].nam", "is not a field of Widget; did you mean name?")}},
		"nothing near":           {spec: "{zzzzzzzz: 1}", want: []invalid.Fault{failure(rules.FieldUnknown, "spec.zzzzzzzz", "is not a field of Widget; the fields here are color, note, parts, port, size, tags")}},
		"a key with odd letters": {spec: `{"a.b/c": 1}`, want: []invalid.Fault{failure(rules.FieldUnknown, "spec.a.b/c", "is not a field of Widget")}},
	}
	set := widgets(t)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, told(set.Unknown(widget(t, c.spec)))); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}
