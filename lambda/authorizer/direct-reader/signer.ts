// SPDX-License-Identifier: Apache-2.0
/**
 * Signs the one shape of request that the reader sends: POST to `/`, no query, headers that need no normalization. A whole
 * signing library is several times the size of the rest of the authorizer and has to be loaded at each cold start.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
import { createHmac, hash } from 'node:crypto';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface SigningScope {
  readonly region: string;
  readonly service: string;
}

/** Name and value of each header to sign: names in lower case and ascending order, values without spaces to fold. */
export type SignedHeaders = readonly (readonly [name: string, value: string])[];

/** The `Authorization` header of a request. `timestamp` is the value of its `x-amz-date`: `20150830T123600Z`. */
export type Sign = (headers: SignedHeaders, body: string, timestamp: string) => string;

export function createSigner({ accessKeyId, secretAccessKey }: Credentials, { region, service }: SigningScope): Sign {
  let keyDate = '';
  let key: Buffer | undefined;

  /** The key belongs to one day. */
  function signingKey(date: string): Buffer {
    if (key !== undefined && keyDate === date) return key;
    key = [date, region, service, 'aws4_request'].reduce<Buffer>(hmac, Buffer.from(`AWS4${secretAccessKey}`));
    keyDate = date;
    return key;
  }

  return (headers, body, timestamp) => {
    let lines = '';
    let names = '';
    for (const [name, value] of headers) {
      lines += `${name}:${value}\n`;
      names += names === '' ? name : `;${name}`;
    }
    const date = timestamp.slice(0, 8);
    const scope = `${date}/${region}/${service}/aws4_request`;
    const canonicalRequest = `POST\n/\n\n${lines}\n${names}\n${sha256Hex(body)}`;
    const toSign = `AWS4-HMAC-SHA256\n${timestamp}\n${scope}\n${sha256Hex(canonicalRequest)}`;
    const signature = createHmac('sha256', signingKey(date)).update(toSign).digest('hex');
    return `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  };
}

/** `20150830T123600Z`, as `x-amz-date` has it. */
export function timestampOf(nowMillis: number): string {
  return `${new Date(nowMillis).toISOString().replace(/[-:]/g, '').slice(0, 15)}Z`;
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}
