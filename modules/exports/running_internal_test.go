package exports

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/platform/apperr"
)

// Decisions, "CSV": an export ends within two seconds of its actor's losing the right to it, and of not hearing from the
// database; the two are not confused, neither for a key nor for a person.
func TestNoAnswerIsNotNo(t *testing.T) {
	t.Parallel()
	silence := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	failing := func(context.Context) error { return errors.New("connection refused") }
	denied := func(code apperr.Code) func(context.Context) error {
		return func(context.Context) error { return apperr.New(code, "no") }
	}
	for name, c := range map[string]struct {
		kind    audit.ActorKind
		allowed func(context.Context) error
		outcome string
		code    apperr.Code // of the answer, where nothing was sent yet
	}{
		"key, silence":      {audit.Key, silence, "database_unavailable", apperr.Unavailable},
		"key, failure":      {audit.Key, failing, "database_unavailable", apperr.Unavailable},
		"key, no":           {audit.Key, denied(apperr.AuthRequired), "key_unusable", apperr.AuthRequired},
		"person, silence":   {audit.Person, silence, "database_unavailable", apperr.Unavailable},
		"person, failure":   {audit.Person, failing, "database_unavailable", apperr.Unavailable},
		"person, no":        {audit.Person, denied(apperr.AuthRequired), "access_ended", apperr.AuthRequired},
		"person, no role":   {audit.Person, denied(apperr.AccessDenied), "access_ended", apperr.AuthRequired},
		"person, no member": {audit.Person, denied(apperr.NotFound), "access_ended", apperr.AuthRequired},
		"panic":             {audit.Key, func(context.Context) error { panic("index out of range") }, "failed", apperr.Internal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &running{Order: Order{Actor: audit.Actor{Kind: c.kind}, Recheck: c.allowed}}
			begun := time.Now()
			ctx := r.watch()
			select {
			case <-ctx.Done():
			case <-time.After(10 * time.Second):
				t.Fatal("the export goes on")
			}
			require.Less(t, time.Since(begun), 4*time.Second)
			cause := fmt.Errorf("stream: %w", context.Cause(ctx))
			require.Equal(t, c.outcome, outcomeName(cause))
			require.Equal(t, c.code, apperr.From(cause).Code)
			require.NotContains(t, apperr.From(cause).Message, "refused")
		})
	}
}
