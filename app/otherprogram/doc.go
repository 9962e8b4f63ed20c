// Package otherprogram proves that the reporting API can be put into another program. Its tests
// build one from publicapi, apikeys, exports, reports, games, audit and the screens of web, with
// its own organisations and sign-in. Its database lacks the tables of org and identity.
// CONTRIBUTING.md, Put the API into another program, lists what it provides.
package otherprogram
