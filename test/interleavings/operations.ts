// SPDX-License-Identifier: Apache-2.0
/**
 * The operations of the lifecycle on the sessions M and X of one user and the anonymous session P, each a call of the real
 * library. Those that issue a token are lettered: the first operation of a run issues B, the second C, the third D.
 */
import { createHash } from 'node:crypto';
import { createSessions } from '../../lambda/session/create-sessions';
import {
  AuthenticationSupersededError,
  SessionConflictError,
  SessionStoreError,
  UserDisabledError,
} from '../../lambda/session/errors';
import type { SessionStore } from '../../lambda/session/store';
import { bytesFrom, type Environment, type Outcome, type Program } from './run';
import type { Operation } from './state';
import { nameInTraces } from './trace';

export const USER = 'alice';
/** M and X are the user's two sessions, P is anonymous. */
export type InitialSession = 'M' | 'X' | 'P';

export interface Data {
  /** Letters of the operations that saved. */
  saved: string[];
}

export type Kind =
  | 'login'
  | 'loginOverP'
  | 'rotate'
  | 'renew'
  | 'save'
  | 'logout'
  | 'revoke'
  | 'revokeNew'
  | 'revokeAll'
  | 'exceptM'
  | 'exceptX'
  | 'disable'
  | 'enable'
  | 'list';

export interface LifecycleOperation extends Operation {
  readonly kind: Kind;
  readonly letter: string;
  /** What the operation acts on, or replaces: the session with this letter, and what rotation made of it. */
  readonly source?: string;
  /** Letter of the login that a token issued by this operation belongs to. */
  readonly lineage?: string;
  /** What is dead once the operation returned: one login, or everything of the user. */
  readonly ends?: 'source' | 'user';
}

export interface LibraryOptions {
  /** Which half of the collection the tokens issued by operations sort into; the initial ones are in the second. */
  readonly tokens: 'early' | 'late';
  readonly maxSessionsPerUser?: number;
  /** How many sessions a sweep ends at the same time. Default 1. */
  readonly sweepWidth?: number;
  /** A store that breaks its contract, or hides what a rule of the library depends on; to see that it is caught. */
  readonly broken?: { readonly name: string; readonly wrap: (store: SessionStore) => SessionStore };
}

export const IDLE_TIMEOUT_SECONDS = 600;
export const RENEWAL_INTERVAL_SECONDS = 60;

/** What a program may do with the library: everything, for one call of it. */
type Use = (sessions: ReturnType<typeof createSessions<Data>>) => Promise<Outcome>;

export function operationOf(kind: Kind, letter: string, library: LibraryOptions, newLetter = 'B'): LifecycleOperation {
  const { use, ...facts } = definitionOf(kind, letter, library, newLetter);
  const settings = `${library.tokens} ${library.maxSessionsPerUser ?? ''} ${library.sweepWidth ?? ''} ${library.broken?.name ?? ''}`;
  return {
    kind,
    letter,
    name: `${kind} ${letter}`,
    ...facts,
    program: programOf(`${kind} ${letter} ${kind === 'revokeNew' ? newLetter : ''} ${settings}`, letter, library, use),
    again: () => operationOf(kind, `${letter}'`, library, newLetter),
  };
}

type Definition = Pick<LifecycleOperation, 'source' | 'lineage' | 'ends'> & { readonly use: Use };

function definitionOf(kind: Kind, letter: string, library: LibraryOptions, newLetter: string): Definition {
  switch (kind) {
    case 'login':
      return {
        lineage: letter,
        use: async (sessions) => {
          const authentication = await sessions.beginAuthentication(USER);
          return issued(await sessions.create({ user: USER, authentication, data: { saved: [] } }));
        },
      };
    case 'loginOverP':
      return {
        source: 'P',
        lineage: letter,
        use: async (sessions) => {
          const authentication = await sessions.beginAuthentication(USER);
          const replaces = await sessions.read(cookieOf('P'));
          return issued(await sessions.create({ user: USER, authentication, data: { saved: [] }, replaces }));
        },
      };
    case 'rotate':
      return {
        source: 'M',
        lineage: 'M',
        use: async (sessions) => {
          const session = await sessions.read(cookieOf('M'));
          return session === null ? ENDED : issued(await sessions.rotate(session));
        },
      };
    case 'renew':
      return {
        source: 'M',
        use: async (sessions) => {
          const session = await sessions.read(cookieOf('M'));
          if (session === null) return ENDED;
          const result = await sessions.renew(session);
          return result === 'ended' ? ENDED : { result };
        },
      };
    case 'save':
      return {
        source: 'M',
        use: async (sessions) => {
          const session = await sessions.read(cookieOf('M'));
          if (session === null) return ENDED;
          session.data.saved.push(letter);
          await sessions.save(session);
          return OK;
        },
      };
    case 'logout':
      return { source: 'M', ends: 'source', use: (sessions) => sessions.destroy(tokenOf('M')).then(() => OK) };
    case 'revoke':
      return {
        source: 'M',
        ends: 'source',
        use: async (sessions) => ((await sessions.revoke(USER, hashOf('M'))) ? OK : ENDED),
      };
    case 'revokeNew':
      return {
        source: newLetter,
        ends: 'source',
        use: async (sessions) => ((await sessions.revoke(USER, hashOf(newLetter, library.tokens))) ? OK : ENDED),
      };
    case 'revokeAll':
      return { ends: 'user', use: (sessions) => sessions.revokeAll(USER).then(() => OK) };
    case 'exceptM':
    case 'exceptX': {
      const source = kind === 'exceptM' ? 'M' : 'X';
      return {
        source,
        lineage: source,
        ends: 'user',
        use: async (sessions) => {
          const except = await sessions.read(cookieOf(source));
          return except === null ? ENDED : issued(await sessions.revokeAll(USER, { except }));
        },
      };
    }
    case 'disable':
      return { ends: 'user', use: (sessions) => sessions.disable(USER).then(() => OK) };
    case 'enable':
      return { use: async (sessions) => ((await sessions.enable(USER)) === false ? { result: 'conflict' } : OK) };
    case 'list':
      return {
        use: async (sessions) => ({ result: 'ok', listed: (await sessions.list(USER)).map(({ id }) => id) }),
      };
  }
}

