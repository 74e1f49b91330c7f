package crd_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPeopleFindTheAddOnsByTheirShortNames(t *testing.T) {
	type names struct {
		Short, Categories, Columns []string
		Wide                       []string
	}
	want := map[string]names{
		"Siphon": {Short: []string{"sph"}, Categories: []string{"gitlab"}, Columns: []string{"GITLAB", "STATUS", "VERSION"}, Wide: []string{"TABLES"}},
		"Orbit":  {Short: []string{"orb"}, Categories: []string{"gitlab"}, Columns: []string{"GITLAB", "SIPHON", "STATUS", "VERSION"}},
	}
	got := map[string]names{}
	for _, d := range definitions(t) {
		if _, asked := want[d.Spec.Names.Kind]; !asked {
			continue
		}
		n := names{Short: d.Spec.Names.ShortNames, Categories: d.Spec.Names.Categories}
		for _, c := range d.Spec.Versions[0].AdditionalPrinterColumns {
			if c.Priority > 0 {
				n.Wide = append(n.Wide, c.Name)
				continue
			}
			n.Columns = append(n.Columns, c.Name)
		}
		got[d.Spec.Names.Kind] = n
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names and columns (-want +got):\n%s", diff)
	}
}
