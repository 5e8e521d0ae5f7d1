// SPDX-License-Identifier: Apache-2.0
/** The self-signed certificate of `npm start -- --https`, made once and kept in the data folder. */
import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Browsers take no certificate that is valid for longer than 398 days. */
const LIFETIME_DAYS = 365;
const DAY_MILLIS = 86_400_000;
/** Made anew this long before it ends. */
const REMAINING_DAYS = 7;
const FILE = 'certificate.json';

/**
 * The kept certificate while it is valid, else a new one.
 * @param folder - where to keep it; absent: it is not kept
 */
export async function loadCertificate(folder: string | undefined, nowMillis: number): Promise<Certificate> {
  const file = folder === undefined ? undefined : join(folder, FILE);
  const kept = file === undefined ? undefined : readCertificate(file);
  if (kept !== undefined && validUntilMillis(kept) > nowMillis + REMAINING_DAYS * DAY_MILLIS) return kept;
  const made = await makeCertificate(nowMillis);
  if (file !== undefined) {
    // The key is for this user only, and a crash leaves the old file or the new one.
    writeFileSync(`${file}.new`, JSON.stringify(made), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
  return made;
}

async function makeCertificate(nowMillis: number): Promise<Certificate> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(nowMillis - DAY_MILLIS),
    notAfterDate: new Date(nowMillis + LIFETIME_DAYS * DAY_MILLIS),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  return { cert, key };
}

/** Undefined where there is none, or none that can be read: a new one costs nothing. */
function readCertificate(file: string): Certificate | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const { cert, key } = JSON.parse(readFileSync(file, 'utf8'));
    return typeof cert === 'string' && typeof key === 'string' ? { cert, key } : undefined;
  } catch {
    return undefined;
  }
}

function validUntilMillis({ cert }: Certificate): number {
  try {
    return Date.parse(new X509Certificate(cert).validTo);
  } catch {
    return 0;
  }
}
