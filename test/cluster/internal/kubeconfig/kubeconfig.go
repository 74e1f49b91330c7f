// Package kubeconfig writes the file that kubectl and every client library read. Pure. The one
// idea: everything is inside the file, so it can be copied anywhere on the machine.
package kubeconfig

import (
	"encoding/base64"
	"fmt"
)

// Access is what a client needs to reach the API server.
type Access struct {
	Context string // name of the context, a plain word
	Server  string // URL
	CA      []byte // PEM
	Cert    []byte // PEM
	Key     []byte // PEM
}

// Text returns the kubeconfig. It holds the key: write it for its owner only.
func Text(a Access) string {
	b64 := base64.StdEncoding.EncodeToString
	return fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: %[1]s
contexts:
- name: %[1]s
  context:
    cluster: %[1]s
    user: %[1]s
clusters:
- name: %[1]s
  cluster:
    server: %[2]s
    certificate-authority-data: %[3]s
users:
- name: %[1]s
  user:
    client-certificate-data: %[4]s
    client-key-data: %[5]s
`, a.Context, a.Server, b64(a.CA), b64(a.Cert), b64(a.Key))
}
