// Package otherprogram proves that the reporting API can be put into another program. Its tests
// build one from publicapi, apikeys, exports, reports, games and audit, with its own organisations
// and people. Its database lacks the tables of org and identity. mount_test.go is all that it
// writes. CONTRIBUTING.md, Put the API into another program, says what it provides.
package otherprogram
