<?php

declare(strict_types=1);

namespace Limen;

const TOLERANCE_SECONDS = 300;

/**
 * Returns whether a webhook was signed with one of your API keys in the last five minutes.
 *
 * Pass the raw body, `file_get_contents('php://input')`, and the headers as
 * `$_SERVER['HTTP_X_SERVICE_TIMESTAMP'] ?? null` and `$_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? null`.
 * Pass both API keys while you replace one by another.
 *
 * @param string[] $apiKeys
 */
function isGenuine(string $rawBody, ?string $timestamp, ?string $signature, array $apiKeys, ?int $now = null): bool
{
    if (!preg_match('/^[0-9]{1,12}$/D', $timestamp ?? '') || !preg_match('/^sha256=[0-9a-f]{64}$/D', $signature ?? '')) {
        return false;
    }
    if (abs(($now ?? time()) - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    foreach ($apiKeys as $apiKey) {
        $expected = 'sha256=' . hash_hmac('sha256', "$timestamp.$rawBody", $apiKey);
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}
