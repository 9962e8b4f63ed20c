// A stand-in for RestSharp, which comes from NuGet only: what generated C# clients use of it, to compile them and to send GET.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace RestSharp
{
    public enum Method { GET }
    public enum ParameterType { UrlSegment, RequestBody }

    public class Parameter
    {
        public string Name { get; set; }
        public object Value { get; set; }
    }

    public interface IRestRequest { }

    public class RestRequest : IRestRequest
    {
        internal string Path;
        internal readonly List<string> Query = new List<string>();
        internal readonly List<KeyValuePair<string, string>> Headers = new List<KeyValuePair<string, string>>();

        public RestRequest(string path, Method method) { Path = path; }
        public void AddParameter(string name, object value) { }
        public void AddParameter(string name, object value, ParameterType type)
        {
            Path = Path.Replace("{" + name + "}", Uri.EscapeDataString(value.ToString()));
        }
        public void AddHeader(string name, string value) { Headers.Add(new KeyValuePair<string, string>(name, value)); }
        public void AddQueryParameter(string name, string value) { Query.Add(name + "=" + Uri.EscapeDataString(value)); }
        public void AddFile(string name, Action<Stream> writer, string fileName, string contentType) { }
    }

    public class FileParameter
    {
        public string Name, FileName, ContentType;
        public Action<Stream> Writer;
        public static FileParameter Create(string name, byte[] data, string fileName, string contentType = null)
        {
            return new FileParameter { Name = name, FileName = fileName, ContentType = contentType };
        }
    }

    public interface IRestResponse
    {
        IList<Parameter> Headers { get; }
        byte[] RawBytes { get; }
        string Content { get; }
        string ErrorMessage { get; }
        HttpStatusCode StatusCode { get; }
    }

    class Response : IRestResponse
    {
        public IList<Parameter> Headers { get; set; }
        public byte[] RawBytes { get; set; }
        public string Content { get { return Encoding.UTF8.GetString(RawBytes); } }
        public string ErrorMessage { get { return null; } }
        public HttpStatusCode StatusCode { get; set; }
    }

    public class RestClient
    {
        public int Timeout { get; set; }
        public string UserAgent { get; set; }
        public Uri BaseUrl { get; set; }

        public RestClient(string address) { BaseUrl = new Uri(address); }
        public Task<IRestResponse> ExecuteTaskAsync(RestRequest request, CancellationToken token) { return Task.Run(() => Execute(request)); }

        public IRestResponse Execute(RestRequest request)
        {
            var sent = (HttpWebRequest)WebRequest.Create(BaseUrl.GetLeftPart(UriPartial.Authority) + request.Path + (request.Query.Count > 0 ? "?" + string.Join("&", request.Query) : ""));
            foreach (var header in request.Headers)
            {
                if (header.Key == "Accept") sent.Accept = header.Value;
                else sent.Headers.Add(header.Key, header.Value);
            }
            HttpWebResponse got;
            try { got = (HttpWebResponse)sent.GetResponse(); }
            catch (WebException e) when (e.Response != null) { got = (HttpWebResponse)e.Response; }
            using (got)
            using (var body = new MemoryStream())
            {
                got.GetResponseStream().CopyTo(body);
                var headers = got.Headers.AllKeys.Select(name => new Parameter { Name = name, Value = got.Headers[name] }).ToList();
                return new Response { Headers = headers, RawBytes = body.ToArray(), StatusCode = got.StatusCode };
            }
        }
    }
}
