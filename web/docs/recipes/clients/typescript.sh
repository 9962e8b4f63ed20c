npm init --yes && npm pkg set type=module
npm install openapi-fetch@0.17 openapi-typescript@7.13 typescript@5.9 @types/node@20
npx openapi-typescript https://dg.example.org/openapi/v1.json -o dg.d.ts
npx tsc --strict --skipLibCheck --target es2022 --module nodenext first.ts
node first.js
