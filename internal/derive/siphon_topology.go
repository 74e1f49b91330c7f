package derive

import "github.com/portcullis-operator/portcullis/api/apps/v2alpha1"

// The topology of a Siphon is fixed: one producer, one consumer, one reconciler. Their names have underscores only, since
// the replication slot is named after the producer and a hyphen is no part of a slot's name.
const (
	producerID   = "siphon_producer_main"
	consumerID   = "siphon_consumer_clickhouse"
	reconcilerID = "siphon_reconciler_clickhouse"
	// sourceKey is the one database; GitLab's schema is split three ways, and the two others are mapped to it.
	sourceKey = "main"
)

const (
	// Publication is the publication in PostgreSQL, which has the name of the producer. An administrator creates it.
	Publication = producerID
	// ReplicationSlot is the slot the producer holds in PostgreSQL. It outlives the Siphon.
	ReplicationSlot = producerID + "_slot"
	// StreamName is the NATS stream a Siphon publishes to. Orbit's code indexing looks for this name.
	StreamName = "siphon_stream_main_db"
)

// oversizeBucket is the NATS object store for rows too large for the stream.
const oversizeBucket = "siphon_oversize_bucket"

// SiphonImageTag is the image a Siphon runs, unless its values name another one. The chart has no application version,
// so nothing else says which image belongs to it; this is the one the chart 1.18.0 is documented with.
const SiphonImageTag = "0.0.124-beta"

// tablesRepository holds the lists of replicated tables, one tag for each GitLab version.
const tablesRepository = "registry.gitlab.com/gitlab-org/gitlab/gitlab-siphon-tables"

// SiphonDeployments returns the names of the three Deployments of a Siphon, which are also their keys in the values.
func SiphonDeployments(name string) (producer, consumer, reconciler string) {
	return name + "-siphon-producer-main", name + "-siphon-consumer-clickhouse", name + "-siphon-reconciler-clickhouse"
}

// SiphonTablesConfigMap returns the name of the ConfigMap that holds the tables of a Siphon.
func SiphonTablesConfigMap(name string) string { return name + "-siphon-tables" }

// SiphonTablesSource returns how the tables reach the pods, never Auto: Auto means ConfigMap, since nothing tells whether
// the nodes can mount an image.
func SiphonTablesSource(spec v2alpha1.SiphonSpec) v2alpha1.TablesSource {
	if spec.Tables != nil && spec.Tables.Source == v2alpha1.TablesSourceImageVolume {
		return v2alpha1.TablesSourceImageVolume
	}
	return v2alpha1.TablesSourceConfigMap
}

// SiphonTablesImage returns the image with the tables: the one of spec.tables.image, else that of the version of the
// instance, such as 19.2.1. It is empty while neither is known.
func SiphonTablesImage(spec v2alpha1.SiphonSpec, gitlabVersion string) string {
	switch {
	case spec.Tables != nil && spec.Tables.Image != "":
		return spec.Tables.Image
	case gitlabVersion != "":
		return tablesRepository + ":" + imageTag(gitlabVersion)
	}
	return ""
}

// imageTag is what GitLab's own images of a version are tagged with: v19.2.2-ee for 19.2.2.
func imageTag(gitlabVersion string) string { return "v" + gitlabVersion + "-ee" }
