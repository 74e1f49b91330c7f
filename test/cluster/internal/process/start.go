//go:build unix

// Package process starts programs that outlive their starter, finds them again and stops them.
// Effect: it deals with the operating system. The one idea: a program is found by its command line
// in the process table, never by a remembered number.
package process

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/portcullis-operator/portcullis/test/cluster/internal/program"
)

// Started is a program that this process started. Exited is closed when it ends; then Err says how.
type Started struct {
	Name   string
	Log    string
	Exited chan struct{}
	Err    error
}

// Start starts the program in a session of its own, in the folder dir, with its output in logPath.
// The log of the run before is kept beside it with ".1" at its end.
func Start(s program.Spec, dir, logPath string) (*Started, error) {
	if _, err := os.Stat(logPath); err == nil {
		if err := os.Rename(logPath, logPath+".1"); err != nil {
			return nil, fmt.Errorf("put the old log of %s aside: %w", s.Name, err)
		}
	}
	logFile, err := os.OpenFile(logPath, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log of %s: %w", s.Name, err)
	}
	defer logFile.Close()
	cmd := exec.Command(s.Binary, s.Args...)
	cmd.Dir = dir
	// The user's environment stays out: cloud credentials, proxies and home-folder settings of
	// kubectl and kwok must not change what the cluster does.
	cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}
	cmd.Stdout, cmd.Stderr = logFile, logFile
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", s.Name, err)
	}
	started := &Started{Name: s.Name, Log: logPath, Exited: make(chan struct{})}
	go func() {
		started.Err = cmd.Wait()
		close(started.Exited)
	}()
	return started, nil
}
