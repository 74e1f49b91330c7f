package secretgen

import (
	"errors"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/secretgen/secretsyml"
)

// railsFile is a secrets.yml as it is now. Its fields are units of their own, but what is wrong with the file is wrong
// for each of them, and it is written as a whole.
type railsFile struct {
	secret, key, env string
	// text is what the key holds now; nothing when it is missing.
	text   []byte
	frozen bool
	// file is nil when the text cannot be read.
	file    *secretsyml.File
	problem *secretsyml.ProblemError
}

// readFiles reads every declared secrets.yml.
func (d decider) readFiles(declared []*secret) {
	for _, s := range declared {
		for _, u := range s.units {
			if u.Kind != KindRailsField || u.conflict != "" {
				continue
			}
			at := claim{u.Secret, u.Keys[0]}
			if d.files[at] == nil {
				d.files[at] = d.readFile(u)
			}
		}
	}
}

func (d decider) readFile(u unit) *railsFile {
	have := d.existing[u.Secret]
	f := &railsFile{secret: u.Secret, key: u.Keys[0], env: u.generator.Env, text: have.value(u.Keys[0]), frozen: have.frozen()}
	f.file, f.problem = f.read()
	if f.problem != nil {
		return f
	}
	for _, field := range u.generator.Fields {
		if f.problem = f.file.Problem(field.Path); f.problem != nil {
			return f
		}
	}
	f.problem = f.rehearse(u.generator.Fields)
	return f
}

// read takes the text apart anew: each call gives a file of its own, which may be written to.
func (f *railsFile) read() (*secretsyml.File, *secretsyml.ProblemError) {
	file, err := secretsyml.Read(f.text, f.env)
	if problem, ok := errors.AsType[*secretsyml.ProblemError](err); ok {
		return nil, problem
	}
	return file, nil
}

// rehearse fills every field that is not there and writes the file, so that a file that cannot be written back is
// reported before anything is made for it.
func (f *railsFile) rehearse(fields []v2alpha1.RailsField) *secretsyml.ProblemError {
	trial, problem := f.read()
	if problem != nil {
		return problem
	}
	missing := false
	for _, field := range fields {
		missing = missing || trial.Field(field.Path) != secretsyml.Present
		trial.Set(field.Path, secretsyml.Value{Shape: shapeOf(field), Text: rehearsal(field)})
	}
	if !missing {
		return nil
	}
	_, err := trial.Write()
	problem, _ = errors.AsType[*secretsyml.ProblemError](err)
	return problem
}

// rehearsal is a text of the shape a field will have.
func rehearsal(field v2alpha1.RailsField) string {
	if field.Shape == v2alpha1.ShapePEM {
		return "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
	}
	return "a"
}

func shapeOf(field v2alpha1.RailsField) secretsyml.Shape {
	switch field.Shape {
	case v2alpha1.ShapePEM:
		return secretsyml.PEM
	case v2alpha1.ShapeList:
		return secretsyml.List
	case v2alpha1.ShapeScalar:
	}
	return secretsyml.Scalar
}

// decision is about one field of the file.
func (f *railsFile) decision(u unit, wasReady bool) Decision {
	if f.file == nil {
		return u.report(badFile(f, f.problem))
	}
	switch state := f.file.Field(u.field.Path); {
	case state == secretsyml.Present:
		return u.keep()
	case state == secretsyml.Foreign:
		return u.report(badFile(f, f.file.Problem(u.field.Path)))
	case wasReady && len(f.text) == 0:
		return u.report(readyMissingFile(f))
	case wasReady:
		return u.report(readyMissingField(u, state))
	case f.frozen:
		return u.report(immutable(u.Unit))
	case f.problem != nil:
		return u.report(badFile(f, f.problem))
	}
	made := u.generate(f.key)
	made.file = f
	return made
}

// write is the new text of the file with the fields that were made for it. It is false when a field is not made.
func (f *railsFile) write(decisions []Decision, made map[string]Made) ([]byte, bool) {
	file, problem := f.read()
	if problem != nil {
		return nil, false
	}
	for _, d := range decisions {
		if d.file != f {
			continue
		}
		m, ok := made[d.job.id]
		if !ok {
			return nil, false
		}
		file.Set(m.field.Path, secretsyml.Value{Shape: shapeOf(m.field), Text: string(m.values[place{f.secret, d.Unit.Name}])})
	}
	text, err := file.Write()
	return text, err == nil
}
