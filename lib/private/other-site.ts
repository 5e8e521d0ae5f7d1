// SPDX-License-Identifier: Apache-2.0
/** Warns at synthesis where the pages that may call an API are on another site than it, so that its cookie is not sent. */
import { Annotations, Token } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/**
 * A `SameSite=Lax` cookie goes with a page's fetch only within one site: scheme and registrable domain (RFC 6265bis, section
 * 5.2). That domain has two labels at least, so that other last labels are another site; which suffixes have more is not known
 * here, and such sites may pass for one.
 */
export function warnOfOtherSite(
  scope: Construct,
  domainName: string | undefined,
  allowedOrigins: readonly string[],
): void {
  if (domainName === undefined || allowedOrigins.length === 0) return;
  if ([domainName, ...allowedOrigins].some((value) => Token.isUnresolved(value))) return;
  const own = `https://${domainName}`;
  // Not a host name: what refuses it says so better.
  if (!URL.canParse(own)) return;
  const site = siteOf(own);
  if (allowedOrigins.some((origin) => siteOf(origin) === site)) return;
  Annotations.of(scope).addWarningV2(
    'sessiongate:otherSite',
    `domainName ${domainName} is on another site than the pages of allowedOrigins (${allowedOrigins.join(', ')}), as scheme and ` +
      'last two labels tell: browsers do not send the session cookie (SameSite=Lax) with their requests, so that whoever logs ' +
      'in there stays logged out; give the API a host name on the site of the pages',
  );
}

function siteOf(origin: string): string {
  const { protocol, hostname } = new URL(origin);
  return `${protocol}//${hostname.split('.').slice(-2).join('.')}`;
}
