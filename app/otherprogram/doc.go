// Package otherprogram proves that the reporting API can be put into another program. Its tests
// build one from publicapi, apikeys, exports, reports, games and audit. It has its own
// organisations and people, and no tables of org and identity. mount_test.go is all its code;
// CONTRIBUTING.md explains it in Put the API into another program.
package otherprogram
