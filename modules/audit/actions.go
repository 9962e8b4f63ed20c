package audit

// Action is an event's code, such as api_key.created. It never changes: entries store it.
type Action string

// ActionDisplay describes how the log's screen shows the entries of an action.
type ActionDisplay struct {
	Action  Action
	Label   string
	Summary []string // "target", "reason", "path" or keys of Entry.Details, in the order of the screen
}

// Actions has all actions. An entry with any other action is refused.
var Actions []ActionDisplay

// newAction adds an action to Actions.
func newAction(code Action, label string, summary ...string) Action {
	Actions = append(Actions, ActionDisplay{code, label, summary})
	return code
}

// Actions on a person's account are recorded in the logs of all of the person's organisations.
var (
	KeyCreated     = newAction("api_key.created", "Key created", "target")
	KeyReplaced    = newAction("api_key.replaced", "Key replaced", "target", "stopsAt")
	KeyRenamed     = newAction("api_key.renamed", "Key renamed", "target", "oldName")
	KeyRevoked     = newAction("api_key.revoked", "Key revoked", "target")
	ExportStarted  = newAction("export.started", "Export started", "target", "groupId", "reportingMode")
	ExportFinished = newAction("export.finished", "Export ended", "target", "outcome", "rows")
	KeyRefused     = newAction("api_key.refused", "Request refused", "reason", "refusals", "path")

	ReportingModeChanged = newAction("reporting_mode.changed", "Reporting mode changed", "from", "to")

	LogExported = newAction("audit_log.exported", "Audit log downloaded")
	LogPruned   = newAction("audit_log.pruned", "Old entries removed", "before", "entries")

	PlayerErased        = newAction("player.erased", "Player erased", "target")
	OrganisationCreated = newAction("organisation.created", "Organisation created", "plan")
	PlanChanged         = newAction("plan.changed", "Plan changed", "from", "to")
	RoleChanged         = newAction("role.changed", "Role changed", "target", "from", "to")
	ResetCreated        = newAction("account.reset_created", "Reset link created", "target", "until")

	TwoStepTurnedOn       = newAction("two_step.turned_on", "Two-step turned on")
	TwoStepTurnedOff      = newAction("two_step.turned_off", "Two-step turned off")
	RecoveryCodeUsed      = newAction("recovery_code.used", "Recovery code used")
	RecoveryCodesReplaced = newAction("recovery_codes.replaced", "Recovery codes replaced")
	PasswordChanged       = newAction("password.changed", "Password changed")
	PasswordReset         = newAction("password.reset", "Password reset")

	// changes by dg's commands and imports, not by the person
	PasswordRemoved = newAction("password.removed", "Password removed", "target")
	TwoStepRemoved  = newAction("two_step.removed", "Two-step removed", "target")
	AccountDeleted  = newAction("account.deleted", "Account deleted", "target")
)

// DisplayOf returns the display of an action. The label of an unknown action is its code.
func DisplayOf(a Action) (d ActionDisplay, ok bool) {
	for _, d := range Actions {
		if d.Action == a {
			return d, true
		}
	}
	return ActionDisplay{Action: a, Label: string(a)}, false
}
