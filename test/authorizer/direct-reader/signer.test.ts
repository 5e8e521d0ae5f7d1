// SPDX-License-Identifier: Apache-2.0
/** Our signer equals AWS's own: on the published vectors, and on whatever the real one is given. */
import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import fc from 'fast-check';
import { createSigner, type SignedHeaders, timestampOf } from '../../../lambda/authorizer/direct-reader/signer';
import vectors from '../../vectors/signature-v4.json';

/** What the real signer takes for a hash: node's own. */
class Sha256 {
  readonly #hash;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }
  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytesOf(data));
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
  reset(): void {}
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

describe('a vector of the published suite', () => {
  it.each(vectors.cases.map((vector) => [vector.name, vector] as const))('%s', (_, { headers, body, signature }) => {
    const sign = createSigner(vectors.credentials, vectors.scope);

    const authorization = sign(headers as unknown as SignedHeaders, body, vectors.timestamp);

    const names = headers.map(([name]) => name).join(';');
    expect(authorization).toBe(
      `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${names}, Signature=${signature}`,
    );
  });
});

const visible = (minLength: number, maxLength: number) =>
  fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength,
    maxLength,
  });

const input = fc.record({
  region: fc.stringMatching(/^[a-z]{2}-[a-z]{4,9}-[1-9]$/),
  accessKeyId: fc.stringMatching(/^[A-Z0-9]{16,32}$/),
  secretAccessKey: visible(1, 64),
  sessionToken: fc.option(visible(1, 1200), { nil: undefined }),
  host: fc.stringMatching(/^[a-z0-9.-]{1,40}(?::[1-9][0-9]{1,3})?$/),
  target: fc.constantFrom('GetItem', 'UpdateItem'),
  body: fc.string({ unit: 'grapheme', maxLength: 600 }),
  // Around midnight often, when the key changes.
  millis: fc.oneof(
    fc.integer({ min: 0, max: 4_102_444_800_000 }),
    fc
      .tuple(fc.integer({ min: 0, max: 47_000 }), fc.integer({ min: -2000, max: 2000 }))
      .map(([day, offset]) => Math.max(0, day * 86_400_000 + offset)),
  ),
});

it('signs thousands of random requests as the real signer does', async () => {
  await fc.assert(
    fc.asyncProperty(input, async (request) => {
      const { accessKeyId, secretAccessKey, sessionToken, region, body, millis } = request;
      const timestamp = timestampOf(millis);
      const headers: [string, string][] = [
        ['content-type', 'application/x-amz-json-1.0'],
        ['host', request.host],
        ['x-amz-date', timestamp],
        ...(sessionToken === undefined ? [] : [['x-amz-security-token', sessionToken] as [string, string]]),
        ['x-amz-target', `DynamoDB_20120810.${request.target}`],
      ];
      const real = new SignatureV4({
        service: 'dynamodb',
        region,
        credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
        sha256: Sha256 as never,
        applyChecksum: false,
      });

      const signed = await real.sign(
        {
          method: 'POST',
          protocol: 'https:',
          hostname: request.host,
          path: '/',
          query: {},
          headers: Object.fromEntries(headers),
          body,
        },
        { signingDate: new Date(millis) },
      );

      const ours = createSigner({ accessKeyId, secretAccessKey }, { region, service: 'dynamodb' });
      expect(ours(headers, body, timestamp)).toBe(signed.headers.authorization);
    }),
    { numRuns: 3000 },
  );
});

it('takes a new key at midnight and the old one for a request of the day before', () => {
  const sign = createSigner(vectors.credentials, vectors.scope);
  const fresh = (timestamp: string) => createSigner(vectors.credentials, vectors.scope)([], '', timestamp);

  for (const timestamp of ['20150830T235959Z', '20150831T000000Z', '20150830T235959Z', '20150831T000001Z'])
    expect(sign([], '', timestamp)).toBe(fresh(timestamp));
});

it.each([
  [0, '19700101T000000Z'],
  [1_440_938_160_999, '20150830T123600Z'],
  [4_102_444_799_999, '20991231T235959Z'],
])('writes %d milliseconds as %s', (millis, timestamp) => {
  expect(timestampOf(millis)).toBe(timestamp);
});
