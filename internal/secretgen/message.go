package secretgen

import (
	"fmt"
	"strings"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/secretgen/secretsyml"
)

// What gives up a unit that was ready: one of which nothing is left, and one of which something is.
const (
	giveUp     = "To give it up, delete the GitLabSecrets: every data-bearing unit that is missing is then made anew"
	giveUpRest = "To give it up, delete %s and then the GitLabSecrets: every data-bearing unit that is missing is then made anew"
)

// kept says why a unit that was ready is not made again.
const kept = "The unit was ready before, and a fresh one would not fit the data GitLab keeps: restore it from a backup. "

func readyMissing(u Unit) (Reason, string) {
	return ReasonReadyUnitMissing, fmt.Sprintf("Secret %s lacks %s. "+kept+giveUp, u.Secret, keysOf(u.Keys))
}

func readyMissingSet(set *v2alpha1.CertificateSet) (Reason, string) {
	return ReasonReadyUnitMissing, fmt.Sprintf("No key of the certificate set is left in the Secrets %s, %s and %s. "+
		"The set was ready before, and clients trust its CA: restore the Secrets from a backup. "+giveUp, set.CASecret, set.TLSSecret, set.ChainSecret)
}

func readyMissingField(u unit, state secretsyml.FieldState) (Reason, string) {
	found := "missing"
	switch state {
	case secretsyml.Null:
		found = "null"
	case secretsyml.Empty:
		found = "empty"
	case secretsyml.Present, secretsyml.Absent, secretsyml.Foreign:
	}
	return ReasonReadyUnitMissing, fmt.Sprintf("The field %s.%s is %s in %s of Secret %s. "+kept+giveUp,
		u.generator.Env, u.field.Path, found, u.Keys[0], u.Secret)
}

// readyMissingFile is one message for all fields of a secrets.yml of which nothing is left.
func readyMissingFile(f *railsFile) (Reason, string) {
	found := "lacks"
	if f.text != nil {
		found = "has an empty"
	}
	return ReasonReadyUnitMissing, fmt.Sprintf("Secret %s %s %s. Its fields were ready before, and fresh ones would not fit the data GitLab keeps: "+
		"restore it from a backup. "+giveUp, f.secret, found, f.key)
}

func immutable(u Unit) (Reason, string) {
	return ReasonSecretImmutable, fmt.Sprintf("Secret %s is immutable and lacks %s. "+
		"Create it again with the values it has and without immutable: true; what is missing is then added", u.Secret, u.Name)
}

func immutableSet(secret string) (Reason, string) {
	return ReasonSecretImmutable, fmt.Sprintf("Secret %s is immutable and lacks its keys of the certificate set. "+
		"Create it again with the values it has and without immutable: true; what is missing is then added", secret)
}

func conflicting(what string) (Reason, string) {
	return ReasonConflictingGenerators, what + ". None of the declarations is followed: keep one of them"
}

// loneHalf is about a certificate or a .pub whose private key is missing.
func loneHalf(u unit, private, public string, wasReady bool) (Reason, string) {
	reason := ReasonCertificateWithoutKey
	if u.Kind == KindSSHHostKey {
		reason = ReasonPublicKeyWithoutPrivateKey
	}
	return reason, fmt.Sprintf("Secret %s has %s and lacks its private key %s. %s", u.Secret, public, private, remedy(private, public, wasReady))
}

func emptyKey(u unit, private, public string, wasReady bool) (Reason, string) {
	return ReasonPrivateKeyEmpty, fmt.Sprintf("Secret %s lacks %s, and the private key %s it would be derived from is empty. %s",
		u.Secret, public, private, remedy(private, private, wasReady))
}

func unreadableKey(u unit, private, public string, wasReady bool, err error) (Reason, string) {
	return ReasonPrivateKeyUnreadable, fmt.Sprintf("Secret %s lacks %s, and it cannot be derived from %s: %s. %s",
		u.Secret, public, private, cause(err), remedy(private, private, wasReady))
}

// remedy says what helps when a part remains: to restore the lost one, or to give up the rest.
func remedy(lost, remaining string, wasReady bool) string {
	if wasReady {
		return fmt.Sprintf("The unit was ready before: restore %s from a backup. "+giveUpRest, lost, remaining)
	}
	return fmt.Sprintf("Restore %s from a backup, or delete %s: the unit is then made anew", lost, remaining)
}

func partialSet(there, empty, missing []place, wasReady bool) (Reason, string) {
	text := fmt.Sprintf("The certificate set is there in part: %s; missing: %s.", listed(there), listed(missing))
	if len(empty) > 0 {
		text += fmt.Sprintf(" Present but empty, which counts as there: %s.", listed(empty))
	}
	return ReasonCertificateSetPartial, text + setRemedy(missing, wasReady)
}

func emptyCertificate(certificate, chain place, wasReady bool) (Reason, string) {
	return ReasonCertificateEmpty, fmt.Sprintf("%s is missing, and %s, which it would be made of, is empty.", chain, certificate) +
		setRemedy([]place{certificate}, wasReady)
}

func unreadableCertificate(chain place, wasReady bool, err error) (Reason, string) {
	return ReasonCertificateUnreadable, fmt.Sprintf("%s is missing and cannot be made: %s.", chain, cause(err)) + setRemedy([]place{chain}, wasReady)
}

func setRemedy(lost []place, wasReady bool) string {
	text := fmt.Sprintf(" Restore %s from a backup, or delete the three Secrets of the set", listed(lost))
	if wasReady {
		return text + " and then the GitLabSecrets: the set, and every other data-bearing unit that is missing, is then made anew"
	}
	return text + ": the set is then issued anew"
}

func heldBack(secret string) (Reason, string) {
	return ReasonSecretHeldBack, fmt.Sprintf("Secret %s is missing and is not created while another unit of it is reported: see there", secret)
}

func badFile(f *railsFile, problem *secretsyml.ProblemError) (Reason, string) {
	return Reason(problem.Reason), fmt.Sprintf("%s of Secret %s is left as it is: %s. "+
		"Correct it by hand, or restore it from a backup; missing fields are then added", f.key, f.secret, problem.Text)
}

func keysOf(keys []string) string { return strings.Join(keys, " and ") }

func listed(places []place) string {
	texts := make([]string, 0, len(places))
	for _, p := range places {
		texts = append(texts, p.String())
	}
	return strings.Join(texts, ", ")
}
