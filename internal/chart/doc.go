// Package chart is the shelf of Helm charts: it knows which charts are at hand, by name and version, and opens them.
//
// Floor 1, pure: it reads an fs.FS it is given, and nothing else. Charts stay packed in memory and are never unpacked to
// a disk. A Helm chart object is spent by one render (dependency processing deletes parts of it and templates write into
// its values), so every call of Chart.Helm loads a fresh one; what is shared is the packed bytes.
//
// The identity of a chart is the digest of its file set: names and contents, in name order. A folder and an archive with
// the same files have the same digest, whatever the order, the times or the compression of the archive.
package chart
