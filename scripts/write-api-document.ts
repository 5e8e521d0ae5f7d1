// SPDX-License-Identifier: Apache-2.0
/** `npm run docs:api`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiDocument } from './api-document';

writeFileSync(join(__dirname, '..', 'docs', 'api.md'), apiDocument());
