package reports

import (
	"regexp"
	"strings"
)

// meant matches other names of the parameters of a report.
var meant = map[string]*regexp.Regexp{
	"from": regexp.MustCompile(
		`^(date|day)?(from|start(ing)?|since|begin|after)(date|day|at|time)?$`,
	),
	"to": regexp.MustCompile(
		`^(date|day)?(to|end(ing)?|until|till|before|through)(date|day|at|time)?$`,
	),
	"groupId": regexp.MustCompile(`group`),
}

// MeantParameter returns the probable parameter for an unknown name, such as groupId for group_id and
// from for startDate, or "".
func MeantParameter(name string) string {
	folded := strings.NewReplacer("_", "", "-", "", ".", "", "[]", "").
		Replace(strings.ToLower(name))
	for parameter, names := range meant {
		if names.MatchString(folded) {
			return parameter
		}
	}
	return ""
}
