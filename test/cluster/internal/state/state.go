// Package state is what a cluster remembers between two commands. Pure but for Load and Save. The
// one idea: only choices are remembered (ports, versions). What runs is asked of the operating
// system every time, so there is no process number that a reboot could make a lie.
package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// ErrUnreadable says that the file is not a state that this program wrote.
var ErrUnreadable = errors.New("unreadable state file")

// Ports are the ports of the cluster, all on 127.0.0.1.
type Ports struct {
	EtcdClient int `json:"etcdClient"`
	EtcdPeer   int `json:"etcdPeer"`
	APIServer  int `json:"apiServer"`
	Scheduler  int `json:"scheduler"`
}

// All lists the ports.
func (p Ports) All() []int { return []int{p.EtcdClient, p.EtcdPeer, p.APIServer, p.Scheduler} }

// State is remembered in the folder of a cluster.
type State struct {
	Versions string `json:"versions"` // key of the programs it was started with
	Ports    Ports  `json:"ports"`
}

// Encode returns the text of the state file.
func Encode(s State) ([]byte, error) {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode the state: %w", err)
	}
	return append(text, '\n'), nil
}

// Decode reads the text of a state file; it fails with ErrUnreadable on anything that Encode did
// not write, so that a damaged file is replaced and never half believed.
func Decode(text []byte) (State, error) {
	var s State
	if err := json.Unmarshal(text, &s); err != nil {
		return State{}, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	if s.Versions == "" {
		return State{}, fmt.Errorf("%w: versions is missing", ErrUnreadable)
	}
	seen := map[int]bool{}
	for _, port := range s.Ports.All() {
		if port < 1 || port > 65535 || seen[port] {
			return State{}, fmt.Errorf("%w: ports must be four different numbers from 1 to 65535, found %d", ErrUnreadable, port)
		}
		seen[port] = true
	}
	return s, nil
}

// Load reads the state at path. The error is os.ErrNotExist or ErrUnreadable where that is the cause.
func Load(path string) (State, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return State{}, fmt.Errorf("read the state of the cluster: %w", err)
	}
	s, err := Decode(text)
	if err != nil {
		return State{}, fmt.Errorf("read %s: %w", path, err)
	}
	return s, nil
}

// Save writes the state to path in one step.
func Save(path string, s State) error {
	text, err := Encode(s)
	if err != nil {
		return err
	}
	unfinished := path + ".unfinished"
	if err := os.WriteFile(unfinished, text, 0o600); err != nil {
		return fmt.Errorf("write the state of the cluster: %w", err)
	}
	if err := os.Rename(unfinished, path); err != nil {
		return fmt.Errorf("write the state of the cluster: %w", err)
	}
	return nil
}
