package v2alpha1

// GeneratorType names a recipe.
//
// +kubebuilder:validation:Enum=random;bytes;static;rsa;x509;sshHostKeys;railsSecrets
type GeneratorType string

// The generator types.
const (
	// GeneratorRandom draws Length characters of a Charset.
	GeneratorRandom GeneratorType = "random"
	// GeneratorBytes draws Length bytes.
	GeneratorBytes GeneratorType = "bytes"
	// GeneratorStatic writes Value as it is.
	GeneratorStatic GeneratorType = "static"
	// GeneratorRSA makes an RSA private key of Bits in PKCS#8 PEM.
	GeneratorRSA GeneratorType = "rsa"
	// GeneratorX509 makes an RSA key of Bits and a certificate signed by itself.
	GeneratorX509 GeneratorType = "x509"
	// GeneratorSSHHostKeys makes the three SSH host key pairs.
	GeneratorSSHHostKeys GeneratorType = "sshHostKeys"
	// GeneratorRailsSecrets fills the fields of a secrets.yml.
	GeneratorRailsSecrets GeneratorType = "railsSecrets"
)

// Charset names the characters a random value is drawn from.
//
// +kubebuilder:validation:Enum=alphanumeric;hex;lowerAlphanumeric
type Charset string

// The character sets.
const (
	// CharsetAlphanumeric is a-z, A-Z and 0-9.
	CharsetAlphanumeric Charset = "alphanumeric"
	// CharsetHex is a-f and 0-9.
	CharsetHex Charset = "hex"
	// CharsetLowerAlphanumeric is a-z and 0-9.
	CharsetLowerAlphanumeric Charset = "lowerAlphanumeric"
)

// Encoding says how a drawn value is written.
//
// +kubebuilder:validation:Enum=none;base64;raw
type Encoding string

// The encodings.
const (
	// EncodingNone writes the drawn characters. It is what random means without an encoding.
	EncodingNone Encoding = "none"
	// EncodingBase64 writes standard base64 on one line, without a newline at its end.
	EncodingBase64 Encoding = "base64"
	// EncodingRaw writes the drawn bytes. It is what bytes means without an encoding.
	EncodingRaw Encoding = "raw"
)

// Wrap says what is put around an encoded value.
//
// +kubebuilder:validation:Enum=none;jsonArray
type Wrap string

// The wraps.
const (
	// WrapNone puts nothing around the value.
	WrapNone Wrap = "none"
	// WrapJSONArray makes the value the only string of a JSON array.
	WrapJSONArray Wrap = "jsonArray"
)

