// SPDX-License-Identifier: Apache-2.0
/** Plays a sequence of the corpus with the real library and the real authorizer over one table in memory. */
import { createHash, createHmac } from 'node:crypto';
import { createAuthorizer } from '../../lambda/authorizer/create-authorizer';
import { createSessions } from '../../lambda/session/create-sessions';
import { SessionError } from '../../lambda/session/errors';
import type { LegacySession, LegacySource } from '../../lambda/session/legacy-source';
import { MemorySessionStore } from '../../lambda/session/memory-session-store';
import type { Sessions } from '../../lambda/session/sessions';
import { generateSessionToken } from '../../lambda/session/token';
import { isDenied } from './authorize';
import { COOKIE_NAME, NOW } from './corpus';
import { type Gate, gateWrites } from './gated-store';
import { RememberingStore } from './remembering-store';

type Step = readonly [string, ...(string | number)[]];
type Data = Record<string, unknown>;
/** Whether the step did what it was to do. */
type Outcome = boolean;

const DAY_SECONDS = 86_400;

interface Pending {
  readonly gate: Gate;
  readonly outcome: Promise<Outcome>;
}

export class SequenceWorld {
  #now = NOW;
  #epoch: string | undefined;
  readonly #table = new RememberingStore(() => new MemorySessionStore());
  readonly #tokens = new Map<string, string>();
  readonly #pending = new Map<string, Pending>();
  /** Sessions of an older system, by their ids. */
  readonly #legacy = new Map<string, LegacySession>();
  readonly #idleTimeoutSeconds: number;
  readonly #absoluteTimeoutSeconds: number;
  readonly #hasLostAnswers: boolean;

  constructor(id: string, steps: readonly Step[]) {
    const idle = steps.find(([name, , , seconds]) => name === 'login' && seconds !== undefined)?.[3];
    this.#idleTimeoutSeconds = Number(idle ?? DAY_SECONDS);
    this.#absoluteTimeoutSeconds = id === 'sq-037' ? 12 * 3600 : 400 * DAY_SECONDS;
    // A commit that comes twice is one whose answer was lost.
    const commits = steps.filter(([name]) => name.endsWith('-commit')).map(([, operation]) => operation);
    this.#hasLostAnswers = new Set(commits).size < commits.length;
  }

  countItems(): Promise<number> {
    return this.#table.countItems();
  }

  async play(steps: readonly Step[]): Promise<'allow' | 'deny'> {
    let outcome: Outcome = false;
    for (const step of steps) outcome = await this.#play(step);
    return outcome ? 'allow' : 'deny';
  }

  async #play([name, ...names]: Step): Promise<Outcome> {
    const [first = '', second = '', third = '', fourth = ''] = names.map(String);
    switch (name) {
      case 'advance':
        this.#now += Number(first);
        return true;
      case 'check':
        return this.#check(first, second);
      case 'legacy-put': {
        const expiresAt = this.#now + Number(third === '' ? DAY_SECONDS : third);
        this.#legacy.set(legacyIdOf(first), { user: second, createdAt: this.#now, expiresAt });
        return true;
      }
      case 'ttl-sweep':
        await this.#table.sweep(this.#now);
        return true;
      case 'backup':
        return this.#table.backUp(first);
      case 'restore':
        this.#epoch = `after-${first}`;
        return this.#table.restore(first);
    }
    const [operation = '', part] = name.split(/-(begin|commit)$/);
    if (part === 'commit') return this.#commit(first);
    if (part === undefined) return this.#run(operation, [first, second, third], this.#sessions(this.#table));
    const gate = gateWrites(this.#table, this.#hasLostAnswers);
    const run = this.#run(operation, [second, third, fourth], this.#sessions(gate.store));
    // An operation that has nothing to write, or fails, never reaches the gate.
    await Promise.race([gate.reached, run]);
    this.#pending.set(first, { gate, outcome: run });
    return true;
  }

