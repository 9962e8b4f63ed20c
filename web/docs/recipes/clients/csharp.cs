// Lists the forks with last month's figures, then saves the plays of the first one as plays.csv.
using System;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Threading;
using System.Threading.Tasks;
using Dg;

// Too many requests, or busy: the answer says how long to wait.
class Patient : DelegatingHandler
{
    public Patient() : base(new HttpClientHandler { AllowAutoRedirect = false }) { }

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken token)
    {
        for (var tries = 1; ; tries++)
        {
            var response = await base.SendAsync(request, token);
            var wait = response.Headers.RetryAfter;
            if (wait == null || wait.Delta == null || tries == 8) return response;
            response.Dispose();
            await Task.Delay(wait.Delta.Value, token);
        }
    }
}

static class Program
{
    static void Main()
    {
        Run().GetAwaiter().GetResult();
    }

    static async Task Run()
    {
        var http = new HttpClient(new Patient()) { BaseAddress = new Uri("https://dg.example.org") };
        http.DefaultRequestHeaders.Authorization =
            new AuthenticationHeaderValue("Bearer", Environment.GetEnvironmentVariable("DG_KEY"));
        var client = new DgClient(http) { BaseUrl = "https://dg.example.org" };
        var last = DateTime.UtcNow.Date.AddDays(-DateTime.UtcNow.Day);
        var first = last.AddDays(1 - last.Day);

        var forks = (await client.ListForksAsync()).Items;
        foreach (var fork in forks)
        {
            var stats = await client.GetForkStatsAsync(fork.Id, first, last);
            Console.WriteLine(fork.Title + ": " + stats.Plays + " plays, " + stats.UniquePlayers + " players");
        }

        using (var csv = await client.ExportForkPlaysCsvAsync(forks.First().Id, first, last))
        using (var file = File.Create("plays.csv.part"))
        {
            await csv.Stream.CopyToAsync(file); // throws where the transfer breaks off
        }
        File.Delete("plays.csv");
        File.Move("plays.csv.part", "plays.csv");
    }
}
