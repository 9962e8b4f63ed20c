package reports

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMeantParameter(t *testing.T) {
	t.Parallel()
	for want, names := range map[string][]string{
		"from": {
			"From", "FROM", "from[]", "start", "startDate", "start_date", "date_from", "dateFrom",
			"since", "begin", "after",
		},
		"to": {"To", "end", "endDate", "end-date", "until", "till", "date_to", "to_date", "before"},
		"groupId": {
			"group", "groupid", "group_id", "GroupID", "groupIds", "group[]", "playerGroup",
			"groups", "group.id",
		},
		"": {
			"", "token", "format", "page", "calendar", "fork", "unknown", "\xff", "total", "frömm",
		},
	} {
		for _, name := range names {
			require.Equal(t, want, MeantParameter(name), name)
		}
	}
}
