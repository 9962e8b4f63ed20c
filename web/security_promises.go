package web

import (
	"fmt"

	"dg/modules/exports"
	"dg/modules/reports"
)

// securityParts are the parts of the page.
var securityParts = []securityPart{
	{"isolation", "Isolation", []promise{
		{
			"Organisations are apart", "A key or a person never reads data of another organisation. SQL statements are " +
				"scoped to the organisation, and the policy is asked about the owner of what was loaded: each holds without the other. " +
				"A test runs the program's statements under row-level security and lists those that are not scoped.",
			"In production the database itself does not separate organisations. A fork of another organisation is " +
				"answered 403, an unknown one 404: a guessed id tells whether the fork exists, and the guess is in the audit log.",
			[]string{"TestAccessMatrix", "TestStatementsAreScopedToAnOrganisation", "TestStatementsHoldWithoutThePolicy",
				"TestPolicyHoldsWithoutTheOrganisationInStatements"},
		},
		{
			"Database rights", "The role that serves cannot change or delete audit entries, take back a revocation, or write plays.",
			"The role that owns the tables can do everything. An instance that serves as that role has no such protection, and warns at the start.",
			[]string{"TestRightsOfTheServingRole", "TestServingRoleOnlyAddsAndReads"},
		},
	}},
	{"privacy", "Privacy", []promise{
		{
			"Pseudonyms", "Players have random labels, different in each organisation and not derived from the name, " +
				"unless the organisation reports names.",
			"A pseudonym is not anonymous: anyone who knows when somebody played can find the row. " +
				"An owner can switch to names, also for past plays. The switch is recorded.",
			[]string{"TestLabelsAreRandom", "TestLabelsAreStableWithinAnOrganisation", "TestChangeOfReportingModeIsRecorded"},
		},
		{
			"Small groups", "The figures of a group are hidden when fewer than 5 of its members played, or nobody did. " +
				"Beside a period, a hidden one before it looks like one without plays.",
			"Reports do not become anonymous: without a group every player has a row, and a group that is shown names its pseudonyms, " +
				"whose rows give its hidden days. The difference between overlapping groups or periods, or before and after a change, " +
				"reveals figures.",
			[]string{"TestGroupOfFewActiveMembersIsSuppressed", "TestCuriousManager", "TestHiddenReportsTakeEqualTime",
				"TestHiddenPreviousPeriodLooksLikeAnEmptyOne"},
		},
	}},
	{"revocation-and-audit", "Revocation and audit", []promise{
		{
			"Revocation at once", "A revoked, expired or paused key is refused by every instance from the next request on. " +
				"An export that runs is broken off within two seconds.",
			"Statistics that were begun are still sent, and files that were saved stay where they are. " +
				"A database that is restored from a backup does not know later revocations: repeat them.",
			[]string{"TestChangesOfAccessAreImmediate", "TestChangesTakeEffectOnTheNextRequestOnEveryInstance", "TestRevocationUnderLoad",
				"TestRunningExportIsAbortedWhenTheKeyStops", "TestRunningExportsWhenSomethingChanges"},
		},
		{
			"Audit log", "Every rejected use of a key, every export, sign-in and change is in the organisation's log: " +
				"if the entry cannot be written, it does not happen.",
			"Reading statistics or forks is not recorded. Beyond 120 rejected uses of a key in a minute only their number is; " +
				"a crash of the database loses that number, and the log says so.",
			[]string{"TestKeyIsNotCreatedWithoutItsAuditEntry", "TestExportThatCannotBeRecordedSendsNothing",
				"TestFloodOfRejectedRequestsIsInTheLog", "TestCrashThatLosesCountsIsRecorded"},
		},
	}},
	{"limits", "Limits", []promise{
		{
			"Rate limit", "A key gets at most 120 requests in any 60 seconds, over all instances.",
			"A crash or failover of the database forgets the last minute: at most 120 requests more. " +
				"The limit is for a key, and an organisation has up to 100.",
			[]string{"TestRateLimitIsASlidingWindow", "TestTwoInstancesShareTheRateLimit"},
		},
		{
			"Fair shares", "Connections, reports, exports, sign-ins and memory are bounded, and no organisation can take them all.",
			fmt.Sprintf("At once an organisation may have %d of the %d reports of an instance, and %d of its %d exports. "+
				"A flood that fills the network has to be stopped before it arrives.",
				reports.MaxReportsOfOrganisation, reports.MaxReports, exports.MaxAtOnceOfOrganisation, exports.MaxAtOnce),
			[]string{"TestBoundsHoldUnderLoad", "TestNewOrganisationFindsRoomBesideHoarders",
				"TestFloodOfSignInsDelaysNeitherAPINorOthers", "TestChaosNeighbours"},
		},
		{
			"Hostile requests", "What is not valid HTTP is refused before its headers count, paths are not corrected, " +
				"and a key is refused everywhere but below /api/v1/.",
			"A proxy in front reads the request first, and has to be as strict.",
			[]string{"TestMalformedRequestsGetTheErrorBody", "TestPathTricksDoNotReachTheAPI", "TestEveryRouteOutsideRefusesKeys",
				"TestChaosSmuggledRequestsAreNotExecuted"},
		},
		{
			"Slow and many clients", "A request has 5 seconds to arrive. One address has at most half of the connections, " +
				"and makes room among its own; slow and idle clients make room for new ones.",
			"Behind a trusted proxy all connections are the proxy's: it has to bound its clients. Somebody with very many addresses " +
				"can slow the service down.",
			[]string{"TestChaosHostileClients", "TestChaosSlowClientsOfAProxy", "TestMoreConnectionsThanFilesAreSurvived"},
		},
	}},
	{"outage", "Outage", []promise{
		{
			"Database outage", "While the database is away, slow or unreachable, requests fail within 10 seconds and say so: nobody gets wrong " +
				"or empty figures, or a short file that looks whole. The service answers again within 5 seconds of the database, " +
				"without a restart.",
			"All instances depend on one database: while it is away, keys cannot be checked and nothing is read. What was " +
				"being answered has to be asked again.",
			[]string{"TestChaosDatabaseIsKilled", "TestChaosDatabaseLinkIsBad", "TestOutageOfTheDatabaseIsAnswered503", "TestStalledDatabaseIsNotARevokedKey",
				"TestSilentDatabaseAbortsExportsAndDoesNotDelayTheStop", "TestAuditDownloadEndsWhenTheDatabaseFallsSilent"},
		},
		{
			"Failures half-way", "A change and its audit entry are made together or not at all, whichever call to the database fails. An export is " +
				"recorded before its first byte.",
			"Where the database made a change and its answer was lost, nobody can tell at that moment: look at the list, or " +
				"at the audit log.",
			[]string{"TestChaosNthStatementFails", "TestChaosNthStatementCoversEveryRoute", "TestKeyIsNotCreatedWithoutItsAuditEntry", "TestExportThatCannotBeRecordedSendsNothing"},
		},
	}},
	{"restart", "Restart", []promise{
		{
			"Stops and crashes", "A service that is stopped tells load balancers 2 seconds before it takes no new requests, gives running ones " +
				"10 seconds, and breaks longer ones off visibly. A crash loses no play, key, revocation or audit entry that was confirmed.",
			"Exports that were broken off have to be started again. One that starts in the audit log and never ends was " +
				"interrupted by a crash.",
			[]string{"TestKillLosesNoData", "TestInstancesBehindHaproxy", "TestStoppingUnderExports", "TestSecondInterruptSkipsTheGrace",
				"TestUsageIsStoredWhenTheProgramStops"},
		},
		{
			"Imports and updates", "An import is made whole or not at all, also when it is killed or two run at once. The release before goes on " +
				"serving during an update.",
			"Only the release before: two updates at once need a stop.",
			[]string{"TestBrokenImportIsWholeOrNothing", "TestMigrationsAtOnceAndKilled",
				"TestTwoCommandsAtOnceOnAnEmptyFolder", "TestLastReleaseServesOnThisSchema"},
		},
		{
			"Backups", "A backup that is made while the service works has the same figures after it is restored. A restore that fails " +
				"changes nothing. No session and no reset link is in a backup.",
			"It holds names, e-mail addresses and hashes of passwords and keys: keep it as safe as the database. It does not " +
				"know later revocations and erasures: repeat them.",
			[]string{"TestBackupUnderLoadIsRestored", "TestRestoreIsWholeOrNothing", "TestBackupIsWholeOrNotThere"},
		},
	}},
	{"secrets", "Secrets", []promise{
		{
			"Keys", "A key only reads. Its secret has 256 random bits, is shown once, and is stored as a SHA-256 hash.",
			"Anyone who has a key can use it until it is revoked or expires.",
			[]string{"TestTokenHasEnoughRandomBits", "TestSecretIsShownOnce", "TestSecretIsNeverStored"},
		},
		{
			"Passwords", "Passwords are stored as Argon2id hashes. Ten wrong ones lock the sign-in for a minute, and guesses are also " +
				"counted by address. The answer does not tell whether an account exists. " +
				"New passwords are not common, and not made of names.",
			"Others can lock an account for new browsers. Browsers that have signed in before are not locked out.",
			[]string{"TestTenWrongPasswordsLockAnAccount", "TestOneClientCannotTrySixtyAccounts",
				"TestWrongPasswordAndUnknownEmailGetOneAnswer", "TestKnownBrowserIsOutsideTheLock",
				"TestCommonPasswordsAreRefused", "TestNewPasswordIsNotMadeOfNames"},
		},
		{
			"Two-step verification", "A code works once, and wrong ones lock it for longer each time. Secrets are encrypted, recovery codes hashed.",
			"Only admins need it, to create keys. A person who types a code into a false page gives it away. " +
				"Without DG_SECRET_KEY secrets are stored in clear, and the start warns.",
			[]string{"TestConcurrentSessionsUseACodeOnce", "TestLockAfterWrongCodesDoubles", "TestRecoveryCodeWorksOnce",
				"TestTwoStepSecretsAreEncrypted", "TestClearSecretIsRefusedOnceAllAreEncrypted"},
		},
		{
			"Sessions", "A session ends 12 hours after its last use, 24 hours after its start, and with a new password. " +
				"Roles are read at every request. Tokens are stored as hashes.",
			"Anyone who copies the cookie has the session until then. To change password, two-step verification or recovery codes " +
				"takes the current password; a new key or another reporting mode takes one that was entered within 15 minutes.",
			[]string{"TestSessionsExpire", "TestTokensAreStoredAsHashes", "TestNewPasswordEndsOtherSessions",
				"TestRevokedRoleTakesEffectOnTheNextRequest", "TestStolenSessionChangesNothing",
				"TestStolenSessionDoesNotKeepItsPersonFromAChange", "TestSensitiveFormsAskForThePasswordInPlace"},
		},
		{
			"Logs and dumps", "No key, password, code, two-step secret, session, reset link or database password is in a log, a metric, " +
				"a stack dump, an error or a later page, however it was sent. Tables and backups have hashes.",
			"Addresses, paths and user agents are logged, and a proxy in front keeps a log of its own. A PostgreSQL that is told to log every " +
				"statement logs e-mail addresses and hashes. A core file holds the memory of the process: leave them off.",
			[]string{"TestSecretsAppearNowhere", "TestChaosSecretsOfPeopleAppearNowhere", "TestErrorsDoNotShowTheDatabasePassword",
				"TestRedactRemovesSecrets", "TestLogHoldsNoValues"},
		},
	}},
	{"screens-and-files", "Screens and files", []promise{
		{
			"Screens", "Pages run no script but their own, cannot be framed, and show names as text. Forms from other sites are refused.",
			"The browser enforces it. HTTPS comes from the proxy in front, which has to pass on the Host header.",
			[]string{"TestEveryPageHasSecurityHeaders", "TestCrossOriginFormsAreRejected", "TestReportsEscapeHostileNames",
				"TestAuditLogEscapesHostileText"},
		},
		{
			"CSV formulas", "A spreadsheet runs nothing that a name contains: a cell that could be a formula begins with an apostrophe.",
			"A program that removes the apostrophe removes the protection.",
			[]string{"TestTextCells", "TestHostileNames"},
		},
		{
			"Right figures", "Statistics, screens and files have the figures that the stored plays have, to the last digit, also while plays " +
				"are imported.",
			"Rates are rounded to four decimals and percentages to one, once, at the end.",
			[]string{"TestReportsAgreeWithTheImportedFile", "TestSegmentsCommand", "TestChaosChecksFindWhatIsWrong"},
		},
	}},
}
