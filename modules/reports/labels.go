package reports

import (
	"encoding/binary"
	"errors"
	"strings"
)

const (
	labelsPerPage = 128
	labelHeader   = 4 // bytes of a label's position
	labelBlock    = 16 << 10
	// maxExportPlayers bounds the players' cells of an export, in bytes. Above it each row reads its
	// own.
	maxExportPlayers = 12 << 20
)

var errTooManyLabels = errors.New("reports: the labels take too much memory")

// labels holds the labels of players by ordinal. Blocks hold each label after its length: a label
// takes five bytes besides its text.
type labels struct {
	// by ordinal: block * labelBlock + offset + 1; 0: no label
	pages  []*[labelsPerPage]uint32
	blocks []string
	block  strings.Builder       // the last of blocks
	grow   func(bytes int) error // called before a block is allocated; may refuse, or be nil
}

func (l *labels) put(ordinal int32, label []byte) error {
	var length [binary.MaxVarintLen32]byte
	size := binary.PutUvarint(length[:], uint64(len(label)))
	// A label begins within the first labelBlock bytes of a block, also where a long one has room left.
	if need := size + len(label); l.block.Len() >= labelBlock ||
		l.block.Cap()-l.block.Len() < need {
		if err := l.addBlock(max(labelBlock, need)); err != nil {
			return err
		}
	}
	last := len(l.blocks) - 1
	*l.at(ordinal) = uint32(last*labelBlock+l.block.Len()) + 1
	l.block.Write(length[:size])
	l.block.Write(label)
	l.blocks[last] = l.block.String() // shares the builder's memory
	return nil
}

func (l *labels) addBlock(bytes int) error {
	if l.grow != nil {
		if err := l.grow(bytes); err != nil {
			return err
		}
	}
	l.block = strings.Builder{}
	l.block.Grow(bytes)
	l.blocks = append(l.blocks, "")
	return nil
}

func (l *labels) at(ordinal int32) *uint32 {
	n := int(ordinal / labelsPerPage)
	if n >= len(l.pages) {
		l.pages = append(l.pages, make([]*[labelsPerPage]uint32, n+1-len(l.pages))...)
	}
	if l.pages[n] == nil {
		l.pages[n] = new([labelsPerPage]uint32)
	}
	return &l.pages[n][ordinal%labelsPerPage]
}

// of returns the label of a player, or "".
func (l *labels) of(ordinal int32) string {
	n := int(ordinal / labelsPerPage)
	if n >= len(l.pages) || l.pages[n] == nil || l.pages[n][ordinal%labelsPerPage] == 0 {
		return ""
	}
	at := l.pages[n][ordinal%labelsPerPage] - 1
	text := l.blocks[at/labelBlock][at%labelBlock:]
	length, size := binary.Uvarint([]byte(text[:min(len(text), binary.MaxVarintLen32)]))
	return text[size:][:length]
}
