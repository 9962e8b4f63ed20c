package segment

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// Increment a version when its format changes: segments of an older version are then ignored, and
// sealed again. DayVersion begins a packed day and its sums, MonthVersion a packed month.
const (
	DayVersion   = 5
	MonthVersion = 8
)

// ErrDamaged says that a segment is missing, or that its version, checksum or format is wrong.
var ErrDamaged = errors.New("reports: a segment is damaged")

var castagnoli = crc32.MakeTable(crc32.Castagnoli) // most processors compute it in hardware

const checksumSize = 4

// checksum covers the date, so that a segment stored for another date counts as damaged.
func checksum(start int64, b []byte) uint32 {
	var date [8]byte
	binary.LittleEndian.PutUint64(date[:], uint64(start))
	return crc32.Update(crc32.Checksum(date[:], castagnoli), castagnoli, b)
}

// putChecksum writes a checksum to b[offset:]. It covers the date (start) and all later bytes of b.
func putChecksum(b []byte, offset int, start int64) {
	binary.LittleEndian.PutUint32(b[offset:], checksum(start, b[offset+checksumSize:]))
}

func newBuffer(version byte) []byte {
	return append([]byte{version}, make([]byte, checksumSize)...)
}

// reader reads a segment from the front. Reading beyond the end returns zero and sets damaged.
type reader struct {
	b       []byte
	damaged bool
}

func (r *reader) readUvarint() uint64 {
	if len(r.b) > 0 && r.b[0] < 0x80 { // nearly all numbers take one byte
		v := r.b[0]
		r.b = r.b[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.damaged = true
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) take(n uint64) []byte {
	if uint64(len(r.b)) < n {
		r.damaged = true
		r.b = nil
		return nil
	}
	v := r.b[:n]
	r.b = r.b[n:]
	return v
}

// readHeader checks version and checksum, and returns the number of players or plays that follows.
func (r *reader) readHeader(version byte, start int64) uint64 {
	if v := r.take(1); v == nil || v[0] != version {
		r.damaged = true
		return 0
	}
	if r.verifyChecksum(start); r.damaged {
		return 0
	}
	return r.readUvarint()
}

func (r *reader) verifyChecksum(start int64) {
	if sum := r.take(checksumSize); sum == nil ||
		binary.LittleEndian.Uint32(sum) != checksum(start, r.b) {
		r.damaged = true
	}
}

func (r *reader) intactAtEnd() bool { return !r.damaged && len(r.b) == 0 }
