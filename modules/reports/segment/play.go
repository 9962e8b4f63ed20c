package segment

// Play is one play.
type Play struct {
	StartedAt int64 // milliseconds since 1970
	Player    int32 // players.ordinal
	Completed bool
	Score     int16 // hundredths of a percent; 0 unless completed
	Passed    bool
	Answers   []byte // each is a games.Answer
}

// A result is packed into two bytes: the score, and whether the play was completed and passed.
const (
	resultScore     = 1<<14 - 1
	resultCompleted = 1 << 14
	resultPassed    = 1 << 15
)

func (p Play) result() uint16 {
	r := uint16(p.Score)
	if p.Completed {
		r |= resultCompleted
	}
	if p.Passed {
		r |= resultPassed
	}
	return r
}

func (p *Play) setResult(r uint16) {
	p.Score = int16(r & resultScore)
	p.Completed = r&resultCompleted != 0
	p.Passed = r&resultPassed != 0
}
