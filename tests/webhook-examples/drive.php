<?php

declare(strict_types=1);

require 'examples/webhooks/verify.php';

while (($line = fgets(STDIN)) !== false) {
    [$keys, $timestamp, $signature, $now, $body] = explode("\t", rtrim($line, "\n"));
    $isGenuine = Limen\isGenuine(
        base64_decode($body),
        $timestamp === '' ? null : $timestamp,
        $signature === '' ? null : $signature,
        explode(',', $keys),
        (int) $now,
    );
    echo $isGenuine ? 'true' : 'false', "\n";
}
