// Package apps holds the rules of the GitLab kinds that their definitions cannot say.
//
// Floor 1, pure. What CEL can say is in the definition; here is what needs a parsed version, the version a reference
// resolves to, or what really ran. Nothing is defaulted: an absent field means what its description says, and a default
// of ours would look like something the person wrote.
package apps
