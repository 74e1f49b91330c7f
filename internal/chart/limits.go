package chart

// Limits bounds what one chart may cost to read. Every bound is checked while reading, so that an archive that unpacks
// to far more than it weighs is given up early.
type Limits struct {
	// Packed is the largest archive, in bytes as stored.
	Packed int64
	// Unpacked is the largest sum of all contents, in bytes, archives inside the archive included.
	Unpacked int64
	// File is the largest single file, in bytes.
	File int64
	// Files is the largest number of entries, those of archives inside the archive included.
	Files int
	// Nesting is how deep archives may lie inside archives.
	Nesting int
	// Name is the longest file name, in bytes.
	Name int
}

// DefaultLimits returns the limits of the admission contract: 64 MiB packed, 256 MiB unpacked, 8 MiB a file.
func DefaultLimits() Limits {
	return Limits{
		Packed:   64 << 20,
		Unpacked: 256 << 20,
		File:     8 << 20,
		Files:    20_000,
		Nesting:  8,
		Name:     1024,
	}
}
