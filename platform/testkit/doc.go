// Package testkit stores the data of tests: organisations, people, keys, games, forks, players,
// groups and plays, on a database of the test's own (package pgtest).
//
// How to use it:
//
//	db := testkit.New(t)                                  // or testkit.NewOn(t, db) for a pgtest.Database that exists
//	acme := db.AddOrganisation(testkit.Organisation{})    // on the Pro plan, pseudonymous
//	fork := db.AddFork(testkit.Fork{OrganisationID: acme.ID})
//	players := db.AddPlayers(acme.ID, 40)
//	group := db.AddGroup(acme.ID, players[:10]...)        // AddGroupNamed where names matter
//	db.AddPlay(testkit.Play{Fork: fork, Player: players[0], StartedAt: day})
//	key := db.AddKey(acme.ID, "forks:read")               // key.Token() is what a caller sends
//
// Fields that are left out get defaults; ids and slugs are then unique. World.Exec and Query change
// and read the rest. Browser and Page act as a person who uses the screens.
//
// It writes as the owner of the tables, in the stored form; only WriteImportFile writes an import file.
// It imports no module, so that internal tests of a module may use it too. Helpers fail by require,
// whose trace names their callers: they need no t.Helper.
package testkit
