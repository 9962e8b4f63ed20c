// Package docs is the documentation of the API: /docs, its recipes, the reference and the page
// about security. docs.json names the recipes, and recipes/ has their programs: tests copy them
// from the pages and run them. reference.json is generated from the OpenAPI document.
package docs
