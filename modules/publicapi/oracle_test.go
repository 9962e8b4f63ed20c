package publicapi_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/games"
	"dg/platform/testkit/oracle"
)

// asked is a report on a history. keys and labels are the players', by their index.
type asked struct {
	history  *history
	keys     []string
	labels   []string
	fork     string
	from, to time.Time // first instants of the first and last day
	group    *group
}

// question is the same for the oracle, with the plays.
func (a asked) question() (oracle.Question, []oracle.Play) {
	q := oracle.Question{
		Fork: a.fork, From: a.from, To: a.to, Mode: a.history.mode, Keys: a.keys, Labels: a.labels,
	}
	if a.group != nil {
		q.Members = map[int]bool{}
		for _, m := range a.group.members {
			q.Members[m] = true
		}
	}
	for i := range games.SkillCount {
		q.Skills = append(q.Skills, games.Skill(i).ID())
	}
	var plays []oracle.Play
	for _, p := range a.history.plays {
		play := oracle.Play{
			ID: p.id, Fork: p.fork, Player: p.player, Release: p.release, Started: p.started,
			Completed: p.completed, Score: p.score, Passed: p.passed,
		}
		for _, answer := range p.answers {
			play.Answers = append(play.Answers, oracle.Answered{
				Skill: answer.skill, Attempts: answer.attempts, Correct: answer.correct,
			})
		}
		plays = append(plays, play)
	}
	return q, plays
}

// statistics is what the API must answer.
func (a asked) statistics(t *testing.T) string {
	t.Helper()
	q, plays := a.question()
	text, err := json.Marshal(q.Statistics(slices.Values(plays)))
	require.NoError(t, err)
	return string(text)
}

// csv is the whole file.
func (a asked) csv() string {
	q, plays := a.question()
	return q.CSV(plays)
}
