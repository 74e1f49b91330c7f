// The programs that build and run the test cluster. Standard library only, so that
// "go run ." works before anything else has been downloaded.
module github.com/portcullis-operator/portcullis/test/cluster

go 1.26.0
