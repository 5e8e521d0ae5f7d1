// SPDX-License-Identifier: Apache-2.0
import { Annotations, Token } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** Warns at synthesis of a cookie name that is open to cookie tossing (RFC 6265bis, section 4.1.3). */
export function warnOfUnprefixedCookie(scope: Construct, cookieName: string): void {
  if (Token.isUnresolved(cookieName) || cookieName.startsWith('__Host-')) return;
  Annotations.of(scope).addWarningV2(
    'sessiongate:cookieName',
    `cookieName ${cookieName} has no __Host- prefix: a sibling subdomain can plant a cookie of this name`,
  );
}
