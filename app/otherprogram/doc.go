// Package otherprogram proves that the reporting API can be put into another program. Its tests
// build one with publicapi.NewHost. It has its own organisations and people, and no tables of org and
// identity. mount_test.go is all its code, setup_test.go starts it; CONTRIBUTING.md explains both in
// Put the API into another program.
package otherprogram
