package org

import "io"

// labelAlphabet is Crockford's base32, without I, L, O and U.
const labelAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// NewLabel draws a player's pseudonym with 50 random bits, such as P-7K3M9QXA2F. A constraint of
// the table refuses a label that the organisation already has.
func NewLabel(random io.Reader) (string, error) {
	var b [10]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", err
	}
	for i := range b {
		b[i] = labelAlphabet[b[i]&31]
	}
	return "P-" + string(b[:]), nil
}
