dotnet new console --output first && cp first.cs first/Program.cs && cd first
dotnet add package Newtonsoft.Json
dotnet tool install --global NSwag.ConsoleCore
nswag openapi2csclient /input:https://dg.example.org/openapi/v1.json /output:Dg.cs /namespace:Dg /classname:DgClient /jsonLibrary:NewtonsoftJson /dateType:System.DateTime /generateOptionalParameters:true
dotnet run
