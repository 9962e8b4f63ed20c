package web

import (
	"context"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/exports"
	"dg/modules/games"
	"dg/modules/identity"
	"dg/modules/org"
	"dg/modules/reports"
	"dg/platform/authz"
	"dg/platform/limiter"
	"dg/web/account"
	"dg/web/auditlog"
	"dg/web/docs"
	"dg/web/keys"
	"dg/web/organisation"
	webreports "dg/web/reports"
	"dg/web/ui"
)

func (s *mocked) modules(policy ui.Policy) Modules {
	forks := s.forks()
	groups := s.groups()
	list := s.keys()
	return Modules{
		Identity: s.identity(), Orgs: s.organisations(), Policy: policy,
		Account: account.Modules{
			SignIns:  s.signIns(),
			Resets:   s.resets(),
			Accounts: s.accounts(),
			TwoStep:  s.twoStep(),
		},
		AuditLog: auditlog.Modules{Log: s.log(), Keys: list, Forks: forks, Groups: groups},
		Keys:     keys.Modules{Keys: list, Changes: s.keyChanges(), Forks: forks},
		Organisation: organisation.Modules{
			Organisations: s.settings(),
			People:        s.people(),
			Keys:          list,
			Forks:         forks,
		},
		Docs: docs.Modules{Groups: groups, Forks: forks},
		Reports: webreports.Modules{
			Forks:   forks,
			Groups:  groups,
			Reports: s.reports(),
			Exports: s.exports(),
		},
	}
}

const anything = mock.Anything

// What the modules know.
var (
	acme = org.Organisation{
		ID:            "0b9f6f0e-5a3c-4d56-9a77-1f8f5a1c2e40",
		Slug:          "acme",
		Name:          "Acme",
		Plan:          org.PlanPro,
		ReportingMode: org.Pseudonymous,
	}
	ann = identity.Person{
		ID:    "0b9f6f0e-5a3c-4d56-9a77-1f8f5a1c2e41",
		Name:  "Ann",
		Email: "ann@acme.example",
	}
	signed = identity.Session{Person: ann, Token: "token", StartedAt: mockedNow}
	fork   = games.Fork{
		ID:             "0b9f6f0e-5a3c-4d56-9a77-1f8f5a1c2e42",
		OrganisationID: acme.ID,
		Slug:           "fork",
		Title:          marker,
		Status:         "active",
		Visibility:     "public",
	}
	soon = mockedNow.Add(time.Hour)
	aKey = apikeys.Key{
		ID:             "AAAAAAAAAAAAAAAAAAAAAA",
		OrganisationID: acme.ID,
		Name:           marker,
		Scopes:         []apikeys.Scope{apikeys.ReportsRead},
		CreatedAt:      mockedNow,
		ExpiresAt:      &soon,
	}
	anEntry = audit.Entry{
		ID:             1,
		OrganisationID: acme.ID,
		At:             mockedNow,
		Actor:          audit.Actor{Kind: audit.Person, ID: ann.ID, Name: marker},
		Action:         audit.ExportStarted,
		Target:         audit.Target{Kind: "fork", ID: fork.ID},
	}
)

// session is Ann's, as the call returns it.
func (s *mocked) session(call string) (identity.Session, error) {
	return give(s, "Identity."+call, signed)
}

// codes are recovery codes, as the call returns them.
func (s *mocked) codes(call string) ([]string, identity.Session, error) {
	codes, err := give(s, "Identity."+call, []string{marker})
	return codes, signed, err
}

type proof = identity.Proof

func (s *mocked) identity() ui.Identity {
	m := newMockIdentity(s.mocks)
	m.On("Session", anything, anything).Return(
		func(context.Context, string) (identity.Session, error) { return s.session("Session") })
	m.On("Reauthenticate", anything, anything, anything).Return(
		func(context.Context, string, proof) error { return s.called("Identity.Reauthenticate") })
	m.On("EncryptText", anything, anything).Return(func(_, text string) string {
		return text
	}).Maybe()
	m.On("DecryptText", anything, anything).Return(func(_, sealed string) (string, error) {
		return sealed, nil
	}).Maybe()
	return m
}

