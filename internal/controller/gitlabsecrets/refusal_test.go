package gitlabsecrets

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestNoValueIsLeftInAMessage(t *testing.T) {
	pem := "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\nEFAASCBKcwggSjAgEAAoIBAQDA\n-----END PRIVATE KEY-----\n"
	yaml := "production:\n  db_key_base: 0123456789abcdef\n  list:\n    - \"quoted-value\"\n"
	c := change{name: "s", data: map[string][]byte{"new": []byte("drawn-characters"), "pem": []byte(pem)}}
	secret := &corev1.Secret{Data: map[string][]byte{"old": []byte("older-value"), "secrets.yml": []byte(yaml)}}
	for name, text := range map[string]string{
		"a new value":                  "denied: drawn-characters is weak",
		"an old value":                 "denied: older-value is weak",
		"a value in base64":            "denied: " + base64.StdEncoding.EncodeToString([]byte("drawn-characters")),
		"a line of a key":              "denied: MIIEvQIBADANBgkqhkiG9w0BAQ",
		"a whole key":                  "denied: " + pem,
		"a field of a secrets.yml":     "denied: db_key_base=0123456789abcdef",
		"a list item of a secrets.yml": "denied: quoted-value",
	} {
		t.Run(name, func(t *testing.T) {
			got := hide(text, c, secret)
			if !strings.HasPrefix(got, "denied: ") || !strings.Contains(got, "(hidden)") {
				t.Errorf("the message is %d characters long and hides nothing, or too much", len(got))
			}
			for _, value := range []string{"drawn-characters", "older-value", "MIIEvQ", "EFAASC", "0123456789abcdef", "quoted-value", "ZHJhd24"} {
				if strings.Contains(got, value) {
					t.Errorf("a value is left in the message")
				}
			}
		})
	}
	const said = `Secret "s" is invalid: data[tls.crt]: Required value in production, see db_key_base: and the PRIVATE key`
	if diff := cmp.Diff(said, hide(said, c, secret)); diff != "" {
		t.Errorf("words of the API server are hidden:\n%s", diff)
	}
}

func TestWhatAFailedWriteMeans(t *testing.T) {
	secrets := corev1.Resource("secrets")
	terminating := apierrors.NewForbidden(secrets, "s", errors.New("namespace is being terminated"))
	terminating.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	replacedUID := apierrors.NewInvalid(corev1.SchemeGroupVersion.WithKind("Secret").GroupKind(), "s", nil)
	replacedUID.ErrStatus.Details.Causes = []metav1.StatusCause{{Field: "metadata.uid"}}
	for name, test := range map[string]struct {
		err    error
		create bool
		want   class
	}{
		"no answer is tried again":                        {err: errors.New("connection refused"), want: broken},
		"a webhook that does not answer is tried again":   {err: apierrors.NewInternalError(errors.New("failed calling webhook")), want: broken},
		"too many requests are tried again":               {err: apierrors.NewTooManyRequests("slow down", 1), want: broken},
		"a conflict needs another look":                   {err: apierrors.NewConflict(secrets, "s", errors.New("modified")), want: outdated},
		"a Secret that came meanwhile needs another look": {err: apierrors.NewAlreadyExists(secrets, "s"), create: true, want: outdated},
		"a Secret that went meanwhile needs another look": {err: apierrors.NewNotFound(secrets, "s"), want: outdated},
		"a Secret made anew needs another look":           {err: replacedUID, want: outdated},
		"another value in the place needs another look":   {err: &takenError{secret: "s"}, want: outdated},
		"a namespace that ends takes nothing":             {err: terminating, create: true, want: ending},
		"a namespace that is gone takes nothing":          {err: apierrors.NewNotFound(corev1.Resource("namespaces"), "n"), create: true, want: ending},
		"a missing permission is a refusal":               {err: apierrors.NewForbidden(secrets, "s", errors.New("no")), want: refused},
		"an immutable field is a refusal":                 {err: apierrors.NewInvalid(corev1.SchemeGroupVersion.WithKind("Secret").GroupKind(), "s", nil), want: refused},
	} {
		t.Run(name, func(t *testing.T) {
			if got := classOf(change{create: test.create}, test.err); got != test.want {
				t.Errorf("it means %d, want %d", got, test.want)
			}
		})
	}
}