  #commit(operation: string): Promise<Outcome> {
    const pending = this.#pending.get(operation);
    if (pending === undefined) throw new Error(`nothing began as ${operation}`);
    pending.gate.open();
    return pending.outcome;
  }

  async #run(
    operation: string,
    [first, second, third]: [string, string, string],
    sessions: Sessions<Data>,
  ): Promise<Outcome> {
    try {
      return await this.#operate(operation, [first, second, third], sessions);
    } catch (error) {
      // What the library refuses by name is an outcome; anything else is a fault of the test.
      if (error instanceof SessionError) return false;
      throw error;
    }
  }

  async #operate(
    operation: string,
    [first, second, third]: [string, string, string],
    sessions: Sessions<Data>,
  ): Promise<Outcome> {
    switch (operation) {
      case 'login': {
        const authentication = await sessions.beginAuthentication(first);
        return this.#issued(second, await sessions.create({ user: first, authentication }));
      }
      case 'anon':
        return this.#issued(first, await sessions.create());
      case 'login-over': {
        const replaces = await sessions.read(this.#cookie(first));
        return this.#issued(third, await sessions.create({ user: second, replaces }));
      }
      case 'migrate': {
        const arrival = await sessions.legacy?.arrive(`old=${legacyIdOf(first)}`, null);
        return this.#issued(second, arrival?.moved ?? null);
      }
      case 'logout':
        await sessions.destroy(this.#tokenOf(first));
        return true;
      case 'legacy-logout':
        await sessions.legacy?.end(`old=${legacyIdOf(first)}`);
        return true;
      case 'revoke-all':
        await sessions.revokeAll(first);
        return true;
      case 'disable':
        await sessions.disable(first);
        return true;
      case 'rotate': {
        const session = await sessions.read(this.#cookie(first));
        return session !== null && this.#issued(second, await sessions.rotate(session));
      }
      case 'save': {
        const session = await sessions.read(this.#cookie(first));
        if (session === null) return false;
        session.data = { saved: generateSessionToken() };
        return sessions.save(session);
      }
      case 'renew': {
        // The shortest interval is a second: let it pass, so that a renewal is due.
        this.#now += 1;
        const session = await sessions.read(this.#cookie(first));
        return session !== null && (await sessions.renew(session)) === 'renewed';
      }
    }
    throw new Error(`the step ${operation} is not known`);
  }

  #issued(name: string, issued: { readonly token: string } | null): Outcome {
    if (issued !== null) this.#tokens.set(name, issued.token);
    return issued !== null;
  }

  async #check(name: string, user: string): Promise<Outcome> {
    const token = this.#tokens.get(name);
    if (token !== undefined) return this.#admits(token, user);
    // Nothing was issued under that name: it is an older session’s, which moves in so that there is one to mistake it for.
    const id = legacyIdOf(name);
    if (!this.#legacy.has(id))
      await this.play([['legacy-put', name, 'somebody'] as const, ['migrate', name, `${name}'`]]);
    for (const value of lookingLikeTokens(id)) if (await this.#admits(value, user)) return true;
    return false;
  }

  async #admits(token: string, user: string): Promise<boolean> {
    const authorize = createAuthorizer(
      {
        now: () => this.#now,
        reader: { readSession: (partitionKey) => this.#table.get({ partitionKey, sortKey: 'S#' }) },
      },
      { cookieName: COOKIE_NAME, epoch: this.#epoch },
    );
    const result = await authorize({
      type: 'REQUEST',
      methodArn: 'arn:aws:execute-api:eu-west-1:123456789012:abcdef1234/prod/GET/me',
      httpMethod: 'GET',
      headers: { Cookie: `${COOKIE_NAME}=${token}` },
    });
    return !isDenied(result) && (user === '' || ('principalId' in result && result.principalId === user));
  }

  /** One that nobody was given where none was issued under that name. */
  #tokenOf(name: string): string {
    return this.#tokens.get(name) ?? generateSessionToken();
  }

  #cookie(name: string): string {
    return `${COOKIE_NAME}=${this.#tokenOf(name)}`;
  }

  #sessions(store: MemorySessionStore | Gate['store'] | RememberingStore): Sessions<Data> {
    return createSessions<Data>({
      store,
      cookieName: COOKIE_NAME,
      absoluteTimeoutSeconds: this.#absoluteTimeoutSeconds,
      idleTimeoutSeconds: this.#idleTimeoutSeconds,
      renewalIntervalSeconds: 1,
      epoch: this.#epoch,
      now: () => this.#now,
      sleep: async () => {},
      legacy: { sources: [this.#source()], report: () => {} },
    });
  }

  #source(): LegacySource {
    return {
      name: 'old',
      cookieNames: ['old'],
      verify: ({ old }) => old,
      read: async (id, now) => {
        const session = this.#legacy.get(id);
        return session !== undefined && session.expiresAt > now ? session : undefined;
      },
      end: async (id) => void this.#legacy.delete(id),
    };
  }
}

/** In the form of a session token, so that nothing but the table tells one from the other. */
function legacyIdOf(name: string): string {
  return createHash('sha256').update(name).digest('base64url');
}

/** A token that nobody was given; the id itself, its signed value, the signature alone and its hash. */
function lookingLikeTokens(id: string): readonly string[] {
  const signature = createHmac('sha256', 'key of the older system').update(id).digest('base64url');
  const hash = createHash('sha256').update(id);
  return [
    generateSessionToken(),
    id,
    `${id}.${signature}`,
    signature,
    hash.copy().digest('base64url'),
    hash.digest('hex'),
  ];
}
