// Calls each operation with the client that openapi-generator generates for C#.
using System;
using Org.OpenAPITools.Api;
using Org.OpenAPITools.Client;

static class Program
{
    static void Check(bool ok, string what)
    {
        if (!ok) throw new Exception(what);
    }

    static void Main()
    {
        var url = Environment.GetEnvironmentVariable("DG_URL");
        // Parameters of the format date are sent in DateTimeFormat, too, whose default has a time.
        var configuration = new Configuration { BasePath = url, AccessToken = Environment.GetEnvironmentVariable("DG_KEY"), DateTimeFormat = "yyyy-MM-dd" };
        var forks = new ForksApi(configuration);
        var reports = new ReportsApi(configuration);
        var listed = forks.ListForks().Items;
        var fork = forks.GetFork(listed[0].Id);
        Check(fork.Equals(listed[0]), "a fork is not that of the list");
        var from = new DateTime(2026, 3, 1);
        var stats = reports.GetForkStats(fork.Id, from, new DateTime(2026, 3, 31));
        Check(stats.Daily[0].Date == from, "the first day is " + stats.Daily[0].Date);
        var csv = reports.ExportForkPlaysCsv(fork.Id, from, new DateTime(2026, 3, 31));
        Check(stats.Plays > 0 && csv.TrimEnd('\n').Split('\n').Length - 1 == stats.Plays, "the CSV has not a line for each play");
        try
        {
            forks.GetFork("x");
            Check(false, "there is a fork x");
        }
        catch (ApiException e)
        {
            Check(e.ErrorCode == 404, "a fork x is answered " + e.ErrorCode);
        }
    }
}
