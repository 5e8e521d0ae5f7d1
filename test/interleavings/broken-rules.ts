// SPDX-License-Identifier: Apache-2.0
/** For each rule that can be taken out of the library, a scenario in which that shows, and the invariant that it breaks. */
import { BROKEN_READS } from './broken-reads';
import { BROKEN_WRITES } from './broken-writes';
import type { Scenario } from './scenario';

export const BREAKAGES = { ...BROKEN_WRITES, ...BROKEN_READS };

export interface BrokenRule {
  readonly broken: keyof typeof BREAKAGES;
  readonly scenario: Scenario;
  /** Beginning of the message. */
  readonly breaks: string;
}

export const BROKEN_RULES: readonly BrokenRule[] = [
  { broken: 'revokedIsIgnored', scenario: { kinds: ['rotate', 'rotate'] }, breaks: 'I5' },
  { broken: 'versionIsIgnoredByRotate', scenario: { kinds: ['rotate', 'save'] }, breaks: 'I4 an acknowledged save' },
  { broken: 'versionIsIgnoredBySave', scenario: { kinds: ['save', 'save'] }, breaks: 'I4 an acknowledged save' },
  { broken: 'generationIsIgnored', scenario: { kinds: ['exceptM', 'revokeAll'] }, breaks: 'I1' },
  {
    broken: 'enableIsUnconditional',
    scenario: { kinds: ['disable', 'enable'], initial: 'disabled' },
    breaks: 'I4 disable',
  },
  {
    broken: 'noMargin',
    scenario: { kinds: ['renew'], secondsLeft: 3, clock: { steps: 2, stepSeconds: 2 } },
    breaks: 'I3',
  },
  { broken: 'putOverwrites', scenario: { kinds: ['login', 'revokeAll'], faults: ['delayed'] }, breaks: 'I3' },
  { broken: 'killDeletes', scenario: { kinds: ['rotate', 'logout'] }, breaks: 'I1' },
  { broken: 'sweepDoesNotUpsert', scenario: { kinds: ['login', 'revokeAll'], faults: ['crash'] }, breaks: 'I7' },
  { broken: 'successorIsForgotten', scenario: { kinds: ['rotate', 'logout'] }, breaks: 'I1' },
  { broken: 'predecessorIsForgotten', scenario: { kinds: ['rotate', 'revokeNew'] }, breaks: 'I1' },
  { broken: 'ownRotationIsNotRecognised', scenario: { kinds: ['rotate'], faults: ['lost'] }, breaks: 'I4 rotate' },
  { broken: 'noFence', scenario: { kinds: ['login', 'revokeAll'] }, breaks: 'I1' },
  { broken: 'noFenceInRotation', scenario: { kinds: ['rotate', 'revokeAll'] }, breaks: 'I1' },
  { broken: 'listedLast', scenario: { kinds: ['login'], faults: ['crash'] }, breaks: 'I7' },
  { broken: 'absentIsUnlisted', scenario: { kinds: ['login', 'revokeNew'] }, breaks: 'I7' },
  { broken: 'onePageOnly', scenario: { kinds: ['revokeAll'] }, breaks: 'I1' },
  { broken: 'unlistedNotEnded', scenario: { kinds: ['revoke'] }, breaks: 'I1' },
  { broken: 'exceptAsksNobody', scenario: { kinds: ['exceptM', 'exceptX'] }, breaks: 'I6 two sessions' },
  { broken: 'fasterDeviceIsForgotten', scenario: { kinds: ['exceptM', 'exceptX'] }, breaks: 'I6 two sessions' },
  { broken: 'disableDoesNotBump', scenario: { kinds: ['login', 'disable', 'enable'] }, breaks: 'I1' },
];

/** The scenario with the rule taken out. */
export function brokenScenario({ broken, scenario }: BrokenRule): Scenario {
  return {
    ...scenario,
    library: { tokens: 'early', ...scenario.library, broken: { name: broken, wrap: BREAKAGES[broken] } },
  };
}
