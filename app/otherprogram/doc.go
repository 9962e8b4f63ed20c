// Package otherprogram proves that the reporting API can be put into another program: its tests
// build one from publicapi, apikeys, exports, reports, games, audit and the screens of web, with
// organisations and a sign-in of its own. The tables of package org and identity are gone from its
// database. CONTRIBUTING.md, Putting the API into another program, says what it provides.
package otherprogram
