package main

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// promises are the tests that prove each promise of /docs/security, by its subject on the page.
var promises = map[string][]string{
	"Keys": {
		"TestTokenHasEnoughRandomBits",
		"TestSecretIsShownOnce",
		"TestSecretIsNeverStored",
	},
	"Passwords": {
		"TestTenWrongPasswordsLockAnAccount",
		"TestOneClientCannotTrySixtyAccounts",
		"TestWrongPasswordAndUnknownEmailGetOneAnswer",
		"TestKnownBrowserIsOutsideTheLock",
		"TestCommonPasswordsAreRefused",
		"TestNewPasswordIsNotMadeOfNames",
	},
	"Two-step verification": {
		"TestConcurrentSessionsUseACodeOnce",
		"TestLockAfterWrongCodesDoubles",
		"TestRecoveryCodeWorksOnce",
		"TestTwoStepSecretsAreEncrypted",
		"TestClearSecretIsRefusedOnceAllAreEncrypted",
	},
	"Sessions": {
		"TestSessionsExpire",
		"TestTokensAreStoredAsHashes",
		"TestNewPasswordEndsOtherSessions",
		"TestRevokedRoleTakesEffectOnTheNextRequest",
		"TestStolenSessionChangesNothing",
		"TestStolenSessionDoesNotKeepItsPersonFromAChange",
		"TestSensitiveFormsAskForThePasswordInPlace",
	},
	"Logs": {
		"TestSecretsAppearNowhere",
		"TestChaosSecretsOfPeopleAppearNowhere",
		"TestErrorsDoNotShowTheDatabasePassword",
		"TestRedactRemovesSecrets",
		"TestLogHoldsNoValues",
	},
	"Organisations": {
		"TestAccessMatrix",
		"TestStatementsAreScopedToAnOrganisation",
		"TestQueriesFindNothingOfOthersUnderAnOpenPolicy",
		"TestPolicyRefusesWhatAQueryLetsThrough",
	},
	"Stored records": {
		"TestRightsOfTheServingRole",
		"TestServingRoleOnlyAddsAndReads",
	},
	"Pseudonyms": {
		"TestLabelsAreRandom",
		"TestLabelsAreStableWithinAnOrganisation",
		"TestChangeOfReportingModeIsRecorded",
	},
	"Small groups": {
		"TestGroupOfFewActiveMembersIsSuppressed",
		"TestHiddenReportsLookLikeEmptyOnes",
		"TestMetadataOfAGroupCostsItsMembers",
		"TestHiddenPreviousPeriodLooksLikeAnEmptyOne",
	},
	"Revocation": {
		"TestChangesOfAccessAreImmediate",
		"TestChangesTakeEffectOnTheNextRequestOnEveryInstance",
		"TestRevocationUnderLoad",
		"TestOutcomeOfAbortedExport",
		"TestExportsAreRecheckedBesideFullAuthPool",
		"TestRunningExportIsOfItsBeginning",
	},
	"Audit log": {
		"TestKeyIsNotCreatedWithoutItsAuditEntry",
		"TestExportThatCannotBeRecordedSendsNothing",
		"TestFloodOfRejectedRequestsIsInTheLog",
		"TestCrashThatLosesCountsIsRecorded",
	},
	"Transport": {
		"TestInvalidHTTPGetsTheErrorBody",
		"TestPathTricksDoNotReachTheAPI",
		"TestEveryRouteOutsideRefusesKeys",
		"TestChaosSmuggledRequestsAreNotExecuted",
	},
	"Screens": {
		"TestEveryPageHasSecurityHeaders",
		"TestCrossOriginFormsAreRejected",
		"TestReportsEscapeHostileNames",
		"TestAuditLogEscapesHostileText",
	},
	"Spreadsheets": {
		"TestTextCells",
		"TestHostileNames",
	},
	"Figures": {
		"TestReportsAgreeWithTheImportedFile",
		"TestSegmentsCommand",
		"TestChaosChecksFindWhatIsWrong",
	},
	"Rate limit": {
		"TestRateLimitIsASlidingWindow",
		"TestTwoInstancesShareTheRateLimit",
	},
	"Fair shares": {
		"TestBoundsHoldUnderLoad",
		"TestNewOrganisationFindsRoomBesideHoarders",
		"TestCrowdLeavesConnectionsForOthers",
		"TestChaosNeighbours",
	},
	"Slow and many clients": {
		"TestChaosHostileClients",
		"TestChaosSlowClientsOfAProxy",
		"TestMoreConnectionsThanFilesAreSurvived",
	},
	"Database outage": {
		"TestChaosDatabaseIsKilled",
		"TestOutageOfTheDatabaseIsAnswered503",
		"TestStalledDatabaseIsNotARevokedKey",
		"TestSilentDatabaseAbortsExportsAndDoesNotDelayTheStop",
		"TestAuditDownloadEndsWhenTheDatabaseFallsSilent",
	},
	"Failures half-way": {
		"TestChaosNthStatementFails",
		"TestChaosNthStatementCoversEveryRoute",
		"TestKeyIsNotCreatedWithoutItsAuditEntry",
		"TestExportThatCannotBeRecordedSendsNothing",
	},
	"Stops and crashes": {
		"TestKillLosesNoData",
		"TestInstancesBehindHaproxy",
		"TestStoppingUnderExports",
		"TestSecondInterruptSkipsTheGrace",
		"TestUsageIsStoredWhenTheProgramStops",
	},
	"Imports and updates": {
		"TestBrokenImportIsWholeOrNothing",
		"TestMigrationsAtOnceAndKilled",
		"TestTwoCommandsAtOnceOnAnEmptyFolder",
		"TestLastReleaseServesOnThisSchema",
	},
	"Backups": {
		"TestBackupUnderLoadIsRestored",
		"TestRestoreIsWholeOrNothing",
		"TestBackupIsWholeOrNotThere",
	},
}

