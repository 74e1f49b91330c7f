package chart

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// Catalogue is the set of charts at hand. It is immutable and may be shared by any number of goroutines.
type Catalogue struct {
	charts map[string][]shelved // by chart name, versions ascending
}

type shelved struct {
	version *semver.Version
	entry   string
	chart   *Chart
}

// OpenCatalogue reads every chart folder and every *.tgz that lies directly in fsys. Other files, hidden entries and
// folders without a Chart.yaml are passed over. An entry that cannot be used is a Problem and does not keep the others
// from being used. A chart version that is there twice with different content is a Problem too: the entry that comes
// first by name is used.
func OpenCatalogue(fsys fs.FS, limits Limits) (*Catalogue, []Problem) {
	catalogue := &Catalogue{charts: map[string][]shelved{}}
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return catalogue, []Problem{{Sentence: fmt.Sprintf("the folder of charts cannot be read: %v", err), Cause: ErrUnreadable}}
	}
	var problems []Problem
	for _, entry := range entries {
		c, err := openEntry(fsys, entry.Name(), limits)
		if err == nil && c != nil {
			err = catalogue.add(entry.Name(), c)
		}
		if err != nil {
			problems = append(problems, *in(entry.Name(), err))
		}
	}
	return catalogue, problems
}

// openEntry returns nil for an entry that is no chart. Entries may be links, as mounted volumes make them; what lies
// inside a chart may not.
func openEntry(fsys fs.FS, name string, limits Limits) (*Chart, error) {
	if strings.HasPrefix(name, ".") {
		return nil, nil
	}
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, problem(ErrUnreadable, "it cannot be read: %v", err)
	}
	switch {
	case info.IsDir():
		return openFolder(fsys, name, limits)
	case path.Ext(name) != ".tgz":
		return nil, nil
	case !info.Mode().IsRegular():
		return nil, problem(ErrNoFile, "it is no regular file")
	case info.Size() > limits.Packed:
		return nil, problem(ErrTooLarge, "it is larger than %d MiB", limits.Packed>>20)
	}
	packed, err := readLimited(fsys, name, limits.Packed)
	if err != nil {
		return nil, err
	}
	return fromArchive(packed, limits)
}

func openFolder(fsys fs.FS, name string, limits Limits) (*Chart, error) {
	folder, err := fs.Sub(fsys, name)
	if err != nil {
		return nil, problem(ErrUnreadable, "it cannot be read: %v", err)
	}
	if _, err := fs.Stat(folder, "Chart.yaml"); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	files, err := readFolder(folder, newBudget(limits))
	if err != nil {
		return nil, err
	}
	c, err := describe(files, limits)
	if err != nil {
		return nil, err
	}
	if c.packed, err = pack(files); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *Catalogue) add(entry string, opened *Chart) error {
	version, err := semver.NewVersion(opened.Ref.Version)
	if err != nil {
		return problem(ErrUnreadable, "its version %q is no semantic version", opened.Ref.Version)
	}
	shelf := c.charts[opened.Ref.Name]
	for _, other := range shelf {
		if !sameVersion(other.version, version) {
			continue
		}
		if other.chart.Digest == opened.Digest {
			return nil
		}
		return problem(ErrDuplicate, "chart %s is in %s as well, with other content; this one is not used", opened.Ref, other.entry)
	}
	shelf = append(shelf, shelved{version: version, entry: entry, chart: opened})
	slices.SortFunc(shelf, func(a, b shelved) int {
		return cmp.Or(a.version.Compare(b.version), cmp.Compare(a.version.Metadata(), b.version.Metadata()))
	})
	c.charts[opened.Ref.Name] = shelf
	return nil
}

// sameVersion also tells build metadata apart, which the order of versions does not.
func sameVersion(a, b *semver.Version) bool { return a.String() == b.String() }

// Open returns the chart of that name and version; a leading v of the version does not matter. The error is a
// *NotFoundError.
func (c *Catalogue) Open(ref Ref) (*Chart, error) {
	shelf := c.charts[ref.Name]
	wanted, err := semver.NewVersion(ref.Version)
	if err == nil {
		for _, s := range shelf {
			if sameVersion(s.version, wanted) {
				return s.chart, nil
			}
		}
	}
	missing := &NotFoundError{Ref: ref, Available: nearest(shelf, wanted)}
	if len(shelf) == 0 {
		missing.Names = c.Names()
	}
	return nil, missing
}

// nearest orders versions by how far they are from the wanted one, newer before older at the same distance; newest
// first when the wanted one is no version. How far two minors or patches are apart counts only within one major or minor:
// of another minor its newest patch is what somebody wants.
func nearest(shelf []shelved, wanted *semver.Version) []string {
	sorted := slices.Clone(shelf)
	slices.Reverse(sorted)
	if wanted != nil {
		slices.SortStableFunc(sorted, func(a, b shelved) int {
			return slices.Compare(distance(a.version, wanted), distance(b.version, wanted))
		})
	}
	return versionsOf(sorted)
}

func distance(v, wanted *semver.Version) []uint64 {
	major, minor, patch := gap(v.Major(), wanted.Major()), gap(v.Minor(), wanted.Minor()), gap(v.Patch(), wanted.Patch())
	switch {
	case major != 0:
		return []uint64{major}
	case minor != 0:
		return []uint64{0, minor}
	default:
		return []uint64{0, 0, patch}
	}
}

func gap(a, b uint64) uint64 { return max(a, b) - min(a, b) }

// Versions returns the versions of a chart, ascending; none when no chart has that name.
func (c *Catalogue) Versions(name string) []string { return versionsOf(c.charts[name]) }

func versionsOf(shelf []shelved) []string {
	out := make([]string, len(shelf))
	for i, s := range shelf {
		out[i] = s.chart.Ref.Version
	}
	return out
}

// Names returns the names of the charts at hand, sorted.
func (c *Catalogue) Names() []string {
	names := make([]string, 0, len(c.charts))
	for name := range c.charts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Refs returns every chart at hand, by name and then by version.
func (c *Catalogue) Refs() []Ref {
	var refs []Ref
	for _, name := range c.Names() {
		for _, s := range c.charts[name] {
			refs = append(refs, s.chart.Ref)
		}
	}
	return refs
}
