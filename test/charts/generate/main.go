// Command generate writes versions of a test chart as archives, and as folders when asked to.
//
//	go run ./test/charts/generate -o charts -versions 10.4.0,10.4.1
//	go run ./test/charts/generate -o charts -chart siphon
//	go run ./test/charts/generate -o layouts -tables
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/portcullis-operator/portcullis/test/charts"
)

func main() {
	out := flag.String("o", "charts", "folder to write to")
	name := flag.String("chart", charts.Name, "chart to write: "+strings.Join(names(), ", "))
	list := flag.String("versions", "", "versions to write, separated by commas; all of them when empty")
	folders := flag.Bool("folders", false, "write unpacked charts instead of archives")
	tables := flag.Bool("tables", false, "write the image layouts of a Siphon's tables, and no chart")
	definitions := flag.Bool("definitions", false, "print the definitions a routed release needs, and write no chart")
	flag.Parse()
	run := func() error { return write(*out, *name, strings.FieldsFunc(*list, isSeparator), *folders) }
	switch {
	case *definitions:
		run = printDefinitions
	case *tables:
		run = func() error { return charts.WriteTables(*out) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func printDefinitions() error {
	text, err := charts.Definitions()
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(text)
	return err
}

func isSeparator(r rune) bool { return r == ',' || r == ' ' || r == '\n' }

func names() []string {
	var out []string
	for _, c := range charts.All() {
		out = append(out, c.Name())
	}
	return out
}

func write(out, name string, versions []string, folders bool) error {
	for _, c := range charts.All() {
		if c.Name() == name {
			return writeChart(c, out, versions, folders)
		}
	}
	return fmt.Errorf("there is no test chart %q, only %s", name, strings.Join(names(), ", "))
}

func writeChart(c charts.Chart, out string, versions []string, folders bool) error {
	if !folders {
		return c.WriteArchives(out, versions...)
	}
	if len(versions) == 0 {
		versions = c.Versions()
	}
	for _, version := range versions {
		if err := c.WriteFolder(out, version); err != nil {
			return err
		}
	}
	return nil
}
