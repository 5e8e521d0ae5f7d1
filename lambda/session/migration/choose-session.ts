// SPDX-License-Identifier: Apache-2.0
/** Which session of ours an older one becomes: its token and times, as the claim will hold them. */
import type { LifecycleContext } from '../lifecycle/context';
import { hashSessionToken } from '../token';
import type { PendingClaim } from './claim-item';
import type { LegacyVisit } from './legacy-visit';
import type { Arrival } from './look-at-arrival';
import { deriveToken, generateNonce } from './moved-token';

export function chooseSession(
  context: LifecycleContext,
  visit: LegacyVisit,
  { legacy, times }: Arrival,
): { readonly claim: PendingClaim; readonly token: string } {
  const [secret = visit.id] = secretsOf(visit);
  const nonce = generateNonce(context.randomBytes);
  const token = deriveToken(secret, nonce);
  const { epoch } = context.settings;
  return {
    token,
    claim: {
      sourceName: visit.source.name,
      user: legacy.user,
      tokenHash: hashSessionToken(token),
      nonce,
      ...times,
      ...(epoch === undefined ? {} : { epoch }),
    },
  };
}

/** What its token is derived from; the first is used, the others find what an earlier request began. */
export function secretsOf({ source, id, cookies }: LegacyVisit): readonly string[] {
  return source.tokenSecrets?.(id, cookies) ?? [id];
}
