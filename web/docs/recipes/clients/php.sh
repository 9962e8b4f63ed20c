composer require guzzlehttp/guzzle:^7
npx --yes @openapitools/openapi-generator-cli@1.0.18-5.0.0-beta2 generate -g php -i https://dg.example.org/openapi/v1.json -o dg
sed -i.bak 's/Psr7\\build_query(/Psr7\\Query::build(/' dg/lib/Api/*.php
php first.php
