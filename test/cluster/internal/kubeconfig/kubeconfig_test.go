package kubeconfig

import "testing"

func TestTextHoldsEverythingInside(t *testing.T) {
	got := Text(Access{Context: "c", Server: "https://127.0.0.1:1", CA: []byte("ca"), Cert: []byte("cert"), Key: []byte("key")})
	want := `apiVersion: v1
kind: Config
current-context: c
contexts:
- name: c
  context:
    cluster: c
    user: c
clusters:
- name: c
  cluster:
    server: https://127.0.0.1:1
    certificate-authority-data: Y2E=
users:
- name: c
  user:
    client-certificate-data: Y2VydA==
    client-key-data: a2V5
`
	if got != want {
		t.Errorf("want\n%s\ngot\n%s", want, got)
	}
}
