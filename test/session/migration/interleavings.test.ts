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

/** States of one scenario, without and with faults; more of them are visited in an order that follows from the seed. */
const MAX_STATES = Number(process.env.MIGRATION_STATES ?? 4_000);
const MAX_STATES_WITH_FAULTS = Number(process.env.MIGRATION_STATES ?? 1_500);
const SEED = 1;

async function expectNoViolation(
  kinds: readonly Kind[],
  faults: readonly Fault[] = [],
  isSigned = true,
): Promise<void> {
  const operations = kinds.map((kind, index) => browserOperation(kind, 'ABCD'.charAt(index), isSigned));
  const system = new System<BrowserOperation>(
    { operations, items: [OLD_ITEM, BROWSER_ITEM], now: NOW, reading: 'atOnce', faults },
    migrationInvariants,
  );
  const maxStates = faults.length > 0 ? MAX_STATES_WITH_FAULTS : MAX_STATES;
  const found = await explore(system, { maxStates, seed: SEED });
  const name = `${kinds.join(' + ')}${isSigned ? '' : ', unsigned'}${faults.length > 0 ? ', one fault' : ''}`;
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
  ['expressLogin', 'request'],
  ['apiLogout', 'request'],
  ['endOthers', 'request'],
  ['rotate', 'revokeAll'],
  ['rotate', 'disable'],
  ['rotate', 'destroy'],
  ['rotate', 'apiLogout'],
];
const TRIPLES: readonly Kind[][] = [
  ['request', 'request', 'request'],
  ['request', 'request', 'logout'],
  ['request', 'request', 'destroy'],
];
/** With a cookie that anybody may have made up. */
const UNSIGNED: readonly Kind[][] = [
  ['request', 'request'],
  ['request', 'logout'],
  ['apiLogout', 'request'],
  ['expressLogin', 'request'],
  ['request', 'request', 'apiLogout'],
];
const FAULTS: readonly Fault[] = ['refused', 'lost', 'delayed', 'broken', 'crash'];

it.each([...PAIRS, ...TRIPLES].map((kinds) => [kinds] as const))('%j holds in every order', (kinds) =>
  expectNoViolation(kinds),
);

it.each(UNSIGNED.map((kinds) => [kinds] as const))('%j holds in every order with an unsigned cookie', (kinds) =>
  expectNoViolation(kinds, [], false),
);

/** A fault of "sign out everywhere else" may cost this browser its session, too: the line is drawn before the fresh token has come. */
const bearsFaults = (kinds: readonly Kind[]): boolean => !kinds.includes('endOthers');

it.each([['request'], ['rotate'], ['logout'], ...PAIRS.filter(bearsFaults)].map((kinds) => [kinds as Kind[]] as const))(
  '%j holds with a fault at every store call',
  (kinds) => expectNoViolation(kinds, FAULTS),
  120_000,
);
