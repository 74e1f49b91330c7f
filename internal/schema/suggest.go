package schema

import "strings"

// nearest returns the name that was most likely meant, or nothing when none is near enough. Of equally near names the
// first one is taken.
func nearest(wrong string, names []string) string {
	best, bestDistance := "", len(wrong)/3
	for _, name := range names {
		if name == wrong {
			continue
		}
		if strings.EqualFold(name, wrong) || squeeze(name) == squeeze(wrong) {
			return name
		}
		if d := distance(wrong, name, bestDistance); d <= bestDistance && (best == "" || d < bestDistance) {
			best, bestDistance = name, d
		}
	}
	return best
}

// squeeze makes names equal that differ only in how their words are joined.
func squeeze(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "", ".", "").Replace(name))
}

// distance counts the letters to add, drop, replace or swap between two names; more than the limit is not counted out.
func distance(a, b string, limit int) int {
	if gap := len(a) - len(b); gap > limit || -gap > limit {
		return limit + 1
	}
	before, above := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, above = above, row
	}
	return above[len(b)]
}
