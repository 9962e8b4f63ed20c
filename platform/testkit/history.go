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

// HistorySize is the size of an import file.
type HistorySize struct {
	Plays, Players int
	Days           int   // the plays are spread over these days, up to now
	Groups         []int // sizes of the groups; a group of n has the first n players
}

// HistoryIDs are the ids of the objects in the file.
type HistoryIDs struct {
	Organisation, Fork uuid.UUID
	Groups             []uuid.UUID
}

// WriteHistory writes an import file for tests and scripts/bench. It has an organisation on Enterprise
// with a fork, players, groups and plays. Nine of ten plays are finished. The plays are in the order
// of their start. The same seed, now and size give the same file. Memory does not grow with plays.
func WriteHistory(w io.Writer, seed uint64, now time.Time, size HistorySize) (HistoryIDs, error) {
	h := historyWriter{out: bufio.NewWriter(w), now: now.UTC().Truncate(time.Millisecond)}
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	h.source = rand.NewChaCha8(key)
	h.random = rand.New(h.source)
	players := h.writeOrganisation(size)
	period := time.Duration(size.Days) * 24 * time.Hour
	for i := range size.Plays {
		started := h.now.Add(-period + time.Duration(float64(period)*float64(i)/float64(size.Plays)))
		fmt.Fprintf(h.out, `{"type":"play","id":"%s","forkId":"%s","playerId":"%s",`+
			`"releaseNumber":%d,"startedAt":"%s",%s"skills":[%s]}`+"\n", h.newID(),
			h.ids.Fork, players[h.random.IntN(size.Players)], 1+i*8/size.Plays,
			started.Format(instantLayout), h.randomCompletion(started), h.randomAnswers())
	}
	return h.ids, h.out.Flush() // Flush returns the first error of any write
}

type historyWriter struct {
	out    *bufio.Writer
	now    time.Time
	source *rand.ChaCha8
	random *rand.Rand
	ids    HistoryIDs
}

const instantLayout = "2006-01-02T15:04:05.000Z"

// writeOrganisation writes all lines except the plays, and returns the ids of the players.
func (h *historyWriter) writeOrganisation(size HistorySize) (players []uuid.UUID) {
	h.ids.Organisation = h.newID()
	game := h.newID()
	fmt.Fprintf(h.out, `{"type":"organisation","id":"%s","slug":"set-%.8s","name":"Data set",`+
		`"plan":"enterprise","reportingMode":"pseudonymous"}`+"\n", h.ids.Organisation,
		h.ids.Organisation.String())
	fmt.Fprintf(h.out, `{"type":"game","id":"%s","slug":"set","title":"Data set"}`+"\n", game)
	h.ids.Fork = h.newID()
	fmt.Fprintf(h.out, `{"type":"fork","id":"%s","organisationId":"%s","gameId":"%s",`+
		`"slug":"fork-1","title":"Fork 1","major":1,"status":"active",`+
		`"visibility":"organization","sourceLocale":"en","deployedReleaseNumber":8,`+
		`"suspended":false,"createdAt":"%[4]s","updatedAt":"%[4]s"}`+"\n", h.ids.Fork,
		h.ids.Organisation, game, h.now.Format(instantLayout))
	for i := range size.Players {
		players = append(players, h.newID())
		fmt.Fprintf(h.out, `{"type":"player","id":"%s","organisationId":"%s",`+
			`"displayName":"Player %d"}`+"\n", players[i], h.ids.Organisation, i+1)
	}
	for i, n := range size.Groups {
		h.ids.Groups = append(h.ids.Groups, h.newID())
		fmt.Fprintf(h.out, `{"type":"group","id":"%s","organisationId":"%s",`+
			`"name":"Group of %d","playerIds":["%s"]}`+"\n", h.ids.Groups[i], h.ids.Organisation, n,
			strings.Join(uuid.UUIDs(players[:n]).Strings(), `","`))
	}
	return players
}

func (h *historyWriter) newID() uuid.UUID {
	return uuid.Must(uuid.NewRandomFromReader(h.source)) // the source never fails
}

// randomCompletion draws the fields of a finished play. For an unfinished one it returns "".
func (h *historyWriter) randomCompletion(started time.Time) string {
	if h.random.IntN(10) == 0 {
		return ""
	}
	completed := started.Add(time.Duration(60_000+h.random.IntN(1_200_000)) * time.Millisecond)
	score := min(2_000+h.random.IntN(8_500), 10_000)
	return fmt.Sprintf(`"completedAt":"%s","scorePercent":%d.%02d,"passed":%t,`,
		completed.Format(instantLayout), score/100, score%100, score >= 7_000)
}

// randomAnswers draws the answers to two, three or four skills, 5.5 on average.
func (h *historyWriter) randomAnswers() string {
	answers := make([]string, 2+h.random.IntN(3))
	firstSkill := h.random.IntN(len(historySkills))
	for i := range answers {
		attempts := []int{1, 1, 2, 2, 2, 3}[h.random.IntN(6)]
		answers[i] = fmt.Sprintf(`{"skillId":"%s","attempts":%d,"correct":%d}`,
			historySkills[(firstSkill+i*7)%len(historySkills)], attempts, min(h.random.IntN(4), attempts))
	}
	return strings.Join(answers, ",")
}

// historySkills copies the skills of modules/games, because testkit imports no module.
var historySkills = strings.Fields(`
	prompting.context prompting.constraints prompting.examples
	data.quality.duplicates data.quality.missing data.quality.formats data.quality.outliers
	ai.critical.hallucination ai.critical.bias ai.critical.verification
	ai.usage.good-fit ai.usage.personal-data ai.usage.accountability ai.usage.human-review
	ai.usage.right-tool data.leadership.incident data.leadership.privacy data.leadership.quality
	data.leadership.value data.leadership.culture data.leadership.ai-adoption
	ai.agents.data-access ai.agents.tool-permissions ai.agents.untrusted-content
	ai.agents.efficiency data.reading.charts data.reading.causation data.reading.sampling
	data.reading.averages data.reading.proportions`)
