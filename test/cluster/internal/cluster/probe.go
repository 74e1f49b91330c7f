//go:build unix

package cluster

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"time"

	"github.com/portcullis-operator/portcullis/test/cluster/internal/api"
)

// probe asks a health address on this machine. Where that has a certificate, the program made it up
// itself; nothing is sent and nothing but the status is believed, so it is not verified.
func probe(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fmt.Errorf("ask %s: %w", url, err)
	}
	resp, err := (&http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
	}}).Do(req)
	if err != nil {
		return fmt.Errorf("ask %s: %w", url, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return &api.StatusError{Call: "GET " + url, Code: resp.StatusCode, Text: resp.Status}
	}
	return nil
}
