package apptest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Readings that contradict the changes are found. Readings concurrent with a change are legal.
func TestRegisterFindsIllegalHistories(t *testing.T) {
	t.Parallel()
	at := func(ms int) time.Time { return processBegan.Add(time.Duration(ms) * time.Millisecond) }
	changes := []Change{{"a", at(10), at(20)}, {"b", at(30), at(40)}, {"a", at(50), at(60)}}
	type readings []struct {
		value      string
		begun, end int
	}
	for _, c := range []struct {
		readings
		faults, ofReplicas int
	}{
		{readings{{"a", 0, 5}, {"c", 0, 15}}, 0, 0},    // before the first change
		{readings{{"a", 21, 25}}, 0, 0},                // between changes
		{readings{{"b", 21, 25}}, 1, 1},                // nothing from later
		{readings{{"a", 25, 35}, {"b", 25, 35}}, 0, 0}, // during one
		{readings{{"a", 35, 100}}, 0, 0},
		{readings{{"b", 41, 45}}, 0, 0},
		{readings{{"b", 41, 45}, {"a", 41, 45}, {"a", 46, 47}}, 2, 2}, // an old value
		{readings{{"b", 35, 55}, {"a", 35, 55}}, 0, 0},                // across one
		{readings{{"a", 61, 99}, {"b", 61, 99}, {"c", 61, 99}}, 2, 2},
		// a new value and then the old one, during a change
		{readings{{"b", 31, 33}, {"a", 34, 36}}, 1, 0},
		{readings{{"a", 31, 33}, {"b", 34, 36}}, 0, 0},
	} {
		for _, h := range []*Recording{{Changes: changes}, {Changes: changes, Replicas: true}} {
			for _, r := range c.readings {
				h.Readings = append(h.Readings, reading{r.value, "", at(r.begun), at(r.end)})
			}
			want := map[bool]int{false: c.faults, true: c.ofReplicas}[h.Replicas]
			require.Len(t, h.Faults(), want, "%+v, replicas %t", c.readings, h.Replicas)
		}
	}
}
