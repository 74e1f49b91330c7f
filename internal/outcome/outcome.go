// Package outcome is the closed set of ways a step of a reconcile can end.
//
// Floor 0, pure. A step returns its value and an Outcome; nothing is signalled by an error that means "later" or by
// mutating a shared object. The set is sealed: only the four types below satisfy Outcome.
package outcome

import "time"

// Reason is the machine-readable cause of an outcome. The constants live beside the API types, where users read them.
type Reason string

// Outcome is one of Continue, Wait, Refuse and Fail.
type Outcome interface{ outcome() }

// Continue says the step's value is good and the next step may run.
type Continue struct{}

// Wait says the step resolves without a change to the object: a Job is running, another resource is not ready.
// After is how long to wait at most before looking again; a watch may wake the reconcile earlier.
type Wait struct {
	Reason  Reason
	Message string
	After   time.Duration
}

// Refuse says the user's input cannot be accepted. It is not retried until the object or a fact it depends on changes.
type Refuse struct {
	Reason  Reason
	Message string
}

// Fail says something that should work did not. It is retried with back-off; Err keeps the chain of causes.
type Fail struct {
	Reason Reason
	Err    error
}

func (Continue) outcome() {}
func (Wait) outcome()     {}
func (Refuse) outcome()   {}
func (Fail) outcome()     {}
