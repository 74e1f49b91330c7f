// Command generate writes versions of the test chart as archives, and as folders when asked to.
//
//	go run ./test/charts/generate -o charts -versions 10.4.0,10.4.1
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
	list := flag.String("versions", strings.Join(charts.Versions(), ","), "versions to write, separated by commas")
	folders := flag.Bool("folders", false, "write unpacked charts instead of archives")
	definitions := flag.Bool("definitions", false, "print the definitions a routed release needs, and write no chart")
	flag.Parse()
	if *definitions {
		printDefinitions()
		return
	}
	if err := write(*out, strings.FieldsFunc(*list, isSeparator), *folders); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func printDefinitions() {
	text, err := charts.Definitions()
	if err == nil {
		_, err = os.Stdout.Write(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func isSeparator(r rune) bool { return r == ',' || r == ' ' || r == '\n' }

func write(out string, versions []string, folders bool) error {
	if !folders {
		return charts.WriteArchives(out, versions...)
	}
	for _, version := range versions {
		if err := charts.WriteFolder(out, version); err != nil {
			return err
		}
	}
	return nil
}
