<?php

require __DIR__ . '/webhooks.php';

$judged = array_map(function (array $each): bool {
    $body = base64_decode($each['body_base64']);
    if ($each['scheme'] === 'service') {
        return verify_service_signature($body, $each['headers']['service-signature'], $each['secret'], $each['now']);
    }
    return verify_standard_webhook($body, $each['headers'], $each['secret'], $each['now']);
}, json_decode(file_get_contents('php://stdin'), true));
echo json_encode($judged);