func (s *mocked) signIns() account.SignIns {
	m := newMockSignIns(s.mocks)
	m.On("Session", anything, anything).Return(
		func(context.Context, string) (identity.Session, error) { return s.session("Session") })
	m.On("SignIn", anything, anything, anything, anything).Return(
		func(context.Context, string, string, identity.Client) (identity.Session, error) {
			return s.session("SignIn")
		})
	m.On("VerifySecondStep", anything, anything, anything).Return(
		func(context.Context, string, string) (identity.Session, error) {
			return s.session("VerifySecondStep")
		})
	m.On("RememberBrowser", anything, anything, anything).Return(
		func(context.Context, identity.Session, string) (string, error) {
			return give(s, "Identity.RememberBrowser", "browser")
		})
	m.On("SignOut", anything, anything).Return(
		func(context.Context, string) error { return s.called("Identity.SignOut") })
	return m
}

func (s *mocked) resets() account.Resets {
	m := newMockResets(s.mocks)
	m.On("ResetPerson", anything, anything).
		Return(func(context.Context, string) (identity.Person, error) {
			return give(s, "Identity.ResetPerson", identity.Person{Name: marker, Email: marker})
		})
	m.On("UseReset", anything, anything, anything, anything).Return(
		func(context.Context, string, string, string) error {
			return s.called("Identity.UseReset")
		})
	return m
}

func (s *mocked) people() organisation.People {
	m := newMockPeople(s.mocks)
	m.On("People", anything, anything).
		Return(func(context.Context, []string) ([]identity.Person, error) {
			return give(s, "Identity.People", []identity.Person{{ID: ann.ID, Name: marker}})
		})
	return m
}

func (s *mocked) accounts() account.Accounts {
	m := newMockAccounts(s.mocks)
	m.On("Sessions", anything, anything).
		Return(func(context.Context, string) ([]identity.ActiveSession, error) {
			return give(s, "Identity.Sessions", []identity.ActiveSession{{Address: marker}})
		})
	m.On("EndSession", anything, anything, anything).Return(
		func(context.Context, string, string) error { return s.called("Identity.EndSession") })
	m.On("ChangePassword", anything, anything, anything, anything).Return(
		func(context.Context, string, proof, string) (identity.Session, error) {
			return s.session("ChangePassword")
		})
	m.On("RecoveryCodesLeft", anything, anything).Return(
		func(context.Context, string) (int, error) {
			return give(s, "Identity.RecoveryCodesLeft", 3)
		})
	m.On("SetRegion", anything, anything, anything).Return(
		func(context.Context, string, string) error { return s.called("Identity.SetRegion") })
	return m
}

func (s *mocked) twoStep() account.TwoStep {
	m := newMockTwoStep(s.mocks)
	m.On("BeginTwoStep", anything, anything).
		Return(func(context.Context, string) (identity.Enrolment, error) {
			return give(s, "Identity.BeginTwoStep", identity.Enrolment{Secret: marker})
		})
	m.On("ConfirmTwoStep", anything, anything, anything).Return(
		func(context.Context, string, proof) ([]string, identity.Session, error) {
			return s.codes("ConfirmTwoStep")
		})
	m.On("TurnOffTwoStep", anything, anything, anything).Return(
		func(context.Context, string, proof) (identity.Session, error) {
			return s.session("TurnOffTwoStep")
		})
	m.On("ReplaceRecoveryCodes", anything, anything, anything).Return(
		func(context.Context, string, proof) ([]string, identity.Session, error) {
			return s.codes("ReplaceRecoveryCodes")
		})
	return m
}

