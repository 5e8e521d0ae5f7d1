// SPDX-License-Identifier: Apache-2.0
/**
 * Every order in which requests, ends and faults can meet while a session moves in; the numbers are printed. The largest
 * scenarios are sampled; MIGRATION_STATES=200000 explores them further.
 */
import { explore } from '../../interleavings/explore';
import type { Fault } from '../../interleavings/fault';
import { System } from '../../interleavings/system';
import { BROWSER_ITEM, type BrowserOperation, browserOperation, type Kind, NOW, OLD_ITEM } from './browser-operations';
import { migrationInvariants } from './migration-invariants';

/** States of one scenario; more of them are visited in an order that follows from the seed. */
const MAX_STATES = Number(process.env.MIGRATION_STATES ?? 1_500);
const SEED = 1;

async function expectNoViolation(kinds: readonly Kind[], faults: readonly Fault[] = []): Promise<void> {
  const operations = kinds.map((kind, index) => browserOperation(kind, 'ABCD'.charAt(index)));
  const system = new System<BrowserOperation>(
    { operations, items: [OLD_ITEM, BROWSER_ITEM], now: NOW, reading: 'atOnce', faults },
    migrationInvariants,
  );
  const found = await explore(system, { maxStates: MAX_STATES, seed: SEED });
  const name = `${kinds.join(' + ')}${faults.length > 0 ? ', one fault' : ''}`;
  process.stdout.write(
    `interleavings, migration, ${name}: ${found.states} states, ${found.transitions} transitions${found.isComplete ? '' : ' (a sample)'}\n`,
  );
  const said = found.violations.map(({ message, trace }) => `${message}\n    ${trace.join('\n    ')}`);
  expect(said.slice(0, 2).join('\n\n')).toBe('');
}

const PAIRS: readonly Kind[][] = [
  ['request', 'request'],
  ['request', 'logout'],
  ['request', 'destroy'],
  ['request', 'revokeAll'],
  ['request', 'disable'],
  ['request', 'oldSave'],
  ['rotate', 'request'],
  ['rotate', 'logout'],
  ['rotate', 'rotate'],
  ['logout', 'logout'],
  ['login', 'request'],
];
const TRIPLES: readonly Kind[][] = [
  ['request', 'request', 'request'],
  ['request', 'request', 'logout'],
  ['request', 'request', 'destroy'],
];
const FAULTS: readonly Fault[] = ['refused', 'lost', 'delayed', 'broken', 'crash'];

it.each([...PAIRS, ...TRIPLES].map((kinds) => [kinds] as const))('%j holds in every order', (kinds) =>
  expectNoViolation(kinds),
);

it.each([['request'], ['rotate'], ['logout'], ...PAIRS].map((kinds) => [kinds as Kind[]] as const))(
  '%j holds with a fault at every store call',
  (kinds) => expectNoViolation(kinds, FAULTS),
  120_000,
);
