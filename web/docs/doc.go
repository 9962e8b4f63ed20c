// Package docs serves the documentation of the API: /docs and the pages below. docs.json lists the
// pages and the recipes. recipes/ has the programs of the recipes, which tests copy from the pages
// and run. reference.json is generated from the OpenAPI document. The search reads the rendered
// pages.
package docs
