package audit

import (
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
)

// ReadAuditLog is the permission to read and download an organisation's log.
var ReadAuditLog = authz.Permission{Resource: "audit_log", Action: "read"}

// Log appends to and reads the logs of organisations.
type Log struct {
	db *postgres.DB

	// OnWriteFailure is called when an entry or a count of refusals cannot be added. It is never
	// nil. Set it before the first write.
	OnWriteFailure func()
}

// New returns the log over db. OnWriteFailure does nothing until it is set.
func New(db *postgres.DB) *Log { return &Log{db: db, OnWriteFailure: func() {}} }

// insertSQL leaves id and at to a trigger. Append and AppendToAll have different tags, because
// tests require that audit.append is scoped to an organisation.
const insertSQL = `
	insert into audit_entries (org_id, actor_kind, actor_id, actor_name, action, target_kind, target_id,
	  reason, details, method, path, address, user_agent, request_id)
	select unnest($1::uuid[]), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14`

const (
	appendSQL      = `/* audit.append */` + insertSQL
	appendToAllSQL = `/* audit.appendToAll */` + insertSQL
)

// Append adds an entry in a transaction of its own. Errors: apperr.Internal (unknown action).
func (l *Log) Append(ctx context.Context, e Entry) error {
	return l.insert([]string{e.OrganisationID}, e, func(args []any) error {
		_, err := l.db.Pool.Exec(ctx, appendSQL, args...)
		return err
	})
}

// AppendIn adds an entry in the caller's transaction. Errors: apperr.Internal (unknown action).
func (l *Log) AppendIn(tx *gorm.DB, e Entry) error {
	return l.insert([]string{e.OrganisationID}, e, func(args []any) error {
		return tx.Scopes(acrossLogs).Exec(appendSQL, args...).Error
	})
}

var acrossLogs = tenant.Across("the logs are a parameter")

// AppendToAll adds the entry to the log of each of organisationIDs, in the caller's transaction. It
// ignores e.OrganisationID. Errors: apperr.Internal (unknown action).
func (l *Log) AppendToAll(tx *gorm.DB, organisationIDs []string, e Entry) error {
	return l.insert(organisationIDs, e, func(args []any) error {
		return tx.Scopes(acrossLogs).Exec(appendToAllSQL, args...).Error
	})
}

func (l *Log) insert(organisationIDs []string, e Entry, run func(args []any) error) error {
	e, details, err := prepareEntry(e)
	if err == nil {
		r := e.Request
		err = run([]any{organisationIDs, e.Actor.Kind, e.Actor.ID, e.Actor.Name, e.Action, e.Target.Kind,
			e.Target.ID, e.Reason, details, r.Method, r.Path, r.Address, r.UserAgent, r.ID})
	}
	return l.reportFailure(err, "append", e.Action)
}

func (l *Log) reportFailure(err error, verb string, action Action) error {
	if err != nil {
		l.OnWriteFailure()
	}
	return apperr.Annotate(err, "audit: "+verb+" "+string(action))
}

// AppendChanges adds an operator's entry for each row of the query changes, in the caller's
// transaction. A row has an organisation's id, the target's id and the details as jsonb. changes
// becomes part of the statement, so it must not contain input.
func AppendChanges(
	ctx context.Context, tx pgx.Tx, action Action, targetKind string, request Request, changes string,
) error {
	e, _, err := prepareEntry(Entry{Actor: OperatorActor, Action: action, Request: request})
	if err != nil {
		return err
	}
	r := e.Request
	_, err = tx.Exec(ctx, `/* audit.appendChanges */
		insert into audit_entries (org_id, actor_kind, actor_id, actor_name, action, target_kind, target_id, details,
		                           method, path, address, user_agent, request_id)
		select c.org_id, $1, $2, $3, $4, $5, c.target_id, c.details, $6, $7, $8, $9, $10
		  from (`+changes+`) c (org_id, target_id, details)`,
		e.Actor.Kind, e.Actor.ID, e.Actor.Name, action, targetKind, r.Method, r.Path, r.Address,
		r.UserAgent, r.ID)
	return apperr.Annotate(err, "audit: append "+string(action))
}

// prepareEntry checks the action, sanitises the client's text and returns the details as JSON.
func prepareEntry(e Entry) (_ Entry, details json.RawMessage, err error) {
	if _, known := DisplayOf(e.Action); !known {
		return e, nil, apperr.New(apperr.Internal, "audit: the action %q is unknown", e.Action)
	}
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	e.Target.ID = sanitise(e.Target.ID, maxPath)
	e.Request.Method = sanitise(e.Request.Method, maxMethod)
	e.Request.Path = sanitise(e.Request.Path, maxPath)
	e.Request.Address = sanitise(e.Request.Address, maxHeader) // a host program may take it from a header
	e.Request.UserAgent = sanitise(e.Request.UserAgent, maxHeader)
	e.Request.ID = sanitise(e.Request.ID, maxHeader)
	details, err = json.Marshal(e.Details)
	return e, details, apperr.Annotate(err, "audit: append "+string(e.Action))
}

// These constants bound a client's text in an entry, in bytes.
const (
	maxPath   = 1024
	maxHeader = 256 // user agent, request id, or address
	maxMethod = 16
)

// sanitise makes a client's text storable: valid UTF-8 without NUL, cut to at most limit bytes.
// U+FFFD replaces invalid bytes and NUL.
func sanitise(s string, limit int) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
	if len(s) <= limit {
		return s
	}
	s = s[:limit]
	for len(s) > 0 && !utf8.ValidString(s) {
		s = s[:len(s)-1]
	}
	return s
}

// RefusalsDetail is the key in Entry.Details for the number of refusals that an entry counts.
const RefusalsDetail = "refusals"

// countRefusalSQL commits without waiting for the disk, so that a flood of refusals stays cheap. A
// crash of PostgreSQL may lose the counts of the last second.
const countRefusalSQL = `/* audit.count */
	insert into audit_refusals (org_id, key_id, key_name, reason, at)
	select $1, $2, $3, $4, date_trunc('minute', statement_timestamp())
	 where set_config('synchronous_commit', 'off', true) = 'off'
	on conflict (org_id, key_id, reason, at) do update set refusals = audit_refusals.refusals + 1`

// CountRefusal counts a key's refusal instead of appending e. The log shows one entry for each
// minute, key and reason, without target and request.
func (l *Log) CountRefusal(ctx context.Context, e Entry) error {
	_, err := l.db.Pool.Exec(ctx, countRefusalSQL, e.OrganisationID, e.Actor.ID, e.Actor.Name, e.Reason)
	return l.reportFailure(err, "count", e.Action)
}
