// SPDX-License-Identifier: Apache-2.0
/** The stack over HTTPS: the certificate, and the cookie as it is in production. */
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { type LocalStack, startLocalStack } from '../../local/app';
import { loadCertificate } from '../../local/certificate';
import { findChromium, launch } from './support/chromium';

const folder = mkdtempSync(join(tmpdir(), 'sessiongate-https-'));
afterAll(() => rmSync(folder, { recursive: true }));

const NOW = Date.parse('2027-01-15T08:00:00Z');
const DAY = 86_400_000;

describe('the certificate', () => {
  it('is for localhost, for a year, and its key for this user only', async () => {
    const { cert, key } = await loadCertificate(folder, NOW);

    const certificate = new X509Certificate(cert);
    expect(certificate.checkHost('localhost')).toBe('localhost');
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(Date.parse(certificate.validTo)).toBe(NOW + 365 * DAY);
    expect(certificate.ca).toBe(false);
    expect(key).toContain('PRIVATE KEY');
    expect(statSync(join(folder, 'certificate.json')).mode & 0o777).toBe(0o600);
  });

  it('is kept until a week before its end', async () => {
    const first = await loadCertificate(folder, NOW);

    expect(await loadCertificate(folder, NOW + 357 * DAY)).toEqual(first);
    expect(await loadCertificate(folder, NOW + 359 * DAY)).not.toEqual(first);
  });

  it('is made anew where the file cannot be read, and not kept without a folder', async () => {
    writeFileSync(join(folder, 'certificate.json'), '{"cert":"x","key":"y"}');

    expect((await loadCertificate(folder, NOW)).cert).toContain('BEGIN CERTIFICATE');
    expect(JSON.parse(readFileSync(join(folder, 'certificate.json'), 'utf8')).cert).toContain('BEGIN CERTIFICATE');
    expect(await loadCertificate(undefined, NOW)).not.toEqual(await loadCertificate(undefined, NOW));
  });
});

const executablePath = findChromium();
const describeInBrowser = executablePath === undefined ? describe.skip : describe;

describeInBrowser('in a browser', () => {
  let stack: LocalStack;
  let browser: Browser;

  beforeAll(async () => {
    stack = await startLocalStack({ port: 0, https: true }, { log: () => {} });
    browser = await launch(executablePath ?? '');
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await stack?.close();
  });

  it('the cookie has its production name and attributes', async () => {
    const page = await browser.newPage({ ignoreHTTPSErrors: true });
    await page.goto(stack.url);
    await page.getByLabel('User name').fill('demo');
    await page.getByLabel('Password').fill('demo');
    const [login] = await Promise.all([
      page.waitForResponse('**/login'),
      page.getByRole('button', { name: 'Sign in' }).click(),
    ]);
    await page.getByRole('heading', { name: 'This session' }).waitFor();

    expect(stack.url).toMatch(/^https:\/\/localhost:\d+$/);
    // Less the second or two that a login may take.
    expect(await login.headerValue('set-cookie')).toMatch(
      /^__Host-session=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=2(592000|5919\d\d)$/,
    );
    expect(await page.context().cookies()).toEqual([
      expect.objectContaining({ name: '__Host-session', secure: true, httpOnly: true, sameSite: 'Lax', path: '/' }),
    ]);

    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByText('Signed out.').waitFor();
    expect(await page.context().cookies()).toEqual([]);
  }, 60_000);
});
