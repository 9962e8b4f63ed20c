go mod init first && mkdir dg
go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 \
  -generate types,client -package dg -o dg/dg.go \
  https://dg.example.org/openapi/v1.json
go mod tidy
go run first.go
