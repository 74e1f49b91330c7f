// Command retrieve-charts downloads the chart archives a list of versions names from a Helm repository, each checked
// against the digest of the repository's index and, where the list pins one, against that. It is a tool of the build; the
// operator itself does not use it.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"sigs.k8s.io/yaml"
)

const (
	chartName = "gitlab"
	// defaultRepository is the vendor's public chart repository.
	defaultRepository = "https://charts.gitlab.io"
	requestTimeout    = 30 * time.Second
	maxIndex          = 32 << 20
	maxArchive        = 64 << 20
)

var (
	// errBadArchive is an archive that is not the one the index lists.
	errBadArchive = errors.New("the archive is not the one the index lists")
	// errNotPinned is an archive the repository stands by and the list of versions does not.
	errNotPinned = errors.New("the archive is not the one the list of versions pins")
)

type retrieval struct {
	repository, versionsFile, folder string
	log                              io.Writer
}

// index is the part of a repository's index this command reads.
type index struct {
	Entries map[string][]struct {
		Version string   `json:"version"`
		URLs    []string `json:"urls"`
		Digest  string   `json:"digest"`
	} `json:"entries"`
}

func main() {
	repository := defaultRepository
	if v := os.Getenv("CHART_REPOSITORY"); v != "" {
		repository = v
	}
	r := retrieval{log: os.Stderr}
	flag.StringVar(&r.repository, "repository", repository, "chart repository; the variable CHART_REPOSITORY sets it too")
	flag.StringVar(&r.versionsFile, "versions", "CHART_VERSIONS", "file with one chart version a line, each with the digest of its archive where one is pinned")
	flag.StringVar(&r.folder, "to", "charts", "folder the archives are written to")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := r.run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "retrieve-charts:", err)
		os.Exit(1)
	}
}

// run retrieves every version and reports all that could not be.
func (r retrieval) run(ctx context.Context) error {
	versions, err := readVersions(r.versionsFile)
	if err != nil {
		return err
	}
	text, err := get(ctx, strings.TrimSuffix(r.repository, "/")+"/index.yaml", maxIndex)
	if err != nil {
		return fmt.Errorf("read the index of %s: %w", r.repository, err)
	}
	var listed index
	if err := yaml.Unmarshal(text, &listed); err != nil {
		return fmt.Errorf("read the index of %s: it is no YAML: %w", r.repository, err)
	}
	if err := os.MkdirAll(r.folder, 0o755); err != nil {
		return fmt.Errorf("make the folder: %w", err)
	}
	var failed []error
	for _, v := range versions {
		if err := r.retrieve(ctx, listed, v); err != nil {
			failed = append(failed, fmt.Errorf("chart %s %s: %w", chartName, v.version, err))
		}
	}
	return errors.Join(failed...)
}

func (r retrieval) retrieve(ctx context.Context, listed index, asked wanted) error {
	target := filepath.Join(r.folder, chartName+"-"+asked.version+".tgz")
	for _, e := range listed.Entries[chartName] {
		if e.Version != asked.version || len(e.URLs) == 0 {
			continue
		}
		if asked.digest != "" && e.Digest != asked.digest {
			return fmt.Errorf("%w: the repository lists the SHA-256 %s, not %s", errNotPinned, e.Digest, asked.digest)
		}
		if present, err := os.ReadFile(target); err == nil && digest(present) == e.Digest {
			r.say(target + " is there already")
			return nil
		}
		base, err := url.Parse(strings.TrimSuffix(r.repository, "/") + "/")
		if err != nil {
			return fmt.Errorf("read the address of the repository: %w", err)
		}
		from, err := base.Parse(e.URLs[0])
		if err != nil {
			return fmt.Errorf("read the address of the archive: %w", err)
		}
		r.say("retrieving " + from.String() + " ...")
		archive, err := get(ctx, from.String(), maxArchive)
		if err != nil {
			return err
		}
		if got := digest(archive); got != e.Digest {
			return fmt.Errorf("%w: it has the SHA-256 %s, not %s", errBadArchive, got, e.Digest)
		}
		return write(target, archive)
	}
	return fmt.Errorf("the repository %s does not list it", r.repository)
}

// say writes a line of progress. That it cannot be written changes nothing.
func (r retrieval) say(line string) { _, _ = fmt.Fprintln(r.log, line) }

func get(ctx context.Context, from string, limit int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("request %s: the server answers %s", from, resp.Status)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", from, err)
	}
	if int64(len(text)) > limit {
		return nil, fmt.Errorf("read %s: it is larger than %d bytes", from, limit)
	}
	return text, nil
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// write puts the archive in place in one step, so that an interrupted run leaves no half of one.
func write(target string, archive []byte) error {
	half := target + ".part"
	if err := os.WriteFile(half, archive, 0o644); err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	if err := os.Rename(half, target); err != nil {
		return fmt.Errorf("put the archive in place: %w", err)
	}
	return nil
}
