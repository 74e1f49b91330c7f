// Package secretgen decides what becomes of every value a GitLabSecrets declares: kept, generated, derived from what is
// there, or reported to a person.
//
// Floor 1, pure: no cluster, no clock, no randomness but what a Job is given. The one idea is that the decision is a value
// made from three others (what is declared, what is there, what was there once) and that it comes before any key is made:
// a value that is there is in no Write, whatever else happens.
//
//	spec ──► declared units ─┐
//	live Secrets ────────────┼─► Decide ─► Plan ─► Work ─► Made ─► Writes ─► (API server) ─► Decide again ─► Record
//	readyUnits ──────────────┘
//
// The table of all decisions is in docs/secrets.md; a test holds the two together.
package secretgen
