//go:build unix

package process

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/portcullis-operator/portcullis/test/cluster/internal/program"
)

// Found is a running program of a cluster.
type Found struct {
	PID     int
	Program string
}

// entry is a line of the process table; the words of its command line are joined with spaces.
type entry struct {
	pid     int
	command string
}

// Find returns the running programs of the cluster whose folder is given, in starting order. A
// program counts whatever version it is of, so that one left by an older checkout is found as well.
func Find(runFolder string) ([]Found, error) {
	table, err := processTable()
	if err != nil {
		return nil, err
	}
	return among(table, runFolder), nil
}

// among picks the entries that run one of the cluster's programs from a "bin" folder and name a
// path in the folder of this cluster. A reader of its logs, or another cluster, is not picked.
func among(table []entry, runFolder string) []Found {
	var found []Found
	for _, e := range table {
		binary, rest, _ := strings.Cut(e.command, " --")
		name := filepath.Base(binary)
		if !slices.Contains(program.Names(), name) || filepath.Base(filepath.Dir(binary)) != "bin" {
			continue
		}
		if strings.Contains(rest, "="+runFolder+"/") {
			found = append(found, Found{PID: e.pid, Program: name})
		}
	}
	slices.SortFunc(found, func(a, b Found) int {
		return slices.Index(program.Names(), a.Program) - slices.Index(program.Names(), b.Program)
	})
	return found
}

// processTable reads /proc where there is one and asks ps elsewhere. Dead processes that nobody has
// waited for have no command line and so do not appear.
func processTable() ([]entry, error) {
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(files) == 0 {
		return psTable()
	}
	var table []entry
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil || len(text) == 0 {
			continue // it ended meanwhile
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			continue
		}
		words := bytes.Split(bytes.TrimRight(text, "\x00"), []byte{0})
		table = append(table, entry{pid: pid, command: string(bytes.Join(words, []byte(" ")))})
	}
	return table, nil
}

func psTable() ([]entry, error) {
	out, err := exec.Command("ps", "-axww", "-o", "pid=,args=").Output()
	if err != nil {
		return nil, fmt.Errorf("list the running programs with ps: %w", err)
	}
	var table []entry
	for line := range strings.Lines(string(out)) {
		number, command, _ := strings.Cut(strings.TrimSpace(line), " ")
		if pid, err := strconv.Atoi(number); err == nil {
			table = append(table, entry{pid: pid, command: strings.TrimSpace(command)})
		}
	}
	return table, nil
}
