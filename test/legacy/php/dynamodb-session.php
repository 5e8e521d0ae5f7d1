<?php
// SPDX-License-Identifier: Apache-2.0
// A PHP application whose sessions are kept as the AWS SDK for PHP's DynamoDB session handler keeps them: keys, attributes,
// conditions and the order of requests follow its documented behaviour. Reads {endpoint, table, name, id, format, code} from
// its input, runs the code within the session, and prints the session's id and data as they are then.

final class DynamoDbSessions implements SessionHandlerInterface
{
    private string $opened = '';
    private string $read = '';
    private bool $written = false;

    public function __construct(private string $endpoint, private string $table, private string $name)
    {
    }

    public function open($path, $name): bool
    {
        return true;
    }

    public function read($id): string|false
    {
        $this->opened = $id;
        $this->written = false;
        $item = $this->lock($id) ?? [];
        $this->read = '';
        if (isset($item['expires'], $item['data'])) {
            $this->read = current($item['data']);
            if (current($item['expires']) <= time()) {
                $this->read = '';
                $this->destroy($id);
            }
        }
        return $this->read;
    }

    public function write($id, $data): bool
    {
        $isChanged = $id !== $this->opened || $data !== $this->read;
        $this->opened = $id;
        return $this->written = $this->update($id, $data, $isChanged);
    }

    public function close(): bool
    {
        return $this->written || $this->update($this->opened, '', false);
    }

    public function destroy($id): bool
    {
        $this->request('DeleteItem', ['Key' => $this->key($id)]);
        return $this->written = true;
    }

    public function gc($maxLifetime): int|false
    {
        return 0;
    }

    private function lock(string $id): ?array
    {
        for ($end = time() + 10; ; usleep(random_int(10000, 50000))) {
            $answer = $this->request('UpdateItem', [
                'Key' => $this->key($id),
                'Expected' => ['lock' => ['Exists' => false]],
                'AttributeUpdates' => ['lock' => ['Action' => 'PUT', 'Value' => ['N' => '1']]],
                'ReturnValues' => 'ALL_NEW',
            ]);
            if (isset($answer['Attributes'])) {
                return $answer['Attributes'];
            }
            if (time() >= $end || !str_contains($answer['__type'] ?? '', 'ConditionalCheckFailed')) {
                return null;
            }
        }
    }

    private function update(string $id, string $data, bool $isChanged): bool
    {
        $changes = [
            'expires' => ['Action' => 'PUT', 'Value' => ['N' => (string) (time() + 1440)]],
            'lock' => ['Action' => 'DELETE'],
        ];
        if ($isChanged) {
            $changes['data'] = $data === ''
                ? ['Action' => 'DELETE']
                : ['Action' => 'PUT', 'Value' => ['S' => $data]];
        }
        $answer = $this->request('UpdateItem', ['Key' => $this->key($id), 'AttributeUpdates' => $changes]);
        return !isset($answer['__type']);
    }

    private function key(string $id): array
    {
        return ['id' => ['S' => trim($this->name . '_' . $id, '_')]];
    }

    private function request(string $operation, array $input): array
    {
        $credential = 'local/20270115/eu-central-1/dynamodb/aws4_request';
        $body = file_get_contents($this->endpoint, false, stream_context_create(['http' => [
            'method' => 'POST',
            'ignore_errors' => true,
            'header' => [
                'Content-Type: application/x-amz-json-1.0',
                "X-Amz-Target: DynamoDB_20120810.$operation",
                'X-Amz-Date: 20270115T080000Z',
                "Authorization: AWS4-HMAC-SHA256 Credential=$credential, SignedHeaders=host, Signature=00",
            ],
            'content' => json_encode(['TableName' => $this->table] + $input, JSON_THROW_ON_ERROR),
        ]]));
        return json_decode($body, true, 512, JSON_THROW_ON_ERROR);
    }
}

$in = json_decode(stream_get_contents(STDIN), true, 512, JSON_THROW_ON_ERROR);
ini_set('session.use_cookies', '0');
ini_set('session.use_only_cookies', '0');
ini_set('session.cache_limiter', '');
ini_set('session.serialize_handler', $in['format'] ?? 'php');
session_name($in['name']);
if ($in['id'] !== null) {
    session_id($in['id']);
}
session_set_save_handler(new DynamoDbSessions($in['endpoint'], $in['table'], $in['name']));
session_start();
eval($in['code']);
$out = ['id' => session_id(), 'data' => (object) $_SESSION];
session_write_close();
echo json_encode($out);