var (
	promiseOfPage = regexp.MustCompile(`<dt>([^<]+)</dt>`)
	testOfTree    = regexp.MustCompile(`(?m)^(.+):func (Test[A-Za-z0-9_]+)\(t `)
	fileOfChaos   = regexp.MustCompile(`/chaos(/|_)[^/]*$`)
)

// Every promise of the page has tests, and each of them exists. What make chaos runs proves a
// promise.
func TestPromisesHaveTests(t *testing.T) {
	t.Parallel()
	root := strings.TrimSpace(outputOf(t, "go", "list", "-m", "-f", "{{.Dir}}"))
	page := outputOf(t, "grep", "-rh", "--include=security.html", "<dt>", root+"/web")
	var subjects, named []string
	for _, found := range promiseOfPage.FindAllStringSubmatch(page, -1) {
		subjects = append(subjects, found[1])
	}
	require.Greater(t, len(subjects), 20)
	for subject, tests := range promises {
		assert.Contains(t, subjects, subject, "the page does not promise it")
		named = append(named, tests...)
	}
	for _, subject := range subjects {
		assert.NotEmpty(t, promises[subject], "no test proves the promise %q", subject)
	}
	var there []string
	tree := outputOf(t, "grep", "-roE", "--include=*_test.go", "^func Test[A-Za-z0-9_]+\\(t ", root)
	for _, found := range testOfTree.FindAllStringSubmatch(tree, -1) {
		there = append(there, found[2])
		if fileOfChaos.MatchString(found[1]) {
			assert.Contains(t, named, found[2], "a suite of chaos proves a promise")
		}
	}
	for _, name := range named {
		assert.True(t, slices.Contains(there, name), "there is no %s", name)
	}
}

// outputOf runs a command and returns what it prints.
func outputOf(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).Output()
	require.NoError(t, err)
	return string(out)
}
