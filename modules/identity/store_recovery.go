package identity

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// replaceRecoveryCodes is for a person whose row is locked: there are never more than ten.
func (s *Service) replaceRecoveryCodes(ctx context.Context, tx pgx.Tx, in *signedIn) ([]string, error) {
	codes, err := newRecoveryCodes(s.random)
	if err != nil {
		return nil, err
	}
	hashes := make([][]byte, len(codes))
	for i, text := range codes {
		code, _ := parseRecoveryCode(text)
		hashes[i] = hashRecoveryCode(in.Person.ID, code)
	}
	if _, err := tx.Exec(ctx, `/* identity.voidRecoveryCodes */ delete from recovery_codes where user_id = $1`, in.Person.ID); err != nil {
		return nil, fmt.Errorf("identity: void recovery codes: %w", err)
	}
	_, err = tx.Exec(ctx, `/* identity.addRecoveryCodes */
		insert into recovery_codes (user_id, code_hash) select $1, unnest($2::bytea[])`, in.Person.ID, hashes)
	if err != nil {
		return nil, fmt.Errorf("identity: add recovery codes: %w", err)
	}
	return codes, nil
}

// useRecoveryCode says whether the code is one of the person's, who is locked, and removes it: no other transaction sees
// it again.
func useRecoveryCode(ctx context.Context, tx pgx.Tx, personID, code string) (bool, error) {
	used, err := tx.Exec(ctx, `/* identity.useRecoveryCode */ delete from recovery_codes where user_id = $1 and code_hash = $2`,
		personID, hashRecoveryCode(personID, code))
	if err != nil {
		return false, fmt.Errorf("identity: use a recovery code: %w", err)
	}
	return used.RowsAffected() == 1, nil
}

func (s *Service) countRecoveryCodes(ctx context.Context, personID string) (left int, err error) {
	err = s.db.Pool.QueryRow(ctx, `/* identity.countRecoveryCodes */ select count(*) from recovery_codes where user_id = $1`, personID).Scan(&left)
	if err != nil {
		return 0, fmt.Errorf("identity: count recovery codes: %w", err)
	}
	return left, nil
}
