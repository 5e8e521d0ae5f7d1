// SPDX-License-Identifier: Apache-2.0
/** The browser for tests of pages: the system's Chromium, none is downloaded. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const CANDIDATES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Undefined, with a notice, where this machine has none. */
export function findChromium(): string | undefined {
  const path = process.env.CHROMIUM_PATH ?? CANDIDATES.find((candidate) => existsSync(candidate));
  if (path === undefined)
    process.stderr.write('no Chromium here, so the tests of the page are skipped; set CHROMIUM_PATH to one\n');
  return path;
}

export function launch(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: ARGS });
}
