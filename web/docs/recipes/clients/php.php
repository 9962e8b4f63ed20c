<?php
// Lists the forks with last month's figures, then saves the plays of the first one as plays.csv.
error_reporting(E_ALL & ~E_DEPRECATED);
require 'vendor/autoload.php'; // in Moodle: its config.php, which brings Guzzle

use GuzzleHttp\Client;
use GuzzleHttp\HandlerStack;
use GuzzleHttp\Middleware;
use OpenAPI\Client\Api\ForksApi;
use OpenAPI\Client\Api\ReportsApi;
use OpenAPI\Client\Configuration;

spl_autoload_register(function ($class) {
    $file = __DIR__ . '/dg/lib/' . str_replace(['OpenAPI\\Client\\', '\\'], ['', '/'], $class) . '.php';
    if (is_file($file)) {
        require $file;
    }
});

// Too many requests, or busy: the answer says how long to wait.
$stack = HandlerStack::create();
$stack->push(Middleware::retry(
    fn($tries, $request, $response = null) => $tries < 8 && $response && in_array($response->getStatusCode(), [429, 503]),
    fn($tries, $response) => 1000 * (int) $response->getHeaderLine('Retry-After')
));
$http = new Client(['handler' => $stack, 'allow_redirects' => false]);
$configuration = (new Configuration())->setHost('https://dg.example.org')->setAccessToken(getenv('DG_KEY'));
$forks = new ForksApi($http, $configuration);
$reports = new ReportsApi($http, $configuration);

$utc = new DateTimeZone('UTC');
$first = (new DateTime('first day of last month', $utc))->format('Y-m-d');
$last = (new DateTime('last day of last month', $utc))->format('Y-m-d');

$items = $forks->listForks()->getItems();
foreach ($items as $fork) {
    $stats = $reports->getForkStats($fork->getId(), $first, $last);
    echo "{$fork->getTitle()}: {$stats->getPlays()} plays, {$stats->getUniquePlayers()} players\n";
}

// Guzzle itself says why a transfer broke off; the generated method hides it.
$http->get("{$configuration->getHost()}/api/v1/forks/{$items[0]->getId()}/exports/csv", [
    'query' => ['from' => $first, 'to' => $last],
    'headers' => ['Authorization' => 'Bearer ' . getenv('DG_KEY')],
    'sink' => 'plays.csv.part',
]);
rename('plays.csv.part', 'plays.csv');
