// Package pki makes the keys and certificates of a test cluster. Effect: it writes files. The one
// idea: everything comes from one authority per cluster and is made anew, all together, when a file
// is missing or a certificate is about to end.
package pki

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// ServiceIP is the address of the "kubernetes" Service, the first of ServiceRange.
const ServiceIP = "10.96.0.1"

// ServiceRange is where the API server takes the addresses of Services from.
const ServiceRange = "10.96.0.0/16"

// Files are the paths of what Ensure makes, below one folder.
type Files struct {
	CA, CAKey                   string
	ServerCert, ServerKey       string
	ServiceAccountKey           string // signs tokens; the API server and the controller manager share it
	AdminCert, AdminKey         string
	ManagerCert, ManagerKey     string
	SchedulerCert, SchedulerKey string
}

// In returns the paths below dir.
func In(dir string) Files {
	at := func(name string) string { return filepath.Join(dir, name) }
	return Files{
		CA: at("ca.crt"), CAKey: at("ca.key"),
		ServerCert: at("apiserver.crt"), ServerKey: at("apiserver.key"),
		ServiceAccountKey: at("service-account.key"),
		AdminCert:         at("admin.crt"), AdminKey: at("admin.key"),
		ManagerCert: at("controller-manager.crt"), ManagerKey: at("controller-manager.key"),
		SchedulerCert: at("scheduler.crt"), SchedulerKey: at("scheduler.key"),
	}
}

const (
	lifetime = 10 * 365 * 24 * time.Hour
	margin   = 30 * 24 * time.Hour
)

// Ensure makes the files in dir unless a whole set that lasts is there. The API server's key is the
// last file written, so a set that was cut short is recognised as such.
func Ensure(dir string, now time.Time) (Files, error) {
	files := In(dir)
	if lasts(files, now) {
		return files, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Files{}, fmt.Errorf("make the folder for certificates: %w", err)
	}
	if err := os.Remove(files.ServerKey); err != nil && !errors.Is(err, os.ErrNotExist) {
		return Files{}, fmt.Errorf("remove the old key of the API server: %w", err)
	}
	if err := writeAll(files, now); err != nil {
		return Files{}, fmt.Errorf("make the certificates of the cluster: %w", err)
	}
	return files, nil
}

// lasts looks at the two certificates that everything hangs on; the others are made with them.
func lasts(files Files, now time.Time) bool {
	if _, err := os.Stat(files.ServerKey); err != nil {
		return false
	}
	for _, path := range []string{files.CA, files.ServerCert} {
		text, err := os.ReadFile(path)
		if err != nil {
			return false
		}
		block, _ := pem.Decode(text)
		if block == nil {
			return false
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil || now.Add(margin).After(cert.NotAfter) {
			return false
		}
	}
	return true
}

func writeAll(files Files, now time.Time) error {
	ca, err := newAuthority(now)
	if err != nil {
		return err
	}
	if err := write(files.CA, files.CAKey, ca.certPEM, ca.key); err != nil {
		return err
	}
	if err := writeServiceAccountKey(files.ServiceAccountKey); err != nil {
		return err
	}
	clients := []struct{ name, group, cert, key string }{
		{"portcullis-test-admin", "system:masters", files.AdminCert, files.AdminKey},
		{"system:kube-controller-manager", "", files.ManagerCert, files.ManagerKey},
		{"system:kube-scheduler", "", files.SchedulerCert, files.SchedulerKey},
	}
	for _, c := range clients {
		if err := ca.issue(clientTemplate(c.name, c.group, now), c.cert, c.key); err != nil {
			return err
		}
	}
	return ca.issue(serverTemplate(now), files.ServerCert, files.ServerKey)
}
