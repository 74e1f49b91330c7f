package secretgen

// Reason names why a unit is reported. What is wrong with a secrets.yml as a file has the reasons of package secretsyml.
type Reason string

// The reasons of reports.
const (
	// ReasonReadyUnitMissing says that a data-bearing unit was ready and is missing now. A fresh one would lose data
	// without a sign, so only a backup, or a person's decision to start afresh, helps.
	ReasonReadyUnitMissing Reason = "ReadyUnitMissing"
	// ReasonSecretImmutable says that the Secret is immutable and lacks the unit.
	ReasonSecretImmutable Reason = "SecretImmutable"
	// ReasonConflictingGenerators says that two different declarations claim one key; neither is followed.
	ReasonConflictingGenerators Reason = "ConflictingGenerators"
	// ReasonCertificateWithoutKey says that an x509 certificate is there and its private key is not.
	ReasonCertificateWithoutKey Reason = "CertificateWithoutKey"
	// ReasonPublicKeyWithoutPrivateKey says that the .pub of an SSH host key is there and its private key is not.
	ReasonPublicKeyWithoutPrivateKey Reason = "PublicKeyWithoutPrivateKey"
	// ReasonPrivateKeyEmpty says that a part is missing that would be derived from a private key that is empty.
	ReasonPrivateKeyEmpty Reason = "PrivateKeyEmpty"
	// ReasonPrivateKeyUnreadable says that a part is missing that would be derived from a private key that cannot be read.
	ReasonPrivateKeyUnreadable Reason = "PrivateKeyUnreadable"
	// ReasonCertificateSetPartial says that some keys of a certificate set are there and more than the chain is missing.
	ReasonCertificateSetPartial Reason = "CertificateSetPartial"
	// ReasonCertificateEmpty says that the chain is missing and a certificate it would be made of is empty.
	ReasonCertificateEmpty Reason = "CertificateEmpty"
	// ReasonCertificateUnreadable says that the chain is missing and a certificate it would be made of cannot be read.
	ReasonCertificateUnreadable Reason = "CertificateUnreadable"
	// ReasonSecretHeldBack says that the Secret is missing and is not created, since another unit of it is reported.
	ReasonSecretHeldBack Reason = "SecretHeldBack"
)
