package reports

import (
	"dg/modules/reports/snapshot"
	"dg/platform/fairshare"
	"dg/platform/postgres"
)

// How many reports an instance computes at once, and how many of one organisation. Callers can meet
// these bounds: the OpenAPI document and /docs state them. Small and large reports are bounded
// apart, so that a small one never waits for large ones.
const (
	MaxReports               = 6
	MaxReportsOfOrganisation = MaxReports / 2
	// MaxLargeReports is for reports that list more than LargeReport players or read segments for a
	// group. Each takes a core while it runs: more at once would not be ready sooner.
	MaxLargeReports               = 2
	MaxLargeReportsOfOrganisation = MaxLargeReports / 2
	// LargeReport is how many players a small report lists at most.
	LargeReport = snapshot.LargeReport
)

// Large statistics hold the sums, the order and the label of each player; labels of more than
// bytesOfLabel are charged to the lease as they are read (labelBudget). One report at a time, over
// all organisations, may take more than half of maxLargeBytes. So an instance holds at most
// maxLargeBytes and the excess of that one: 100,000 players with names of 800 bytes take 90 MB.
//
// The memory of answers: of a report while it is computed, and of what its body is made of until
// that is sent, however slowly the client reads. Beside organisations that hold slow answers of
// 100,000 players, the eighth organisation finds room for its first one (package fairshare).
const (
	smallBytes    = 2 << 20 // of one small report at its peak
	maxSmallBytes = 32 << 20
	maxLargeBytes = 96 << 20
	// peak memory of one player in a large report
	bytesOfPlayer = bytesOfSum + bytesOfOrder + bytesOfSorting + bytesOfLabel
	// with the place of the label
	bytesOfSum               = 20
	bytesOfOrder             = 8
	bytesOfSorting           = 12  // until the order is there
	bytesOfLabel             = 16  // of a pseudonym
	bytesOfRow               = 160 // of a row that a screen holds, searches and sorts
	bytesOfSegments          = 4 << 20
	bytesOfMonth             = 12 << 20 // of a month with the plays of each player, beyond a day
	connsBesideReports int32 = 3        // of the pool: for forks and the sealer
)

// Limits admit reports. Small admits fork lists as well: they take the same connections.
type Limits struct{ Small, Large *fairshare.Limiter }

// NewLimits returns the limits of a pool, lower ones for a small pool: together they leave
// connections to other readers.
func NewLimits(reads *postgres.DB) Limits {
	const busy = "Too many reports are being computed."
	spare := int(reads.Pool.Config().MaxConns - connsBesideReports)
	large := max(2, min(MaxLargeReports, spare/4))
	return Limits{
		Small: fairshare.New(fairshare.Limits{
			MaxConcurrent: max(2, min(MaxReports, spare-large)),
			Bytes:         maxSmallBytes,
			BusyMessage:   busy,
		}),
		Large: fairshare.New(fairshare.Limits{
			MaxConcurrent: large,
			Bytes:         maxLargeBytes,
			BusyMessage:   busy,
		}),
	}
}

// Limiters are what bounds the service's work, by the name of the work.
func (s *Service) Limiters() map[string]*fairshare.Limiter {
	return map[string]*fairshare.Limiter{"reports": s.limits.Small, "large_reports": s.limits.Large}
}
