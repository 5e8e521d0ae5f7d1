// SPDX-License-Identifier: Apache-2.0
/** The deployed session routes. */
import { createSessions } from '../session/create-sessions';
import { deploySessionApi } from './deploy-session-api';

export const handler = deploySessionApi(() => ({ sessions: createSessions<unknown>() }));
