package auditlog

import (
	"fmt"

	"dg/modules/audit"
	"dg/modules/org"
	"dg/web/ui"
)

var actionLabels = map[audit.Action]string{
	audit.KeyCreated:           "Key created",
	audit.KeyReplaced:          "Key replaced",
	audit.KeyRenamed:           "Key renamed",
	audit.KeyRevoked:           "Key revoked",
	audit.KeyRefused:           "Request refused",
	audit.ExportStarted:        "Export",
	audit.ExportFinished:       "Export ended",
	audit.ReportingModeChanged: "Reporting mode changed",

	audit.LogExported:         "Audit log downloaded",
	audit.LogPruned:           "Old entries removed",
	audit.PlayerErased:        "Player erased",
	audit.OrganisationCreated: "Organisation created",
	audit.PlanChanged:         "Plan changed",
	audit.RoleChanged:         "Role changed",
	audit.ResetCreated:        "Reset link created",
	audit.TwoStepTurnedOn:     "Two-step turned on",
	audit.TwoStepTurnedOff:    "Two-step turned off",
	audit.RecoveryCodeUsed:    "Recovery code used",
	audit.PasswordChanged:     "Password changed",
	audit.PasswordReset:       "Password reset",
}

// The answers to refused requests.
const (
	authRequired = "401 ERR_AUTH_REQUIRED"
	accessDenied = "403 ERR_ACCESS_DENIED"
)

// reasonLabels are the reasons of a refusal: in the list, as a sentence, and the answer to the request.
var reasonLabels = map[audit.Reason]struct{ short, long, answer string }{
	audit.WrongSecret: {"Wrong secret", "The key exists, but the secret was wrong.", authRequired},
	audit.Revoked:     {"Revoked key", "The key was revoked.", authRequired},
	audit.Expired:     {"Expired key", "The key had expired.", authRequired},
	audit.BelowPlan: {
		"Plan", "The plan did not include the API, so the organisation’s keys were paused.", authRequired,
	},
	audit.InsufficientScope: {
		"Missing scope", "The key does not have the required scope.", accessDenied,
	},
	audit.OtherOrganisation: {
		"Other organisation", "The request was for a resource of another organisation.", accessDenied,
	},
	audit.OutsideAPI: {"Outside the API", "The key was used outside /api/v1/.", accessDenied},
}

// outcomeLabels are the outcomes of an export.
var outcomeLabels = map[string]string{
	"completed":            "Completed",
	"key_unusable":         "Aborted: key no longer valid",
	"access_ended":         "Aborted: access ended",
	"time_limit":           "Aborted: longer than 30 minutes",
	"client_gone":          "Aborted: client disconnected",
	"server_stopped":       "Aborted: server stopped",
	"database_unavailable": "Aborted: database unavailable",
	"failed":               "Failed",
}

// namesLabels say whether the rows of an export had names, by the reporting mode at its start: in
// the list, and in the entry.
var namesLabels = map[string]struct{ short, long string }{
	string(org.Nominative):   {"with names", "Included"},
	string(org.Pseudonymous): {"with pseudonyms", "Not included: pseudonyms"},
	"":                       {"", "Not recorded: the entry is older than this record"},
}

// foreignTargetLabels are the resources of another organisation that a request was for.
var foreignTargetLabels = map[string]string{"fork": "Its fork", "group": "Its group"}

// countedLabel returns how many events an entry counts, or "" if it records one.
func countedLabel(e audit.Entry) string {
	label := ""
	if n, ok := e.Details[audit.NotRecorded].(float64); ok {
		label = ui.Plural(int64(n), "%s request", "%s requests")
	}
	switch {
	case e.Details[audit.CountLost] != true:
		return label
	case label == "":
		return "Count lost in a database crash"
	}
	return fmt.Sprintf("%s, others lost in a database crash", label)
}

// exportOutcome is the outcome of an export and its rows, or "" while it runs.
func exportOutcome(details map[string]any) string {
	label := outcomeLabels[textOf(details["outcome"])]
	if rows, ok := details["rows"].(float64); ok && label != "" {
		return fmt.Sprintf("%s, %s", label, ui.Plural(int64(rows), "%s row", "%s rows"))
	}
	return label
}