// Generator makes one key of a Secret, or the keys of one unit. Which fields belong to it depends on its type.
//
// +kubebuilder:validation:XValidation:rule="!(self.type in ['random', 'bytes', 'static', 'rsa', 'railsSecrets']) || has(self.key)",fieldPath=".key",reason=FieldValueRequired,messageExpression="'type ' + self.type + ' needs a key to store the value under'",message="this type needs a key to store the value under"
// +kubebuilder:validation:XValidation:rule="!(self.type in ['x509', 'sshHostKeys']) || !has(self.key)",fieldPath=".key",messageExpression="'key belongs to the types random, bytes, static, rsa and railsSecrets: remove it, or change type ' + self.type",message="key belongs to the types random, bytes, static, rsa and railsSecrets"
// +kubebuilder:validation:XValidation:rule="self.type != 'random' || has(self.charset)",fieldPath=".charset",reason=FieldValueRequired,message="type random needs a charset: alphanumeric, hex or lowerAlphanumeric"
// +kubebuilder:validation:XValidation:rule="!(self.type in ['bytes', 'static', 'rsa', 'x509', 'sshHostKeys', 'railsSecrets']) || !has(self.charset)",fieldPath=".charset",messageExpression="'charset belongs to type random: remove it, or change type ' + self.type",message="charset belongs to type random"
// +kubebuilder:validation:XValidation:rule="!(self.type in ['random', 'bytes']) || has(self.length)",fieldPath=".length",reason=FieldValueRequired,messageExpression="'type ' + self.type + ' needs a length from 1 to 4096'",message="this type needs a length from 1 to 4096"
// +kubebuilder:validation:XValidation:rule="!(self.type in ['static', 'rsa', 'x509', 'sshHostKeys', 'railsSecrets']) || !has(self.length)",fieldPath=".length",messageExpression="'length belongs to the types random and bytes: remove it, or change type ' + self.type",message="length belongs to the types random and bytes"
// +kubebuilder:validation:XValidation:rule="!(self.type in ['static', 'rsa', 'x509', 'sshHostKeys', 'railsSecrets']) || !has(self.encoding)",fieldPath=".encoding",messageExpression="'encoding belongs to the types random and bytes: remove it, or change type ' + self.type",message="encoding belongs to the types random and bytes"
// +kubebuilder:validation:XValidation:rule="!(self.type in ['bytes', 'static', 'rsa', 'x509', 'sshHostKeys', 'railsSecrets']) || !has(self.wrap)",fieldPath=".wrap",messageExpression="'wrap belongs to type random: remove it, or change type ' + self.type",message="wrap belongs to type random"
// +kubebuilder:validation:XValidation:rule="self.type != 'static' || has(self.value)",fieldPath=".value",reason=FieldValueRequired,message="type static needs a value; write value: \"\" for an empty one"
// +kubebuilder:validation:XValidation:rule="!(self.type in ['random', 'bytes', 'rsa', 'x509', 'sshHostKeys', 'railsSecrets']) || !has(self.value)",fieldPath=".value",messageExpression="'value belongs to type static: remove it, or change type ' + self.type",message="value belongs to type static"
// +kubebuilder:validation:XValidation:rule="!(self.type in ['rsa', 'x509']) || has(self.bits)",fieldPath=".bits",reason=FieldValueRequired,messageExpression="'type ' + self.type + ' needs bits: an even number from 2048 to 8192'",message="this type needs bits: an even number from 2048 to 8192"
// +kubebuilder:validation:XValidation:rule="!(self.type in ['random', 'bytes', 'static', 'sshHostKeys', 'railsSecrets']) || !has(self.bits)",fieldPath=".bits",messageExpression="'bits belong to the types rsa and x509: remove them, or change type ' + self.type",message="bits belong to the types rsa and x509"
// +kubebuilder:validation:XValidation:rule="self.type != 'x509' || has(self.commonName)",fieldPath=".commonName",reason=FieldValueRequired,message="type x509 needs a commonName of 1 to 64 characters"
// +kubebuilder:validation:XValidation:rule="!(self.type in ['random', 'bytes', 'static', 'rsa', 'sshHostKeys', 'railsSecrets']) || !has(self.commonName)",fieldPath=".commonName",messageExpression="'commonName belongs to type x509: remove it, or change type ' + self.type",message="commonName belongs to type x509"
// +kubebuilder:validation:XValidation:rule="self.type != 'x509' || has(self.days)",fieldPath=".days",reason=FieldValueRequired,message="type x509 needs days: how long the certificate is valid, from 1 to 106751"
// +kubebuilder:validation:XValidation:rule="!(self.type in ['random', 'bytes', 'static', 'rsa', 'sshHostKeys', 'railsSecrets']) || !has(self.days)",fieldPath=".days",messageExpression="'days belong to type x509: remove them, or change type ' + self.type",message="days belong to type x509"
// +kubebuilder:validation:XValidation:rule="self.type != 'x509' || has(self.certKey)",fieldPath=".certKey",reason=FieldValueRequired,message="type x509 needs a certKey to store the certificate under"
// +kubebuilder:validation:XValidation:rule="!(self.type in ['random', 'bytes', 'static', 'rsa', 'sshHostKeys', 'railsSecrets']) || !has(self.certKey)",fieldPath=".certKey",messageExpression="'certKey belongs to type x509: remove it, or change type ' + self.type",message="certKey belongs to type x509"
// +kubebuilder:validation:XValidation:rule="self.type != 'x509' || has(self.keyKey)",fieldPath=".keyKey",reason=FieldValueRequired,message="type x509 needs a keyKey to store the private key under"
// +kubebuilder:validation:XValidation:rule="!(self.type in ['random', 'bytes', 'static', 'rsa', 'sshHostKeys', 'railsSecrets']) || !has(self.keyKey)",fieldPath=".keyKey",messageExpression="'keyKey belongs to type x509: remove it, or change type ' + self.type",message="keyKey belongs to type x509"
// +kubebuilder:validation:XValidation:rule="self.type != 'railsSecrets' || has(self.env)",fieldPath=".env",reason=FieldValueRequired,message="type railsSecrets needs an env: the environment its fields stand under, such as production"
// +kubebuilder:validation:XValidation:rule="!(self.type in ['random', 'bytes', 'static', 'rsa', 'x509', 'sshHostKeys']) || !has(self.env)",fieldPath=".env",messageExpression="'env belongs to type railsSecrets: remove it, or change type ' + self.type",message="env belongs to type railsSecrets"
// +kubebuilder:validation:XValidation:rule="self.type != 'railsSecrets' || has(self.fields)",fieldPath=".fields",reason=FieldValueRequired,message="type railsSecrets needs fields to fill"
// +kubebuilder:validation:XValidation:rule="!(self.type in ['random', 'bytes', 'static', 'rsa', 'x509', 'sshHostKeys']) || !has(self.fields)",fieldPath=".fields",messageExpression="'fields belong to type railsSecrets: remove them, or change type ' + self.type",message="fields belong to type railsSecrets"
// +kubebuilder:validation:XValidation:rule="self.type != 'random' || !has(self.encoding) || self.encoding != 'raw'",fieldPath=".encoding",message="type random takes encoding none or base64: it draws characters"
// +kubebuilder:validation:XValidation:rule="self.type != 'bytes' || !has(self.encoding) || self.encoding != 'none'",fieldPath=".encoding",message="type bytes takes encoding raw or base64: it draws bytes"
// +kubebuilder:validation:XValidation:rule="!has(self.certKey) || !has(self.keyKey) || self.certKey != self.keyKey",fieldPath=".keyKey",message="must differ from certKey: one of the two would overwrite the other"
// +kubebuilder:validation:XValidation:rule="!has(self.key) || self.key.matches('^[.]?[-_a-zA-Z0-9][-._a-zA-Z0-9]*$')",fieldPath=".key",message="must be a key of a Secret: letters, digits, dashes, underscores and dots, and not . or .. or something that starts with .."
// +kubebuilder:validation:XValidation:rule="!has(self.certKey) || self.certKey.matches('^[.]?[-_a-zA-Z0-9][-._a-zA-Z0-9]*$')",fieldPath=".certKey",message="must be a key of a Secret: letters, digits, dashes, underscores and dots, and not . or .. or something that starts with .."
// +kubebuilder:validation:XValidation:rule="!has(self.keyKey) || self.keyKey.matches('^[.]?[-_a-zA-Z0-9][-._a-zA-Z0-9]*$')",fieldPath=".keyKey",message="must be a key of a Secret: letters, digits, dashes, underscores and dots, and not . or .. or something that starts with .."
// +kubebuilder:validation:XValidation:rule="!has(self.env) || !self.env.contains('.')",fieldPath=".env",message="must not hold a dot: the environment is one key of the file, not a path"
// +kubebuilder:validation:XValidation:rule="!has(self.bits) || self.bits % 2 == 0",fieldPath=".bits",message="must be an even number of bits"
type Generator struct {
	// Type selects the recipe.
	Type GeneratorType `json:"type"`
	// Key the value is stored under; of random, bytes, static, rsa and railsSecrets.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	Key string `json:"key,omitempty"`
	// Persistent says that the value is kept by a database or a server as well: once it was ready, a missing one is
	// reported, since a fresh one would not fit.
	// +optional
	Persistent bool `json:"persistent,omitempty"`
	// Charset of random.
	// +optional
	Charset Charset `json:"charset,omitempty"`
	// Length of random in characters, of bytes in bytes.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4096
	// +optional
	Length int32 `json:"length,omitempty"`
	// Encoding of random (none, base64) and bytes (raw, base64).
	// +optional
	Encoding Encoding `json:"encoding,omitempty"`
	// Wrap of random.
	// +optional
	Wrap Wrap `json:"wrap,omitempty"`
	// Value of static; it may be empty.
	// +kubebuilder:validation:MaxLength=65536
	// +optional
	Value *string `json:"value,omitempty"`
	// Bits of rsa and x509.
	// +kubebuilder:validation:Minimum=2048
	// +kubebuilder:validation:Maximum=8192
	// +optional
	Bits int32 `json:"bits,omitempty"`
	// CommonName of x509.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +optional
	CommonName string `json:"commonName,omitempty"`
	// Days an x509 certificate is valid.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=106751
	// +optional
	Days int32 `json:"days,omitempty"`
	// CertKey is the key an x509 certificate is stored under.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	CertKey string `json:"certKey,omitempty"`
	// KeyKey is the key an x509 private key is stored under.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	KeyKey string `json:"keyKey,omitempty"`
	// Env is the environment of a secrets.yml.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +optional
	Env string `json:"env,omitempty"`
	// Fields of a secrets.yml.
	// +kubebuilder:validation:MaxItems=64
	// +listType=map
	// +listMapKey=path
	// +optional
	Fields []RailsField `json:"fields,omitempty"`
}

