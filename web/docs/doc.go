// Package docs serves the documentation of the API. docs.json lists the pages and the recipes.
// Tests copy programs of recipes/ from the pages and run them; docs.json says which are untested.
// reference.json is generated from the OpenAPI document. The search reads the rendered pages.
package docs