func (s *mocked) organisations() ui.Organisations {
	m := newMockOrganisations(s.mocks)
	m.On("Membership", anything, anything, anything).Return(
		func(context.Context, string, string) (org.Membership, error) {
			return give(s, "Orgs.Membership", s.membership("Orgs.Membership"))
		})
	m.On("MembershipsOf", anything, anything).Return(
		func(context.Context, string) ([]org.Membership, error) {
			return give(s, "Orgs.MembershipsOf",
				[]org.Membership{s.membership("Orgs.MembershipsOf")})
		})
	return m
}

func (s *mocked) settings() organisation.Settings {
	m := newMockSettings(s.mocks)
	m.On("Members", anything, anything).
		Return(func(context.Context, string) ([]org.Member, int, error) {
			members, err := give(s, "Orgs.Members",
				[]org.Member{
					{
						OrganisationID: s.owner("Orgs.Members"),
						PersonID:       ann.ID,
						Role:           org.RoleOwner,
					},
				})
			return members, len(members), err
		})
	m.On("GroupPage", anything, anything, anything, anything).Return(
		func(context.Context, string, int, int) ([]org.Group, int, error) {
			groups, err := give(s, "Orgs.GroupPage",
				[]org.Group{{ID: fork.ID, OrganisationID: s.owner("Orgs.GroupPage"), Name: marker}})
			return groups, len(groups), err
		})
	m.On("SetReportingMode", anything, anything, anything, anything).Return(
		func(context.Context, org.Actor, org.ReportingMode, audit.Request) error {
			return s.called("Orgs.SetReportingMode")
		})
	return m
}

func (s *mocked) groups() webreports.Groups {
	m := newMockGroups(s.mocks)
	m.On("Groups", anything, anything, anything).Return(
		func(context.Context, string, string) ([]org.Group, error) {
			return give(s, "Orgs.Groups",
				[]org.Group{{ID: fork.ID, OrganisationID: s.owner("Orgs.Groups"), Name: marker}})
		})
	m.On("FindGroups", anything, anything, anything).Return(
		func(context.Context, string, string) ([]org.Group, bool, error) {
			found := []org.Group{
				{ID: fork.ID, OrganisationID: s.owner("Orgs.FindGroups"), Name: marker},
			}
			groups, err := give(s, "Orgs.FindGroups", found)
			return groups, false, err
		})
	return m
}

func (s *mocked) keys() keys.Keys {
	m := newMockKeys(s.mocks)
	type actor = apikeys.Actor
	m.On("List", anything, anything).Return(
		func(context.Context, actor) ([]apikeys.Key, error) {
			return give(s, "Keys.List", []apikeys.Key{aKey})
		})
	m.On("Expiring", anything, anything).
		Return(func(context.Context, actor) ([]apikeys.Key, error) {
			return give(s, "Keys.Expiring", []apikeys.Key{aKey})
		})
	m.On("Key", anything, anything, anything).Return(
		func(context.Context, actor, string) (apikeys.Key, error) {
			return give(s, "Keys.Key", aKey)
		})
	m.On("Usage", anything, anything, anything).Return(
		func(context.Context, actor, apikeys.Key) ([]apikeys.Usage, error) {
			return give(s, "Keys.Usage",
				[]apikeys.Usage{{Day: mockedNow.Truncate(ui.OneDay), Accepted: 1}})
		})
	return m
}

func (s *mocked) keyChanges() keys.Changes {
	m := newMockChanges(s.mocks)
	type actor = apikeys.Actor
	m.On("Create", anything, anything, anything, anything).Return(
		func(context.Context, actor, apikeys.NewKey, audit.Request) (apikeys.Key, apikeys.Token,
			error) {
			token, err := give(s, "Keys.Create", apikeys.Token{ID: aKey.ID, Secret: marker})
			return aKey, token, err
		})
	m.On("Replace", anything, anything, anything, anything, anything).Return(
		func(context.Context, actor, string, apikeys.Replacement, audit.Request) (apikeys.Replaced,
			error) {
			return give(s, "Keys.Replace", apikeys.Replaced{
				Old:   aKey,
				New:   aKey,
				Token: apikeys.Token{ID: aKey.ID, Secret: marker},
			})
		})
	m.On("Rename", anything, anything, anything, anything, anything).Return(
		func(context.Context, actor, string, apikeys.Label, audit.Request) error {
			return s.called("Keys.Rename")
		})
	m.On("Revoke", anything, anything, anything, anything).Return(
		func(context.Context, actor, string, audit.Request) error {
			return s.called("Keys.Revoke")
		})
	return m
}

