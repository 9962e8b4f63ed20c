package testkit

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/google/uuid"
)

// ImportFileSize is the size of an import file.
type ImportFileSize struct {
	Plays, Players int
	Days           int   // the plays are spread over these days, up to now
	Groups         []int // sizes of the groups; a group of n has the first n players
}

// ImportFileIDs are the ids of the objects in the file.
type ImportFileIDs struct {
	Organisation, Fork uuid.UUID
	Groups             []uuid.UUID
}

// WriteImportFile writes an import file for tests and scripts/bench: an organisation on Enterprise
// with a fork, players, groups and plays. Nine of ten plays are finished. The plays are in the order
// of their start. The same seed, now and size give the same file. Memory does not grow with plays.
func WriteImportFile(w io.Writer, seed uint64, now time.Time, size ImportFileSize) (ImportFileIDs, error) {
	f := importFileWriter{out: bufio.NewWriter(w), now: now.UTC().Truncate(time.Millisecond)}
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	f.source = rand.NewChaCha8(key)
	f.random = rand.New(f.source)
	players := f.writeOrganisation(size)
	period := time.Duration(size.Days) * 24 * time.Hour
	for i := range size.Plays {
		started := f.now.Add(-period + time.Duration(float64(period)*float64(i)/float64(size.Plays)))
		fmt.Fprintf(f.out, `{"type":"play","id":"%s","forkId":"%s","playerId":"%s",`+
			`"releaseNumber":%d,"startedAt":"%s",%s"skills":[%s]}`+"\n", f.newID(),
			f.ids.Fork, players[f.random.IntN(size.Players)], 1+i*8/size.Plays,
			started.Format(instantLayout), f.randomCompletion(started), f.randomAnswers())
	}
	return f.ids, f.out.Flush() // Flush returns the first error of any write
}

type importFileWriter struct {
	out    *bufio.Writer
	now    time.Time
	source *rand.ChaCha8
	random *rand.Rand
	ids    ImportFileIDs
}

const instantLayout = "2006-01-02T15:04:05.000Z"

// writeOrganisation writes all lines except the plays, and returns the ids of the players.
func (f *importFileWriter) writeOrganisation(size ImportFileSize) (players []uuid.UUID) {
	f.ids.Organisation = f.newID()
	game := f.newID()
	fmt.Fprintf(f.out, `{"type":"organisation","id":"%s","slug":"set-%.8s","name":"Data set",`+
		`"plan":"enterprise","reportingMode":"pseudonymous"}`+"\n", f.ids.Organisation,
		f.ids.Organisation.String())
	fmt.Fprintf(f.out, `{"type":"game","id":"%s","slug":"set","title":"Data set"}`+"\n", game)
	f.ids.Fork = f.newID()
	fmt.Fprintf(f.out, `{"type":"fork","id":"%s","organisationId":"%s","gameId":"%s",`+
		`"slug":"fork-1","title":"Fork 1","major":1,"status":"active",`+
		`"visibility":"organization","sourceLocale":"en","deployedReleaseNumber":8,`+
		`"suspended":false,"createdAt":"%[4]s","updatedAt":"%[4]s"}`+"\n", f.ids.Fork,
		f.ids.Organisation, game, f.now.Format(instantLayout))
	for i := range size.Players {
		players = append(players, f.newID())
		fmt.Fprintf(f.out, `{"type":"player","id":"%s","organisationId":"%s",`+
			`"displayName":"Player %d"}`+"\n", players[i], f.ids.Organisation, i+1)
	}
	for i, n := range size.Groups {
		f.ids.Groups = append(f.ids.Groups, f.newID())
		fmt.Fprintf(f.out, `{"type":"group","id":"%s","organisationId":"%s",`+
			`"name":"Group of %d","playerIds":["%s"]}`+"\n", f.ids.Groups[i], f.ids.Organisation, n,
			strings.Join(uuid.UUIDs(players[:n]).Strings(), `","`))
	}
	return players
}

func (f *importFileWriter) newID() uuid.UUID {
	return uuid.Must(uuid.NewRandomFromReader(f.source)) // the source never fails
}

// randomCompletion draws the fields of a finished play. For an unfinished one it returns "".
func (f *importFileWriter) randomCompletion(started time.Time) string {
	if f.random.IntN(10) == 0 {
		return ""
	}
	completed := started.Add(time.Duration(60_000+f.random.IntN(1_200_000)) * time.Millisecond)
	score := min(2_000+f.random.IntN(8_500), 10_000)
	return fmt.Sprintf(`"completedAt":"%s","scorePercent":%d.%02d,"passed":%t,`,
		completed.Format(instantLayout), score/100, score%100, score >= 7_000)
}

// randomAnswers draws answers to two to four skills, 5.5 answers on average.
func (f *importFileWriter) randomAnswers() string {
	answers := make([]string, 2+f.random.IntN(3))
	firstSkill := f.random.IntN(len(importSkills))
	for i := range answers {
		attempts := []int{1, 1, 2, 2, 2, 3}[f.random.IntN(6)]
		answers[i] = fmt.Sprintf(`{"skillId":"%s","attempts":%d,"correct":%d}`,
			importSkills[(firstSkill+i*7)%len(importSkills)], attempts, min(f.random.IntN(4), attempts))
	}
	return strings.Join(answers, ",")
}

// importSkills copies the skills of modules/games, because testkit imports no module.
var importSkills = strings.Fields(`
	prompting.context prompting.constraints prompting.examples
	data.quality.duplicates data.quality.missing data.quality.formats data.quality.outliers
	ai.critical.hallucination ai.critical.bias ai.critical.verification
	ai.usage.good-fit ai.usage.personal-data ai.usage.accountability ai.usage.human-review
	ai.usage.right-tool data.leadership.incident data.leadership.privacy data.leadership.quality
	data.leadership.value data.leadership.culture data.leadership.ai-adoption
	ai.agents.data-access ai.agents.tool-permissions ai.agents.untrusted-content
	ai.agents.efficiency data.reading.charts data.reading.causation data.reading.sampling
	data.reading.averages data.reading.proportions`)
