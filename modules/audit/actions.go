package audit

// Action is an event's code, such as api_key.created. It never changes: entries store it.
type Action string

// ActionDisplay describes how the log's screen shows the entries of an action.
type ActionDisplay struct {
	Action Action
	Label  string
	Row    []string // names of the values that a row of the log shows, in order
}

// Actions has all actions. An entry with any other action is refused.
var Actions []ActionDisplay

// action adds to Actions. A name in row is "target", "reason", "path" or a key of Entry.Details.
func action(code Action, label string, row ...string) Action {
	Actions = append(Actions, ActionDisplay{code, label, row})
	return code
}

// Account events are recorded in the logs of all organisations of the person.
var (
	KeyCreated     = action("api_key.created", "Key created", "target")
	KeyReplaced    = action("api_key.replaced", "Key replaced", "target", "stopsAt")
	KeyRenamed     = action("api_key.renamed", "Key renamed", "target", "oldName")
	KeyRevoked     = action("api_key.revoked", "Key revoked", "target")
	ExportStarted  = action("export.started", "Export started", "target", "groupId", "reportingMode")
	ExportFinished = action("export.finished", "Export ended", "target", "outcome", "rows")
	KeyRefused     = action("api_key.refused", "Request refused", "reason", "refusals", "path")

	ReportingModeChanged = action("reporting_mode.changed", "Reporting mode changed", "from", "to")

	LogExported = action("audit_log.exported", "Audit log downloaded")
	LogPruned   = action("audit_log.pruned", "Old entries removed", "before", "entries")

	PlayerErased        = action("player.erased", "Player erased", "target")
	OrganisationCreated = action("organisation.created", "Organisation created", "plan")
	PlanChanged         = action("plan.changed", "Plan changed", "from", "to")
	RoleChanged         = action("role.changed", "Role changed", "target", "from", "to")
	ResetCreated        = action("account.reset_created", "Reset link created", "target", "until")

	TwoStepTurnedOn  = action("two_step.turned_on", "Two-step turned on")
	TwoStepTurnedOff = action("two_step.turned_off", "Two-step turned off")
	RecoveryCodeUsed = action("recovery_code.used", "Recovery code used")
	PasswordChanged  = action("password.changed", "Password changed")
	PasswordReset    = action("password.reset", "Password reset")

	// recorded by dg's commands and imports
	PasswordRemoved = action("password.removed", "Password removed", "target")
	TwoStepRemoved  = action("two_step.removed", "Two-step removed", "target")
	AccountDeleted  = action("account.deleted", "Account deleted", "target")
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
