package crd_test

import . "github.com/onsi/ginkgo/v2"

var _ = Describe("A broken Siphon", func() { describeBroken("siphon") })

var _ = Describe("A broken Orbit", func() { describeBroken("orbit") })
