package recipe_test

import (
	"crypto/rand"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/portcullis-operator/portcullis/internal/secretgen/recipe"
)

// job makes one unit of a manifest.
type job func() error

// BenchmarkFullManifest makes every key of a full manifest: the registry's x509 pair, the Rails signing key, four keys of
// RSA 4096, a certificate set of RSA 4096 and the SSH host keys. The same keys are made by openssl and ssh-keygen in the
// same run, as processes; both sides run as many at once as there are processors, the longest first. The figure to read is
// ours/peers: below 1 is faster.
func BenchmarkFullManifest(b *testing.B) {
	program(b, "openssl")
	program(b, "ssh-keygen")
	var ours, peers time.Duration
	for b.Loop() {
		ours += together(b, manifest())
		peers += together(b, peerManifest(b.TempDir()))
	}
	b.ReportMetric(ours.Seconds()/peers.Seconds(), "ours/peers")
	b.ReportMetric(ours.Seconds()/float64(b.N), "s-ours/manifest")
	b.ReportMetric(peers.Seconds()/float64(b.N), "s-peers/manifest")
}

func together(b *testing.B, jobs []job) time.Duration {
	b.Helper()
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	start := time.Now()
	for _, j := range jobs {
		group.Go(j)
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

func manifest() []job {
	now := time.Now()
	jobs := []job{
		func() error {
			set := gitlab()
			set.Algorithm, set.KeySize = "rsa", 4096
			_, err := set.Make(rand.Reader, now)
			return err
		},
		func() error {
			_, _, err := recipe.SelfSigned{CommonName: "gitlab-issuer", Bits: 4096, Days: 3650}.Make(rand.Reader, now)
			return err
		},
	}
	for _, bits := range []int{4096, 4096, 4096, 4096, 2048} {
		jobs = append(jobs, func() error { _, err := recipe.RSAKey(rand.Reader, bits); return err })
	}
	for _, kind := range recipe.SSHKinds() {
		jobs = append(jobs, func() error { _, _, err := recipe.SSHHostKey(rand.Reader, kind); return err })
	}
	return jobs
}

// peerManifest makes the same keys and leaves the certificates out, so it does a little less.
func peerManifest(dir string) []job {
	process := func(name string, args ...string) error {
		if err := exec.Command(name, args...).Run(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
	var jobs []job
	for i, bits := range []int{4096, 4096, 4096, 4096, 4096, 4096, 4096, 2048} {
		jobs = append(jobs, func() error {
			return process("openssl", "genrsa", "-out", filepath.Join(dir, fmt.Sprint("key", i)), strconv.Itoa(bits))
		})
	}
	for kind, bits := range map[string]string{"rsa": "3072", "ecdsa": "256", "ed25519": "256"} {
		jobs = append(jobs, func() error {
			return process("ssh-keygen", "-q", "-t", kind, "-b", bits, "-N", "", "-C", "", "-f", filepath.Join(dir, kind))
		})
	}
	return jobs
}
