// SPDX-License-Identifier: Apache-2.0
/** Part of `npm run lint`: fails if a source file imports against `import-rules.ts`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importViolations } from './import-rules';

const root = join(__dirname, '..');

const violations = ['bin', 'lambda', 'lib', 'local'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .filter((fileName) => /\.m?ts$/.test(fileName))
    .flatMap((fileName) => importViolations(fileName, readFileSync(join(root, fileName), 'utf8'))),
);
for (const violation of violations) console.error(violation);
if (violations.length > 0) process.exitCode = 1;
