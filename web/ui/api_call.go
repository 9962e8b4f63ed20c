package ui

import "dg/modules/reports"

// ApiCall is a call of the API to copy: the ids in it, and the command.
type ApiCall struct {
	Fork    Copyable
	Group   Copyable // its ID is "" without a group
	Command Copyable
}

// Copyable is a text with a button that copies it. ID is that of its element.
type Copyable struct{ ID, Text, Name string }

// StatisticsCall reads the statistics of a fork. The key is read from the environment, as in /docs.
// suffix tells the elements of several calls on a page apart.
func (p *Pages) StatisticsCall(fork string, period reports.Period, group, suffix string) ApiCall {
	call := ApiCall{Fork: Copyable{"fork-id" + suffix, fork, "fork id"}}
	text := "curl -sS -G '" + p.Base + "/api/v1/forks/" + fork + "/stats' \\\n  -d from=" +
		period.Day(0) + " -d to=" + period.Day(period.Days-1)
	if group != "" {
		call.Group = Copyable{"group-id" + suffix, group, "group id"}
		text += " -d groupId=" + group
	}
	call.Command = Copyable{
		"command" + suffix, text + " \\\n  -H @- <<<\"Authorization: Bearer $DG_KEY\"", "command",
	}
	return call
}
