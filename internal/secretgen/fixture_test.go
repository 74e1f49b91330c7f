package secretgen

import (
	"slices"
	"strings"
	"testing"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
)

// scene is a spec with one unit of interest and what is there of it.
type scene struct {
	spec         v2alpha1.GitLabSecretsSpec
	existing     map[string]*Existing
	ready        map[string][]string
	secret, unit string
}

func kinds() []string {
	return []string{"random", "bytes", "static", "rsa", "x509", "sshHostKey", "railsField", "certificates"}
}

// statesOf lists what may be there of a unit. The five states every unit has are absent, partial (in the forms a kind has),
// present, present but empty, and unparsable; a unit of one key has no part, and a field is filled or reported when empty.
func statesOf(kind string) []string {
	switch kind {
	case "x509", "sshHostKey":
		return []string{"absent", "only the private key", "only an empty private key", "only an unparsable private key",
			"only the public part", "only an empty public part", "present", "present but empty", "unparsable"}
	case "railsField":
		states := []string{"absent"}
		for state := range files() {
			states = append(states, state)
		}
		slices.Sort(states)
		return states
	case "certificates":
		return []string{"absent", "chain missing", "chain missing, CA empty", "chain missing, certificate empty", "chain missing, CA unparsable",
			"CA missing", "certificate missing", "private key missing", "only the CA", "only the chain", "only an empty certificate and key",
			"present", "present but empty", "unparsable"}
	}
	return []string{"absent", "present", "present but empty", "unparsable"}
}

// files are the texts of a secrets.yml by what they hold of production.f.
func files() map[string]string {
	return map[string]string{
		"file empty":                                "",
		"field absent":                              "production: {g: x}\n",
		"field null":                                "production: {f: null, g: x}\n",
		"field empty":                               "production: {f: '', g: x}\n",
		"present":                                   "production: {f: value, g: x}\n",
		"file not UTF-8":                            "production: {f: \xff}\n",
		"file unparsable":                           "production: [\n",
		"file with a second document":               "production: {f: value, g: x}\n---\na: b\n",
		"file with a duplicate key":                 "production: {f: value, g: x}\na: {b: c, b: d}\n",
		"file nested too deep":                      "production: {f: value, g: x}\na: " + strings.Repeat("[", 150) + strings.Repeat("]", 150),
		"root null":                                 "---\n",
		"root not a mapping":                        "[]\n",
		"environment null":                          "production:\n",
		"environment not a mapping":                 "production: []\n",
		"environment an alias":                      "default: &d {f: value, g: x}\nproduction: *d\n",
		"environment from a merge key":              "x: &x {production: {f: value, g: x}}\n<<: *x\n",
		"field null or empty by an alias":           "x: &x\nproduction: {f: *x, g: x}\n",
		"field null or empty by a tag":              "production: {f: !!str , g: x}\n",
		"field from a merge key":                    "x: &x {f: value}\nproduction: {<<: *x, g: x}\n",
		"field absent, file not to be written back": "production: {g: x}\n? # note\n",
		"field absent, another one by an alias":     "x: &x\nproduction: {g: *x}\n",
	}
}

// possible says whether a state can be built: a missing Secret has nothing in it.
func possible(kind, state, secret string) bool {
	if kind == "certificates" {
		// The column speaks of the Secret that lacks something; one that lacks a key and exists, or is missing.
		return secret != sMissing || !slices.Contains([]string{"present", "present but empty", "unparsable"}, state)
	}
	return secret != sMissing || state == "absent"
}

func fixture(t *testing.T, kind, state string, wasReady bool, secret string) scene {
	t.Helper()
	if kind == "certificates" {
		return setFixture(t, state, wasReady, secret)
	}
	g := generatorOf(kind)
	f := scene{secret: "s", existing: map[string]*Existing{}, ready: map[string][]string{}}
	f.spec.Secrets = []v2alpha1.SecretEntry{{Name: "s", Type: "Opaque", Generators: []v2alpha1.Generator{g}}}
	f.unit = unitsOf("s", g)[0].Name
	if wasReady {
		f.ready["s"] = []string{f.unit}
	}
	if secret == sMissing {
		return f
	}
	data := map[string][]byte{"unrelated": []byte("x")}
	switch kind {
	case "x509":
		fillPair(data, state, "tls.crt", "tls.key", rsaPair(t))
	case "sshHostKey":
		fillPair(data, state, "ssh_host_rsa_key.pub", "ssh_host_rsa_key", sshPair(t))
	case "railsField":
		if text, ok := files()[state]; ok {
			data["secrets.yml"] = []byte(text)
		}
	default:
		switch state {
		case "present":
			data["k"] = []byte("value")
		case "present but empty":
			data["k"] = nil
		case "unparsable":
			data["k"] = []byte("\x00\xff no key")
		}
	}
	f.existing["s"] = &Existing{Type: typeOf(secret, "Opaque"), Immutable: secret == sImmutable, Data: data}
	return f
}

func typeOf(secret, declared string) string {
	if secret == sOther {
		return "example.com/other"
	}
	return declared
}

func fillPair(data map[string][]byte, state, public, private string, whole [2][]byte) {
	junk := []byte("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")
	switch state {
	case "only the private key":
		data[private] = whole[1]
	case "only an empty private key":
		data[private] = nil
	case "only an unparsable private key":
		data[private] = junk
	case "only the public part":
		data[public] = whole[0]
	case "only an empty public part":
		data[public] = []byte{}
	case "present":
		data[public], data[private] = whole[0], whole[1]
	case "present but empty":
		data[public], data[private] = []byte{}, nil
	case "unparsable":
		data[public], data[private] = junk, junk
	}
}

func generatorOf(kind string) v2alpha1.Generator {
	value := "v"
	switch kind {
	case "random":
		return v2alpha1.Generator{Type: v2alpha1.GeneratorRandom, Key: "k", Charset: v2alpha1.CharsetHex, Length: 8, Persistent: true}
	case "bytes":
		return v2alpha1.Generator{Type: v2alpha1.GeneratorBytes, Key: "k", Length: 8, Persistent: true}
	case "static":
		return v2alpha1.Generator{Type: v2alpha1.GeneratorStatic, Key: "k", Value: &value, Persistent: true}
	case "rsa":
		return v2alpha1.Generator{Type: v2alpha1.GeneratorRSA, Key: "k", Bits: 1024, Persistent: true}
	case "x509":
		return v2alpha1.Generator{Type: v2alpha1.GeneratorX509, CommonName: "c", Bits: 1024, Days: 1, CertKey: "tls.crt", KeyKey: "tls.key", Persistent: true}
	case "sshHostKey":
		return v2alpha1.Generator{Type: v2alpha1.GeneratorSSHHostKeys}
	}
	return v2alpha1.Generator{Type: v2alpha1.GeneratorRailsSecrets, Key: "secrets.yml", Env: "production", Fields: []v2alpha1.RailsField{
		{Path: "f", Shape: v2alpha1.ShapeScalar, Charset: v2alpha1.CharsetHex, Length: 8},
		{Path: "g", Shape: v2alpha1.ShapeList, Charset: v2alpha1.CharsetHex, Length: 8},
	}}
}
