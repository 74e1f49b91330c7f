package api

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestCreateLeavesAnObjectThatIsThere(t *testing.T) {
	cases := map[string]struct {
		code    int
		body    string
		wantErr error
	}{
		"a new object is created":         {http.StatusCreated, `{}`, nil},
		"one that is there is no failure": {http.StatusConflict, `{"message":"already exists"}`, nil},
		"a refusal is a failure":          {http.StatusForbidden, `{"message":"not you"}`, ErrStatus},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.code)
				_, _ = w.Write([]byte(c.body))
			}))
			defer server.Close()
			client := &Client{server: server.URL, http: server.Client()}
			if err := client.Create(t.Context(), NodesPath, Node("n")); !errors.Is(err, c.wantErr) {
				t.Errorf("want %v, got %v", c.wantErr, err)
			}
		})
	}
}

func TestAFailureCarriesTheServersSentence(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"message":"etcd is slow"}`, http.StatusInternalServerError)
	}))
	defer server.Close()
	client := &Client{server: server.URL, http: server.Client()}
	var status *StatusError
	if err := client.Get(t.Context(), "/readyz", nil); !errors.As(err, &status) || status.Text != "etcd is slow" {
		t.Errorf("got %v", err)
	}
}