// Shape says what a field of a secrets.yml holds.
//
// +kubebuilder:validation:Enum=scalar;pem;list
type Shape string

// The shapes.
const (
	// ShapeScalar is a random string.
	ShapeScalar Shape = "scalar"
	// ShapePEM is an RSA private key.
	ShapePEM Shape = "pem"
	// ShapeList is a list with one random string. An existing list is neither shortened nor put into another order.
	ShapeList Shape = "list"
)

// RailsField is one field of an environment of a secrets.yml.
//
// +kubebuilder:validation:XValidation:rule="!(self.shape in ['scalar', 'list']) || has(self.charset)",fieldPath=".charset",reason=FieldValueRequired,messageExpression="'shape ' + self.shape + ' needs a charset: alphanumeric, hex or lowerAlphanumeric'",message="this shape needs a charset: alphanumeric, hex or lowerAlphanumeric"
// +kubebuilder:validation:XValidation:rule="self.shape != 'pem' || !has(self.charset)",fieldPath=".charset",messageExpression="'charset belongs to the shapes scalar and list: remove it, or change shape ' + self.shape",message="charset belongs to the shapes scalar and list"
// +kubebuilder:validation:XValidation:rule="!(self.shape in ['scalar', 'list']) || has(self.length)",fieldPath=".length",reason=FieldValueRequired,messageExpression="'shape ' + self.shape + ' needs a length from 1 to 4096'",message="this shape needs a length from 1 to 4096"
// +kubebuilder:validation:XValidation:rule="self.shape != 'pem' || !has(self.length)",fieldPath=".length",messageExpression="'length belongs to the shapes scalar and list: remove it, or change shape ' + self.shape",message="length belongs to the shapes scalar and list"
// +kubebuilder:validation:XValidation:rule="self.shape != 'pem' || has(self.bits)",fieldPath=".bits",reason=FieldValueRequired,message="shape pem needs bits: an even number from 2048 to 8192"
// +kubebuilder:validation:XValidation:rule="!(self.shape in ['scalar', 'list']) || !has(self.bits)",fieldPath=".bits",messageExpression="'bits belong to shape pem: remove them, or change shape ' + self.shape",message="bits belong to shape pem"
// +kubebuilder:validation:XValidation:rule="!self.path.contains('.')",fieldPath=".path",message="must not hold a dot: a field is one key below its environment, not a path"
// +kubebuilder:validation:XValidation:rule="!has(self.bits) || self.bits % 2 == 0",fieldPath=".bits",message="must be an even number of bits"
type RailsField struct {
	// Path is the name of the field below its environment.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Path string `json:"path"`
	// Shape of the field.
	Shape Shape `json:"shape"`
	// Charset of scalar and list.
	// +optional
	Charset Charset `json:"charset,omitempty"`
	// Length of scalar and list, in characters.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4096
	// +optional
	Length int32 `json:"length,omitempty"`
	// Bits of pem.
	// +kubebuilder:validation:Minimum=2048
	// +kubebuilder:validation:Maximum=8192
	// +optional
	Bits int32 `json:"bits,omitempty"`
}
