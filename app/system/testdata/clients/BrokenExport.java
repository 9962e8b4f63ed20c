import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

// Reads the export of URL with KEY.
class BrokenExport {
    public static void main(String[] args) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(System.getenv("URL")))
            .header("Authorization", "Bearer " + System.getenv("KEY")).build();
        HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    }
}
