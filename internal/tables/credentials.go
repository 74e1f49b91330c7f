package tables

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
)

// credentials is what a registry is shown.
type credentials struct {
	authn.Authenticator
	// registry is the host asked, given whether there is a pull Secret, found whether it has an entry for the host.
	registry     string
	given, found bool
}

// advice says what to do when the registry refuses.
func (c credentials) advice() string {
	switch {
	case !c.given:
		return "it may need a pull Secret (spec.tables.pullSecretRef), or there is no such image"
	case !c.found:
		return "the pull Secret has no entry for " + c.registry
	}
	return fmt.Sprintf("the pull Secret's entry for %s is not accepted, or there is no such image", c.registry)
}

// entry is one registry of a .dockerconfigjson. Credential helpers are not in it: they are programs and files of the
// machine the Operator runs on, and nothing of that is ever used.
type entry struct {
	Auth          string `json:"auth"`
	Username      string `json:"username"`
	Password      string `json:"password"`
	IdentityToken string `json:"identitytoken"`
	RegistryToken string `json:"registrytoken"`
}

// credentialsFor picks the entry of a .dockerconfigjson for a repository: the one with the longest matching path, as the
// kubelet does. No Secret or no entry means anonymous.
func credentialsFor(repository name.Repository, pullSecret []byte) (credentials, error) {
	c := credentials{Authenticator: authn.Anonymous, registry: repository.RegistryStr(), given: pullSecret != nil}
	if !c.given {
		return c, nil
	}
	var config struct {
		Auths map[string]entry `json:"auths"`
	}
	// The error of the decoder quotes what it found, so it is not passed on.
	if len(pullSecret) > maxPullSecret || json.Unmarshal(pullSecret, &config) != nil {
		return c, &fault{kind: ErrPullSecret}
	}
	best, bestKey := -1, ""
	for key := range config.Auths {
		score, ok := matches(key, repository)
		if ok && (score > best || score == best && key < bestKey) {
			best, bestKey = score, key
		}
	}
	if best < 0 {
		return c, nil
	}
	picked, err := config.Auths[bestKey].config()
	if err != nil {
		return c, err
	}
	c.found, c.Authenticator = true, authn.FromConfig(picked)
	return c, nil
}

// config reads an entry; auth, the two joined and encoded, wins as it does everywhere.
func (e entry) config() (authn.AuthConfig, error) {
	config := authn.AuthConfig{Username: e.Username, Password: e.Password, IdentityToken: e.IdentityToken, RegistryToken: e.RegistryToken}
	if e.Auth == "" {
		return config, nil
	}
	joined, err := base64.StdEncoding.DecodeString(e.Auth)
	if err != nil {
		joined, err = base64.RawStdEncoding.DecodeString(e.Auth)
	}
	user, password, ok := strings.Cut(strings.TrimRight(string(joined), "\x00"), ":")
	if err != nil || !ok {
		return config, &fault{kind: ErrPullSecret}
	}
	config.Username, config.Password = user, password
	return config, nil
}

// matches reports whether a key of a .dockerconfigjson (host, host/path or a URL; the host may have *) is for the
// repository, and how specific it is: a longer path wins, then a host without *.
func matches(key string, repository name.Repository) (int, bool) {
	key = strings.TrimPrefix(strings.TrimPrefix(key, "https://"), "http://")
	host, below, _ := strings.Cut(key, "/")
	below = strings.Trim(below, "/")
	switch host {
	case "docker.io", "registry-1.docker.io", name.DefaultRegistry:
		// The key docker writes for its own registry is the URL of an API, not a path.
		host, below = name.DefaultRegistry, strings.TrimPrefix(below, "v1")
	}
	if !hostMatches(host, repository.RegistryStr()) {
		return 0, false
	}
	repo := repository.RepositoryStr()
	if below != "" && repo != below && !strings.HasPrefix(repo, below+"/") {
		return 0, false
	}
	score := 2 * len(below)
	if !strings.Contains(host, "*") {
		score++
	}
	return score, true
}

// hostMatches compares label by label, so that * never stands for a dot.
func hostMatches(pattern, host string) bool {
	patterns, labels := strings.Split(pattern, "."), strings.Split(host, ".")
	if len(patterns) != len(labels) {
		return false
	}
	for i, p := range patterns {
		if ok, err := path.Match(p, labels[i]); err != nil || !ok {
			return false
		}
	}
	return true
}
