// Package apptest starts the program for the tests of the whole of it (app/system, app/chaos,
// app/cluster and what is outside the package in app/commands), and has what those look at it with.
// Only tests import it.
//
//   - Run: Command in this process; Succeeds, Refuses, Launch and what begins with Serve in a
//     process of its own (Child, which Get and Fetch ask), by the binary that Binary builds;
//     NewFolder and CopyDemo are what it runs on, sizes.go says how much there is of it.
//   - PostgreSQL: AdminDB is the test's own way in, External a server that goes away and comes back,
//     Relay one that falls silent.
//   - Clients: Ask, FetchFrom and WebClient, which signs in; BehindProxy puts a real proxy before
//     the program.
//   - What must hold: Recording (a value that all see alike), OrgUnderChange (who loses access has lost
//     it), Seen (no secret is anywhere).
package apptest
