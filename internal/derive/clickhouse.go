package derive

import (
	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/values"
)

func setClickHouse(b *values.Builder, c *v2alpha1.ClickHouse) {
	if c == nil {
		return
	}
	b.Set("spec.clickhouse", true, "global", "clickhouse", "enabled")
	b.Set("spec.clickhouse.url", c.URL, "global", "clickhouse", "main", "url")
	b.Set("spec.clickhouse.database", c.Database, "global", "clickhouse", "main", "database")
	b.Set("spec.clickhouse.username", c.Username, "global", "clickhouse", "main", "username")
	setSecretKey(b, "spec.clickhouse.passwordSecretRef", c.PasswordSecretRef, "global", "clickhouse", "main", "password")
}

// ClickHouseConfigured reports whether the instance uses ClickHouse: the chart values switch it on, or say nothing and
// spec.clickhouse is there. Values that switch it off win over the field, as they do everywhere.
func ClickHouseConfigured(e values.Effective) bool {
	enabled, found := e.Lookup(values.Path{"global", "clickhouse", "enabled"})
	return found && enabled == true
}
