package reports

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rules.md, CSV: the format for Excel has a byte-order mark, semicolons, decimal commas, times
// without T, and the formula guard for every separator. Both leave out the skills of a newer program.
func TestFormats(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.Exec(`update players set display_name = 'Zoë;=1,+2' || chr(10) || '@x' where ordinal = 1`)
	e.Exec(
		`insert into plays (id, org_id, fork_id, player, release_number, started_at, completed_at,
			score, passed, answers) values
		('00000000-0000-4000-8000-00000000000a', $1, $2, 1, 7, '2023-11-20 09:30:00.123Z',
		  '2023-11-20 09:41:12.5Z', 8750, true, '\x013afe'),
		('00000000-0000-4000-8000-00000000000b', $1, $2, 2, null, '2023-11-20 10:00:00Z',
		  '2023-11-20 10:00:01Z', 10000, false, ''),
		('00000000-0000-4000-8000-00000000000c', $1, $2, 2, null, '2023-11-20 11:00:00Z', null, null, null, '')`,
		testOrg, testFork)
	const (
		name   = "\"Zoë;'=1,+2\n@x\""   // of the API
		guard  = "\"Zoë;'=1,'+2\n'@x\"" // for spreadsheets
		skills = `prompting.context=1/1;data.reading.proportions=0/1`
		first  = "00000000-0000-4000-8000-00000000000a|" + testFork + "|7|P-1|" + guard +
			"|2023-11-20 09:30:00|2023-11-20 09:41:12|672|true|"
		second = "00000000-0000-4000-8000-00000000000b|" + testFork +
			"||P-2|Player 2|2023-11-20 10:00:00|2023-11-20 10:00:01|1|true|100|false|\"\"\n"
		third = "00000000-0000-4000-8000-00000000000c|" + testFork +
			"||P-2|Player 2|2023-11-20 11:00:00|||false|||\"\"\n"
	)
	require.Equal(t, byteOrderMark+strings.ReplaceAll(csvHeader, ",", ";")+
		strings.ReplaceAll(first+"87,5|true|\""+skills+"\"\n"+second+third, "|", ";"),
		e.export(t, query(testFrom, 1, ""), ExcelSemicolon))
	plain := e.export(t, query(testFrom, 1, ""), CSV)
	require.True(t, strings.HasPrefix(plain, csvHeader))
	require.Contains(t, plain,
		"P-1,"+name+",2023-11-20T09:30:00.123Z,2023-11-20T09:41:12.500Z,672,true,87.5,true,"+skills+
			"\n")
}

// export returns a whole file.
func (e *env) export(t *testing.T, q Query, f Format) string {
	x := e.begin(t, q, f)
	defer x.Close()
	var file []byte
	var err error
	for err == nil {
		file, err = x.AppendNext(file)
	}
	require.ErrorIs(t, err, io.EOF)
	return string(file)
}
