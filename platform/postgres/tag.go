package postgres

import (
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// tagged are the first clauses of gorm's statements.
var tagged = []string{"SELECT", "INSERT", "UPDATE", "DELETE"}

// Tag is a gorm scope: the statement begins with a comment such as /* org.groups */, which names
// its caller in the server's log. The name is a constant.
func Tag(name string) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB {
		for _, first := range tagged {
			c := db.Statement.Clauses[first]
			c.BeforeExpression = clause.Expr{SQL: "/* " + name + " */"}
			db.Statement.Clauses[first] = c
		}
		return db
	}
}
