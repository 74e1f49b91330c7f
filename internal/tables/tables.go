// Package tables reads the image that lists the replicated tables of a Siphon, from a registry or from a folder.
//
// Floor 2, effect. The one idea: an image is foreign input. Whoever names it or owns its registry must not be able to
// fill the memory, hold a worker, leave the image's root, or have a credential sent or told to anybody else. So every
// byte is checked against a digest, every size, number and duration has a limit, and an error is told in words of ours.
package tables

import "time"

// Content is what one image holds.
type Content struct {
	// Digest of what the reference names: of the index where the image has several platforms.
	Digest string
	// Files are the YAML files (.yaml, .yml) by their path below the root of the image. There is at least one.
	Files map[string][]byte
}

const (
	// maxDigestTime is how long one question for a digest may take.
	maxDigestTime = 20 * time.Second
	// maxReadTime is how long reading one image may take.
	maxReadTime = 2 * time.Minute
	// maxManifest is the size of a manifest or an index, in bytes.
	maxManifest = 4 << 20
	// maxLayers is the number of layers of an image.
	maxLayers = 64
	// maxCompressed is the size of all layers together as they are stored, in bytes. It leaves room for an image that was
	// built on a small distribution.
	maxCompressed = 64 << 20
	// maxUnpacked is the size of all layers together when unpacked, in bytes. They are streamed, so it limits time.
	maxUnpacked = 256 << 20
	// maxEntries is the number of files, folders and links of all layers together.
	maxEntries = 20000
	// maxNameLength is the length of one path, in bytes; maxDepth is how many folders it may have.
	maxNameLength = 1024
	maxDepth      = 32
	// maxFiles is the number of tables files. Each is an item in the pods' volume.
	maxFiles = 4096
	// maxPullSecret is the size of a .dockerconfigjson, in bytes.
	maxPullSecret = 1 << 20
)
