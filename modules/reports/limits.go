package reports

import (
	"dg/modules/reports/snapshot"
	"dg/platform/fairshare"
	"dg/platform/postgres"
)

// How many reports an instance computes at once, and how many of one organisation. The OpenAPI
// document and /docs state these bounds. A small report never waits for large ones.
const (
	MaxReports               = 6
	MaxReportsOfOrganisation = MaxReports / 2
	// MaxLargeReports bounds reports that list more than LargeReport players or read segments for a
	// group. Each uses a core while it runs.
	MaxLargeReports               = 2
	MaxLargeReportsOfOrganisation = MaxLargeReports / 2
	// LargeReport is the maximum of players that a small report lists.
	LargeReport = snapshot.LargeReport
)

// The memory of answers, while they are computed and until slow clients have them. Large statistics
// hold sum, order and label of each player; longer labels grow the lease (labelBudget). One report at
// a time may take more than half of maxLargeBytes: 100,000 players with names of 800 bytes take 90 MB.
// While other organisations hold slow answers of 100,000 players, an eighth one still finds room.
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

// NewLimits returns the limits of a pool. They leave connections to other readers.
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

// Limiters returns the limiters by the name of the work, for metrics.
func (s *Service) Limiters() map[string]*fairshare.Limiter {
	return map[string]*fairshare.Limiter{"reports": s.limits.Small, "large_reports": s.limits.Large}
}