const OK: Outcome = { result: 'ok' };
const ENDED: Outcome = { result: 'ended' };

function issued(result: { readonly token: string } | null): Outcome {
  return result === null ? ENDED : { result: 'ok', token: sha256(result.token) };
}

/** The program that creates an initial session. */
export function initialLogin(letter: InitialSession, library: LibraryOptions): Program {
  return programOf(`initial ${letter}`, letter, { ...library, tokens: 'late' }, async (sessions) => {
    const user = letter === 'P' ? {} : { user: USER };
    return issued(await sessions.create({ ...user, data: { saved: [] } }));
  });
}

function programOf(name: string, letter: string, library: LibraryOptions, use: Use): Program {
  return {
    name,
    randomBytes: (size, draw) =>
      size === 32 ? tokenBytes(letter, library.tokens, draw) : bytesFrom(`${letter} ${draw}`, size),
    run: (environment) => use(sessionsIn(environment, library)).catch(knownFailure),
  };
}

function sessionsIn({ store, now, randomBytes }: Environment, library: LibraryOptions) {
  return createSessions<Data>({
    store: library.broken?.wrap(store) ?? store,
    now,
    randomBytes,
    sleep: () => Promise.resolve(),
    idleTimeoutSeconds: IDLE_TIMEOUT_SECONDS,
    renewalIntervalSeconds: RENEWAL_INTERVAL_SECONDS,
    sweepWidth: library.sweepWidth ?? 1,
    ...(library.maxSessionsPerUser && { maxSessionsPerUser: library.maxSessionsPerUser }),
  });
}

/** What a caller is told when an operation does not succeed; anything else is a defect and goes on as an error. */
function knownFailure(error: unknown): Outcome {
  if (error instanceof SessionStoreError) return { result: 'failed' };
  if (error instanceof SessionConflictError) return { result: error.outcome === 'unknown' ? 'unknown' : 'conflict' };
  if (error instanceof AuthenticationSupersededError || error instanceof UserDisabledError)
    return { result: 'refused' };
  throw error;
}

const letters = new Map<string, string>();

/** Letter of the operation or initial session that issued the token with this hash. */
export function letterOf(tokenHash: string): string {
  const letter = letters.get(tokenHash);
  if (letter === undefined) throw new Error(`no operation issued the token ${tokenHash}`);
  return letter;
}

export function tokenOf(letter: string, half: LibraryOptions['tokens'] = 'late'): string {
  return Buffer.from(tokenBytes(letter, half, 0)).toString('base64url');
}

export function hashOf(letter: string, half: LibraryOptions['tokens'] = 'late'): string {
  return sha256(tokenOf(letter, half));
}

const cookieOf = (letter: InitialSession): string => `__Host-session=${tokenOf(letter)}`;
const sha256 = (token: string): string => createHash('sha256').update(token).digest('hex');

const tokens = new Map<string, Uint8Array>();

/** Bytes of a token whose hash lies in the wanted half of the collection. */
function tokenBytes(letter: string, half: LibraryOptions['tokens'], draw: number): Uint8Array {
  const name = `token ${letter} ${half} ${draw}`;
  const known = tokens.get(name);
  if (known !== undefined) return known;
  for (let attempt = 0; ; attempt++) {
    const bytes = bytesFrom(`${name} ${attempt}`, 32);
    const hash = sha256(Buffer.from(bytes).toString('base64url'));
    if (hash < '8' !== (half === 'early')) continue;
    tokens.set(name, bytes);
    letters.set(hash, letter);
    nameInTraces(hash, draw === 0 ? letter : `${letter}${draw}`);
    return bytes;
  }
}