func (s *mocked) forks() webreports.Forks {
	m := newMockForks(s.mocks)
	m.On("Forks", anything, anything).Return(func(context.Context, string) ([]games.Fork, error) {
		return give(s, "Games.Forks", []games.Fork{s.forkOf("Games.Forks")})
	})
	m.On("Fork", anything, anything, anything).
		Return(func(context.Context, string, string) (games.Fork, error) {
			return give(s, "Games.Fork", s.forkOf("Games.Fork"))
		})
	return m
}

func (s *mocked) reports() webreports.Reports {
	m := newMockReports(s.mocks)
	m.On("Statistics", anything, anything, anything).Return(
		func(_ context.Context, q reports.Query, _ func(*limiter.Lease)) (reports.Statistics,
			error) {
			stats, err := give(s, "Reports.Statistics",
				reports.Statistics{ReportingMode: org.Pseudonymous})
			if err == nil {
				err = s.groupOf("Reports.Statistics", q)
			}
			return stats, err
		})
	m.On("LastPlay", anything, anything, anything).Return(
		func(context.Context, string, string) (time.Time, bool, error) {
			at, err := give(s, "Reports.LastPlay", mockedNow)
			return at, err == nil, err
		})
	m.On("Overview", anything, anything).
		Return(func(context.Context, reports.Query) (reports.Overview, error) {
			return give(s, "Reports.Overview", reports.Overview{
				Counted: true,
				Forks:   map[string]*reports.ForkOverview{fork.ID: {Players: 7}},
			})
		})
	return m
}

// groupOf asks about the owner of the query's group, as package reports does.
func (s *mocked) groupOf(call string, q reports.Query) error {
	if q.GroupID == "" {
		return nil
	}
	return q.MayReadGroup(s.owner(call))
}

func (s *mocked) exports() webreports.Exports {
	m := newMockExports(s.mocks)
	m.On("Send", anything, anything, anything).
		Return(func(_ context.Context, c *fiber.Ctx, r exports.Request) error {
			if err := s.called("Exports.Send"); err != nil {
				return err
			}
			if err := s.groupOf("Exports.Send", r.Query); err != nil {
				return err
			}
			return c.SendString(marker)
		})
	return m
}

func (s *mocked) log() auditlog.AuditLog {
	m := newMockAuditLog(s.mocks)
	m.On("List", anything, anything, anything).Return(
		func(context.Context, string, audit.Page) ([]audit.Entry, error) {
			e := anEntry
			e.OrganisationID = s.owner("Log.List")
			return give(s, "Log.List", []audit.Entry{anEntry, e})
		})
	m.On("People", anything, anything).Return(
		func(context.Context, string) ([]audit.Actor, error) {
			return give(s, "Log.People", []audit.Actor{anEntry.Actor})
		})
	m.On("Counterparts", anything, anything, anything).Return(
		func(context.Context, string, []audit.Entry) (map[int64]audit.Entry, error) {
			return give(s, "Log.Counterparts", map[int64]audit.Entry{})
		})
	m.On("Append", anything, anything).Return(func(context.Context, audit.Entry) error {
		return s.called("Log.Append")
	})
	return m
}

// newPolicy is the policy of the program.
func newPolicy(t *testing.T) ui.Policy {
	t.Helper()
	policy, err := authz.New()
	require.NoError(t, err)
	return policy
}
