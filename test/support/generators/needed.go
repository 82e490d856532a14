// Package generators pins what generated clients import.
package generators

import (
	_ "github.com/oapi-codegen/nullable"
	_ "github.com/oapi-codegen/runtime"
	_ "golang.org/x/oauth2"
	_ "gopkg.in/validator.v2"
)
