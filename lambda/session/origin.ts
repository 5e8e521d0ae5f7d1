// SPDX-License-Identifier: Apache-2.0
/**
 * Refuses cross-site requests that would act with the user's cookie (CSRF). Pure: what a request says of its origin,
 * held against the origins that may act. OWASP: Cross-Site Request Forgery Prevention, "Fetch Metadata" and "Verifying Origin".
 */
import type { CsrfProfile } from '../settings';
import { equalsIgnoringAsciiCase } from './request';

export interface OriginRequest {
  /** The method on the wire; overrides such as `X-HTTP-Method-Override` are never read. */
  readonly method: string;
  /** Any casing; a repeated header as an array. */
  readonly headers: Readonly<Record<string, unknown>>;
}

export interface OriginPolicy {
  /** The API's own origins, such as `https://api.example.com`. */
  readonly origins: readonly string[];
  /** Origins of pages that may call the API from elsewhere, compared exactly. Default none. */
  readonly trusted?: readonly string[];
  /** Host of the request; absent or empty matches no origin. */
  readonly host?: string | undefined;
  /** Default `compatible`. */
  readonly profile?: CsrfProfile;
}

export type OriginRefusal = 'crossSite' | 'foreignOrigin' | 'ambiguousOrigin' | 'noOrigin';
export type OriginDecision = { readonly allowed: true } | { readonly allowed: false; readonly reason: OriginRefusal };

const ALLOWED: OriginDecision = { allowed: true };

/**
 * Decides on one request. `compatible` is the algorithm of Go 1.25's CrossOriginProtection and lets clients without
 * `Origin` and `Sec-Fetch-Site` through; `strict` wants an own or trusted origin, scheme included; `off` allows everything.
 */
export function checkRequestOrigin(request: OriginRequest, policy: OriginPolicy): OriginDecision {
  return checkOriginOf(request.method, (name) => valuesOf(request.headers, name), policy);
}

/** The same for any kind of request: `valuesOf` gives every value of a header by its lower-case name. */
export function checkOriginOf(
  method: string,
  valuesOf: (lowerCaseName: string) => readonly unknown[],
  policy: OriginPolicy,
): OriginDecision {
  const profile = policy.profile ?? 'compatible';
  // Methods that change nothing need no defence (RFC 9110, section 9.2.1). Case-sensitive: `get` is not GET.
  if (profile === 'off' || /^(?:GET|HEAD|OPTIONS)$/.test(method)) return ALLOWED;
  const check = profile === 'strict' ? checkStrictly : checkCompatibly;
  return check(valuesOf('sec-fetch-site'), valuesOf('origin'), policy);
}

function checkCompatibly(sites: readonly unknown[], origins: readonly unknown[], policy: OriginPolicy): OriginDecision {
  const site = sites[0] ?? '';
  const origin = origins[0] ?? '';
  const isTrusted = origin !== '' && isOneOf(policy.trusted, origin);
  if (site !== '')
    // The browser itself says where the request comes from; pages cannot set this header.
    return site === 'same-origin' || site === 'none' || isTrusted ? ALLOWED : refuse('crossSite');
  // Neither header: not a browser, or one from before 2020, for which the CSRF token remains.
  if (origin === '') return ALLOWED;
  const host = hostOf(origin);
  // An unparsable origin such as `null` has no host; it must not equal a request whose host is unknown.
  if (host !== undefined && (host === policy.host || policy.origins.some((own) => hostOf(own) === host)))
    return ALLOWED;
  return isTrusted ? ALLOWED : refuse('foreignOrigin');
}

function checkStrictly(sites: readonly unknown[], origins: readonly unknown[], policy: OriginPolicy): OriginDecision {
  // Browsers send one value each; two mean that something in between added its own.
  if (sites.length > 1 || origins.length > 1) return refuse('ambiguousOrigin');
  const site = sites[0];
  const origin = origins[0];
  const isOwnSite = site === 'same-origin' || site === 'none';
  if (origin !== undefined) {
    if (isOneOf(policy.trusted, origin)) return ALLOWED;
    if (!isOneOf(policy.origins, origin)) return refuse('foreignOrigin');
    // The API's own origin, but the browser says that the request came from another site: one of the two is false.
    return site === undefined || isOwnSite ? ALLOWED : refuse('crossSite');
  }
  if (site !== undefined) return isOwnSite ? ALLOWED : refuse('crossSite');
  // A cookie session without either header: nothing shows that the user's own page sent it.
  return refuse('noOrigin');
}

/** Host and port as written. No normalisation, so `HOST` and `host:443` stay different, as in the algorithm ported. */
function hostOf(origin: unknown): string | undefined {
  return typeof origin === 'string' ? /^[A-Za-z][A-Za-z0-9+.-]*:\/\/([^/?#@\s]+)$/.exec(origin)?.[1] : undefined;
}

function isOneOf(list: readonly string[] | undefined, value: unknown): boolean {
  return (list as readonly unknown[] | undefined)?.includes(value) ?? false;
}

function valuesOf(headers: Readonly<Record<string, unknown>>, lowerCaseName: string): unknown[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    !equalsIgnoringAsciiCase(name, lowerCaseName) || value === undefined || value === null ? [] : value,
  );
}

function refuse(reason: OriginRefusal): OriginDecision {
  return { allowed: false, reason };
}
