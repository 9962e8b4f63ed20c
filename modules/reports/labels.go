package reports

import (
	"errors"
	"strings"
)

const (
	labelsPerPage = 128
	labelHeader   = 16 // bytes of a string's header
	labelBlock    = 16 << 10
	// maxExportPlayers bounds the cells of players that an export holds. Where they take more, each row reads its own.
	maxExportPlayers = 12 << 20
)

var errTooManyLabels = errors.New("reports: the labels take too much memory")

// labels holds the labels of players by ordinal. Their text stands in blocks, so that each label is copied once.
type labels struct {
	pages []*[labelsPerPage]string
	block strings.Builder
	grow  func(bytes int) error // called before a block is allocated; may refuse
}

func (l *labels) put(ordinal int32, label []byte) error {
	if l.block.Cap()-l.block.Len() < len(label) {
		size := max(labelBlock, len(label))
		if err := l.grow(size); err != nil {
			return err
		}
		l.block = strings.Builder{}
		l.block.Grow(size)
	}
	begin := l.block.Len()
	l.block.Write(label)
	*l.at(ordinal) = l.block.String()[begin:] // shares the block's memory
	return nil
}

func (l *labels) at(ordinal int32) *string {
	n := int(ordinal / labelsPerPage)
	if n >= len(l.pages) {
		l.pages = append(l.pages, make([]*[labelsPerPage]string, n+1-len(l.pages))...)
	}
	if l.pages[n] == nil {
		l.pages[n] = new([labelsPerPage]string)
	}
	return &l.pages[n][ordinal%labelsPerPage]
}

// of returns the label of a player, or nothing.
func (l *labels) of(ordinal int32) string {
	if n := int(ordinal / labelsPerPage); n < len(l.pages) && l.pages[n] != nil {
		return l.pages[n][ordinal%labelsPerPage]
	}
	return ""
}
