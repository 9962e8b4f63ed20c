package reports

import (
	"dg/modules/reports"
	"dg/web/ui"
)

// apiCall is a call of the API to copy: the ids in it, and the command.
type apiCall struct {
	Fork    ui.Copyable
	Group   ui.Copyable // its Text is "" without a group
	Command ui.Copyable
}

// statisticsCall reads the statistics of a fork. The key is read from the environment, as in /docs.
func (h *Handler) statisticsCall(fork string, period reports.Period, group string) apiCall {
	text := "curl -sS -G '" + h.Base + "/api/v1/forks/" + fork + "/stats' \\\n  -d from=" +
		period.Day(0) + " -d to=" + period.Day(period.Days-1)
	if group != "" {
		text += " -d groupId=" + group
	}
	text += " \\\n  -H @- <<<\"Authorization: Bearer $DG_KEY\""
	return apiCall{
		Fork:    ui.Copyable{ID: "fork-id", Text: fork, Name: "fork id"},
		Group:   ui.Copyable{ID: "group-id", Text: group, Name: "group id"},
		Command: ui.Copyable{ID: "command", Text: text, Name: "command"},
	}
}
