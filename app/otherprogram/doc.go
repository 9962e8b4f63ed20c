// Package otherprogram proves that the reporting API can be put into another program. Its tests
// build one from publicapi, apikeys, exports, reports, games, audit and the screens of web, with
// its own organisations and sign-in. Its database lacks the tables of org and identity.
// mount_test.go is the program, screens_test.go its screens. CONTRIBUTING.md, Put the API into
// another program, says what it provides.
package otherprogram
