package reports

import "errors"

// maxExportPlayers bounds the players' cells of an export, in bytes. Above it each row reads its own.
const maxExportPlayers = 12 << 20

var errTooManyLabels = errors.New("reports: the labels take too much memory")

// labels are texts by the ordinal of a player.
type labels struct {
	texts []string
	room  int // bytes that further texts may take; 0: any number
}

func (l *labels) put(ordinal int32, text []byte) error {
	if l.room > 0 {
		if l.room -= len(text); l.room <= 0 {
			return errTooManyLabels
		}
	}
	if more := int(ordinal) + 1 - len(l.texts); more > 0 {
		l.texts = append(l.texts, make([]string, more)...)
	}
	l.texts[ordinal] = string(text)
	return nil
}

// of returns the label of a player, or "".
func (l *labels) of(ordinal int32) string {
	if int(ordinal) >= len(l.texts) {
		return ""
	}
	return l.texts[ordinal]
}
