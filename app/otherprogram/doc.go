// Package otherprogram proves that another program can include the reporting API. Its tests build
// such a program with publicapi.NewHost. That program has its own organisations and people, and no
// tables of org and identity. mount_test.go is all its code, and setup_test.go starts it.
// CONTRIBUTING.md explains both in Put the API into another program.
package otherprogram
