// Package crd holds the resource definitions to a real API server: it must refuse every broken example at the fields the
// examples name, accept every sample, and agree with the check that runs without it.
package crd_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/internal/definition"
	"github.com/portcullis-operator/portcullis/test/envtest/world"
)

var (
	server  *world.Server
	cluster client.Client
	offline *definition.Set
)

func TestDefinitions(t *testing.T) {
	server = world.Start(t, world.Own(t))
	cluster, offline = server.Live, world.Set(t)
	RegisterFailHandler(Fail)
	RunSpecs(t, "The resource definitions")
}
