package invalid

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// The bounds of a GitLabSecrets as the specification states them, and the lengths its definition allows.
const (
	mostSecrets    = 128
	mostGenerators = 16
	mostFields     = 64
	longestName    = 253
	longestPath    = 128
	longestCommon  = 64
)

// LargestGitLabSecrets returns a GitLabSecrets that is right and reaches every bound at once: whoever checks it spends
// the most a check can cost.
func LargestGitLabSecrets() *unstructured.Unstructured {
	secrets := make([]any, mostSecrets)
	for i := range secrets {
		generators := []any{largestRails()}
		if i%4 > 0 {
			generators = make([]any, mostGenerators)
			for j := range generators {
				generators[j] = largestGenerator(j)
			}
		}
		secrets[i] = map[string]any{
			"name": filled(fmt.Sprintf("secret-%d-", i), longestName), "type": filled("example.com/", longestName), "generators": generators,
		}
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps.gitlab.com/v2alpha1", "kind": "GitLabSecrets",
		"metadata": map[string]any{"name": "largest"},
		"spec":     map[string]any{"secrets": secrets, "certificates": []any{largestCertificates()}},
	}}
}

func largestGenerator(i int) map[string]any {
	key := filled(fmt.Sprintf("key-%d-", i), longestName)
	switch i % 6 {
	case 0:
		return map[string]any{"type": "random", "key": key, "charset": "lowerAlphanumeric", "length": int64(4096), "encoding": "base64", "wrap": "jsonArray", "persistent": true}
	case 1:
		return map[string]any{"type": "bytes", "key": key, "length": int64(1), "encoding": "raw"}
	case 2:
		return map[string]any{"type": "static", "key": key, "value": ""}
	case 3:
		return map[string]any{"type": "rsa", "key": key, "bits": int64(8192)}
	case 4:
		return map[string]any{"type": "sshHostKeys"}
	}
	return map[string]any{
		"type": "x509", "commonName": filled("issuer-", longestCommon), "bits": int64(2048), "days": int64(106751),
		"certKey": key, "keyKey": filled(fmt.Sprintf("private-%d-", i), longestName),
	}
}

func largestRails() map[string]any {
	fields := make([]any, mostFields)
	for i := range fields {
		path := filled(fmt.Sprintf("field_%d_", i), longestPath)
		switch i % 3 {
		case 0:
			fields[i] = map[string]any{"path": path, "shape": "scalar", "charset": "alphanumeric", "length": int64(4096)}
		case 1:
			fields[i] = map[string]any{"path": path, "shape": "list", "charset": "hex", "length": int64(1)}
		default:
			fields[i] = map[string]any{"path": path, "shape": "pem", "bits": int64(8192)}
		}
	}
	return map[string]any{"type": "railsSecrets", "key": filled("secrets.yml-", longestName), "env": filled("production-", longestName), "fields": fields}
}

func largestCertificates() map[string]any {
	return map[string]any{
		"authority": map[string]any{
			"commonName": filled("ca-", longestCommon), "organization": filled("namespace-", longestCommon),
			"organizationalUnit": filled("release-", longestCommon), "algorithm": "rsa", "keySize": int64(8192),
		},
		"domain": filled("gitlab.", longestName), "caDays": int64(106751), "certDays": int64(106751),
		"tlsSecret": filled("tls-", longestName), "caSecret": filled("ca-", longestName), "chainSecret": filled("chain-", longestName),
		"caKey": filled("ca-", longestName), "chainKey": filled("chain-", longestName),
	}
}

// filled returns a text of exactly length characters that starts with start.
func filled(start string, length int) string { return start + strings.Repeat("x", length-len(start)) }
