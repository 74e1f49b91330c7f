package derive

import (
	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// setSecretKey writes a reference in the chart's form, {secret, key}, each from its own half of the field.
func setSecretKey(b *values.Builder, field string, ref v2alpha1.SecretKeyRef, path ...string) {
	b.Set(field+".name", ref.Name, under(path, "secret")...)
	b.Set(field+".key", ref.Key, under(path, "key")...)
}

func under(path []string, keys ...string) []string {
	return append(append([]string{}, path...), keys...)
}

// setEdition leaves no edition to the chart: an absent one means ee, and is no value the person wrote.
func setEdition(b *values.Builder, edition v2alpha1.Edition) {
	if edition == "" {
		b.Set(operatorOwn, string(v2alpha1.EditionEE), "global", "edition")
		return
	}
	b.Set("spec.edition", string(edition), "global", "edition")
}

func setLicense(b *values.Builder, license *v2alpha1.License) {
	if license != nil {
		setSecretKey(b, "spec.license.secretRef", license.SecretRef, "global", "gitlab", "license")
	}
}

func setPostgreSQL(b *values.Builder, c *v2alpha1.Connection) {
	if c == nil {
		return
	}
	b.Set("spec.postgresql.host", c.Host, "global", "psql", "host")
	setSecretKey(b, "spec.postgresql.passwordSecretRef", c.PasswordSecretRef, "global", "psql", "password")
}

func setRedis(b *values.Builder, c *v2alpha1.Connection) {
	if c == nil {
		return
	}
	b.Set("spec.redis.host", c.Host, "global", "redis", "host")
	setSecretKey(b, "spec.redis.passwordSecretRef", c.PasswordSecretRef, "global", "redis", "auth")
}

// setObjectStorage also turns the consolidated object storage on: the connection configures nothing while it is off.
func setObjectStorage(b *values.Builder, s *v2alpha1.ObjectStorage) {
	if s == nil {
		return
	}
	b.Set("spec.objectStorage", true, "global", "appConfig", "object_store", "enabled")
	setSecretKey(b, "spec.objectStorage.connectionSecretRef", s.ConnectionSecretRef,
		"global", "appConfig", "object_store", "connection")
}

// setOpenBao turns on both GitLab's side and the bundled subchart. An administrator prepares the account and its Role,
// so the chart creates neither.
func setOpenBao(b *values.Builder, o *v2alpha1.OpenBao) {
	if o == nil {
		return
	}
	b.Set("spec.openbao", true, "global", "openbao", "enabled")
	b.Set("spec.openbao", true, "openbao", "install")
	b.Set("spec.openbao.serviceAccount.name", o.ServiceAccount.Name, "openbao", "serviceAccount", "name")
	b.Set(operatorOwn, false, "openbao", "serviceAccount", "create")
	b.Set(operatorOwn, false, "openbao", "role", "create")

	const field = "spec.openbao.postgresql"
	b.Set(field+".host", o.PostgreSQL.Host, "global", "openbao", "psql", "host")
	setSecretKey(b, field+".passwordSecretRef", o.PostgreSQL.PasswordSecretRef, "global", "openbao", "psql", "password")
	if o.PostgreSQL.Port != 0 {
		b.Set(field+".port", o.PostgreSQL.Port, "global", "openbao", "psql", "port")
	}
	if o.PostgreSQL.Database != "" {
		b.Set(field+".database", o.PostgreSQL.Database, "global", "openbao", "psql", "database")
	}
	if o.PostgreSQL.Username != "" {
		b.Set(field+".username", o.PostgreSQL.Username, "global", "openbao", "psql", "username")
	}
}
