// Package api speaks to an API server, just enough to know that a cluster is ready and to give it
// nodes and a storage class. Effect: it makes HTTP calls to 127.0.0.1. The one idea: the standard
// library is enough for that, so the test cluster needs no client library.
package api

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/portcullis-operator/portcullis/test/cluster/internal/pki"
)

// ErrStatus says that the server answered, but not with what was asked for.
var ErrStatus = errors.New("unexpected answer")

// answerLimit is far above the size of a node or a service account.
const answerLimit = 1 << 20

// Client calls one API server as its administrator.
type Client struct {
	server string
	http   *http.Client
}

// New returns a client of the server at the URL with the administrator's certificate.
func New(server string, files pki.Files) (*Client, error) {
	ca, err := os.ReadFile(files.CA)
	if err != nil {
		return nil, fmt.Errorf("read the authority of the cluster: %w", err)
	}
	pair, err := tls.LoadX509KeyPair(files.AdminCert, files.AdminKey)
	if err != nil {
		return nil, fmt.Errorf("read the administrator's certificate: %w", err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	return &Client{server: server, http: &http.Client{
		Timeout: 5 * time.Second,
		// No proxy: the server is on this machine.
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}}},
	}}, nil
}

// Get asks for path and decodes the answer into into, unless that is nil.
func (c *Client) Get(ctx context.Context, path string, into any) error {
	text, err := c.call(ctx, http.MethodGet, path, nil)
	if err != nil || into == nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("read the answer to GET %s: %w", path, err)
	}
	return nil
}

// Create posts object to path. An object that is there already is left as it is.
func (c *Client) Create(ctx context.Context, path string, object any) error {
	body, err := json.Marshal(object)
	if err != nil {
		return fmt.Errorf("encode the object for %s: %w", path, err)
	}
	_, err = c.call(ctx, http.MethodPost, path, body)
	var status *StatusError
	if errors.As(err, &status) && status.Code == http.StatusConflict {
		return nil
	}
	return err
}

// DeleteAll deletes every object below path.
func (c *Client) DeleteAll(ctx context.Context, path string) error {
	_, err := c.call(ctx, http.MethodDelete, path, nil)
	return err
}

// StatusError is an answer with a status other than success.
type StatusError struct {
	Call string
	Code int
	Text string
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%s: status %d: %s", e.Call, e.Code, e.Text)
}

func (e *StatusError) Unwrap() error { return ErrStatus }

func (c *Client) call(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.server+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, answerLimit))
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		return nil, &StatusError{Call: method + " " + path, Code: resp.StatusCode, Text: message(text)}
	}
	return text, nil
}

// message takes the sentence out of a Status object, and cuts any other text to a line's length.
func message(text []byte) string {
	var status struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(text, &status) == nil && status.Message != "" {
		return status.Message
	}
	return string(text[:min(len(text), 300)])
}
