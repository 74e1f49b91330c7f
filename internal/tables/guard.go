package tables

import (
	"io"
	"net/http"
	"net/url"
	"sync/atomic"
)

// guard is the transport of one fetch: it never speaks plain HTTP unless it may, and cuts off an answer that is longer
// than what is being asked for.
type guard struct {
	inner http.RoundTripper
	plain bool
	// limit is the size of the answers that follow, in bytes.
	limit atomic.Int64
	// refused is whether plain HTTP was asked for, broken the first TLS request that failed.
	refused atomic.Bool
	broken  atomic.Pointer[url.Error]
}

// reason returns what really went wrong. The library tries a private address without TLS when TLS fails, and would then
// report what the guard said to that, not the certificate nobody trusts.
func (g *guard) reason(err error) error {
	if broken := g.broken.Load(); broken != nil && g.refused.Load() {
		return broken //nolint:wrapcheck // told puts it into words
	}
	return err
}

// RoundTrip sends the request.
func (g *guard) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Scheme != "https" && !g.plain {
		g.refused.Store(true)
		return nil, faultf(ErrUnreachable, "%s was to be asked without TLS, which is refused", request.URL.Host)
	}
	response, err := g.inner.RoundTrip(request)
	if err != nil {
		g.broken.CompareAndSwap(nil, &url.Error{Op: request.Method, Err: err})
		return nil, err //nolint:wrapcheck // a round tripper hands on the error of the one below it
	}
	response.Body = &limited{ReadCloser: response.Body, left: g.limit.Load()}
	return response, nil
}

// limited fails a body that is too long instead of cutting it, since half a manifest may be a valid one.
type limited struct {
	io.ReadCloser
	left int64
}

// Read reads on while there is budget left.
func (l *limited) Read(p []byte) (int, error) {
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.ReadCloser.Read(p)
	l.left -= int64(n)
	if l.left < 0 {
		return 0, faultf(ErrImage, "the registry sent more than it said or more than %d MiB of manifest", maxManifest>>20)
	}
	return n, err //nolint:wrapcheck // io.EOF has to stay what it is
}
