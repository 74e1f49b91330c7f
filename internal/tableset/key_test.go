package tableset_test

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/portcullis-operator/portcullis/internal/tableset"
)

func TestKey(t *testing.T) {
	for name, c := range map[string]struct{ path, want string }{
		"a plain name stays":                        {"users.yaml", "users.yaml"},
		"an underscore between letters stays":       {"merge_requests.yaml", "merge_requests.yaml"},
		"a slash is two underscores":                {"main/users.yaml", "main__users.yaml"},
		"an underscore beside a slash is spelled":   {"main/_users.yaml", "main_____5Fusers.yaml"},
		"two underscores are not taken for a slash": {"main__users.yaml", "main___5F___5Fusers.yaml"},
		"a blank is spelled":                        {"a b.yaml", "a___20b.yaml"},
		"other scripts are spelled byte by byte":    {"é.yaml", "___C3___A9.yaml"},
		"a hidden file keeps its dot":               {".users.yaml", ".users.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tableset.Key(c.path)
			if err != nil || got != c.want {
				t.Fatalf("Key = %q, %v, want %q", got, err, c.want)
			}
			if path, ok := tableset.Path(got); !ok || path != c.path {
				t.Errorf("Path = %q, %v, want %q", path, ok, c.path)
			}
		})
	}
}

func TestPathsNoVolumeCanRestoreHaveNoKey(t *testing.T) {
	for _, path := range []string{"", ".", "/a", "a/", "a//b", "../a", "a/../b", "..a", "\xff", strings.Repeat("a", 254)} {
		_, err := tableset.Key(path)
		var pathError *tableset.PathError
		if !errors.As(err, &pathError) || pathError.Path != path {
			t.Errorf("%q: want a PathError, got %v", path, err)
		}
	}
}

func TestKeysOfOthersHaveNoPath(t *testing.T) {
	for _, key := range []string{"", "__a", "a__", "a____b", "a___", "a___2", "a___zz", "a___61", "a___5fb", ".."} {
		if path, ok := tableset.Path(key); ok {
			t.Errorf("%q stands for %q", key, path)
		}
	}
}

func FuzzKeyAndPathAreInverse(f *testing.F) {
	for _, seed := range []string{"users.yaml", "a/_b", "a__b", "_", "__", "a_/b", "é_x", "a___2Fb", "..a", "a____b", "_5F/5F"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if key, err := tableset.Key(text); err == nil {
			if faults := validation.IsConfigMapKey(key); len(faults) > 0 {
				t.Fatalf("%q gives the key %q: %v", text, key, faults)
			}
			if path, ok := tableset.Path(key); !ok || path != text {
				t.Fatalf("%q gives the key %q, which gives %q, %v", text, key, path, ok)
			}
		}
		if path, ok := tableset.Path(text); ok {
			if key, err := tableset.Key(path); err != nil || key != text {
				t.Fatalf("the key %q gives %q, which gives %q, %v", text, path, key, err)
			}
		}
	})
}
