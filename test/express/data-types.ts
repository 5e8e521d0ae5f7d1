// SPDX-License-Identifier: Apache-2.0
/** What the types know of Passport's place in the data. The type check fails on a line that is not so; nothing here runs. */
import type { SessionData } from 'express-session';
import type { SessiongateStoreOptions } from '../../lambda/express';
import type { WithPassport } from '../../lambda/express/options';

type User = ReturnType<SessiongateStoreOptions['user']>;

// An application that says nothing of Passport, as its types do not either.
type Bare = { cookie: SessionData['cookie']; userId?: string };
export const bare = (data: Record<string, unknown> & WithPassport<Bare>): User => data.passport?.user;
export const setBare = (data: Record<string, unknown> & WithPassport<Bare>, user: string): void => {
  data.passport = { user };
};

// One that says what it keeps there: its own word counts.
type Named = Bare & { passport?: { user?: number; since?: string } };
export const named = (data: WithPassport<Named>): number | undefined => data.passport?.user;
type Whole = Bare & { passport: { user: { id: string } } };
export const whole = (data: WithPassport<Whole>): User => data.passport?.user.id;
// @ts-expect-error
export const wholeAsUser = (data: WithPassport<Whole>): User => data.passport?.user;

// Whatever else it keeps is as unknown as before.
// @ts-expect-error
export const unknown = (data: Record<string, unknown> & WithPassport<Bare>): User => data.account;
