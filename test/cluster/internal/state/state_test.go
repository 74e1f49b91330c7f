package state

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestWhatIsSavedIsLoaded(t *testing.T) {
	want := State{Versions: "k", Ports: Ports{EtcdClient: 1, EtcdPeer: 2, APIServer: 3, Scheduler: 4}}
	path := filepath.Join(t.TempDir(), "state.json")
	if err := Save(path, want); err != nil {
		t.Fatal(err)
	}
	got, err := Load(path)
	if err != nil || got != want {
		t.Errorf("want %+v, got %+v, %v", want, got, err)
	}
}

func TestDecodeRefusesWhatItDidNotWrite(t *testing.T) {
	cases := map[string]string{
		"an empty file":                   "",
		"a file cut short":                `{"versions": "k", "ports": {`,
		"a file without versions":         `{"ports": {"etcdClient":1,"etcdPeer":2,"apiServer":3,"scheduler":4}}`,
		"a file with a port missing":      `{"versions":"k","ports":{"etcdClient":1,"etcdPeer":2,"apiServer":3}}`,
		"a file with one port used twice": `{"versions":"k","ports":{"etcdClient":1,"etcdPeer":2,"apiServer":3,"scheduler":3}}`,
		"a port beyond the last":          `{"versions":"k","ports":{"etcdClient":1,"etcdPeer":2,"apiServer":3,"scheduler":65536}}`,
	}
	for sentence, text := range cases {
		t.Run(sentence, func(t *testing.T) {
			if _, err := Decode([]byte(text)); !errors.Is(err, ErrUnreadable) {
				t.Errorf("want ErrUnreadable, got %v", err)
			}
		})
	}
}

func TestAMissingFileIsToldFromADamagedOne(t *testing.T) {
	_, err := Load(filepath.Join(t.TempDir(), "none"))
	if !errors.Is(err, os.ErrNotExist) || errors.Is(err, ErrUnreadable) {
		t.Errorf("want os.ErrNotExist, got %v", err)
	}
}
