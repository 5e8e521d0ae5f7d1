// SPDX-License-Identifier: Apache-2.0
/** Stands for your user directory; passwords are kept as scrypt hashes. */
import { scryptSync, timingSafeEqual } from 'node:crypto';

export interface User {
  readonly id: string;
  readonly role: string;
  readonly salt: string;
  readonly passwordHash: Buffer;
}

const users: readonly User[] = [
  {
    id: 'alice',
    role: 'admin',
    salt: 'f2a91c',
    passwordHash: scryptSync('correct horse battery staple', 'f2a91c', 32),
  },
];

export function findUser(name: unknown): User | undefined {
  return users.find(({ id }) => id === name);
}

export function isRightPassword({ salt, passwordHash }: User, password: unknown): boolean {
  return typeof password === 'string' && timingSafeEqual(scryptSync(password, salt, 32), passwordHash);
}
