// SPDX-License-Identifier: Apache-2.0
/** What the authorizer goes by once options or environment were checked. */

import type { IdleTimeout } from '../session/renewal';
import type { AttributeNames, CsrfProfile } from '../settings';

export interface AuthorizerSettings {
  readonly cookieName: string;
  readonly allowedOrigins: readonly string[];
  readonly csrf: CsrfProfile;
  /** The API's own origins. Absent: the event's domain name, with https. */
  readonly apiOrigins?: readonly string[] | undefined;
  readonly epoch?: string | undefined;
  readonly attributeNames: AttributeNames;
  /** Counted from the login. Absent: sessions of older systems live as long as those say; our own carry their end. */
  readonly absoluteTimeoutSeconds?: number | undefined;
  /** Absent: 400 days. */
  readonly maxLifetimeSeconds?: number | undefined;
  /** Absent: sessions are not renewed. */
  readonly idleTimeout?: IdleTimeout | undefined;
  /** Absent: user records are not read. */
  readonly userRecordAttribute?: string | undefined;
  /** Whether HTTP APIs of payload 2.0 are answered with `isAuthorized`. */
  readonly isSimple: boolean;
  /** Whether a refusal is the error `Unauthorized`. */
  readonly isThrowing: boolean;
}
