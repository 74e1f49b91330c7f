package version_test

import (
	"errors"
	"testing"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/version"
)

func TestResolve(t *testing.T) {
	static := func(v string) v2alpha1.VersionSpec {
		return v2alpha1.VersionSpec{Type: v2alpha1.VersionStatic, Version: v}
	}
	byRef := v2alpha1.VersionSpec{
		Type:       v2alpha1.VersionStatic,
		VersionRef: &v2alpha1.VersionReference{Kind: v2alpha1.VersionReferenceConfigMap, Name: "platform-versions", Key: "chartVersion"},
	}
	holding := func(text string) version.Referenced {
		return version.Referenced{Found: true, Data: map[string]string{"chartVersion": text}}
	}
	invalid := func(err error) bool { _, ok := errors.AsType[*version.InvalidError](err); return ok }
	reference := func(missing bool) func(error) bool {
		return func(err error) bool {
			e, ok := errors.AsType[*version.ReferenceError](err)
			return ok && e.Missing == missing
		}
	}

	cases := map[string]struct {
		spec       v2alpha1.VersionSpec
		referenced version.Referenced
		want       string
		wantErr    func(error) bool
	}{
		"a literal version is taken as it is":                    {spec: static("10.4.1"), want: "10.4.1"},
		"a leading v is refused":                                 {spec: static("v10.4.1"), wantErr: invalid},
		"a pre-release is allowed as a literal":                  {spec: static("10.5.0-rc.1"), want: "10.5.0-rc.1"},
		"a minor without a patch is refused":                     {spec: static("10.4"), wantErr: invalid},
		"a word is refused":                                      {spec: static("newest"), wantErr: invalid},
		"a union that names nothing is unset":                    {spec: v2alpha1.VersionSpec{Type: v2alpha1.VersionStatic}, wantErr: func(err error) bool { return errors.Is(err, version.ErrUnset) }},
		"a following type is not resolved from the spec":         {spec: v2alpha1.VersionSpec{Type: v2alpha1.VersionLatest, Major: 10}, wantErr: func(err error) bool { return errors.Is(err, version.ErrFollowing) }},
		"a referenced value is trimmed":                          {spec: byRef, referenced: holding(" 10.4.1\n"), want: "10.4.1"},
		"a referenced value that is no version is not missing":   {spec: byRef, referenced: holding("soon"), wantErr: reference(false)},
		"a ConfigMap without the key is missing":                 {spec: byRef, referenced: version.Referenced{Found: true}, wantErr: reference(true)},
		"a ConfigMap that does not exist is missing":             {spec: byRef, wantErr: reference(true)},
		"a ConfigMap nobody could look up is missing for a plan": {spec: byRef, referenced: version.Referenced{Unknown: true}, wantErr: reference(true)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := version.Resolve(tc.spec, tc.referenced)
			if got != tc.want {
				t.Errorf("resolved %q, want %q", got, tc.want)
			}
			if tc.wantErr == nil && err != nil || tc.wantErr != nil && !tc.wantErr(err) {
				t.Errorf("unexpected error: %v", err)
			}
		})
	}
}
