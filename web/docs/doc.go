// Package docs is the documentation of the API: /docs and the pages below. docs.json lists them and
// the recipes, and recipes/ has their programs: tests copy them from the pages and run them.
// reference.json is generated from the OpenAPI document. The search reads the pages themselves.
package docs
