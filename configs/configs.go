// Package configs embeds the authorisation model and policy.
package configs

import _ "embed"

// AuthzModel is casbin's model: how casbin matches a request with the policy.
//
//go:embed authz_model.conf
var AuthzModel string

// AuthzPolicy is casbin's policy: one line for each permission that a grant includes.
//
//go:embed authz_policy.csv
var AuthzPolicy string
