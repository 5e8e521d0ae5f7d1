// SPDX-License-Identifier: Apache-2.0
/** Loads the corpus of hostile and edge inputs and fills in its placeholders. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashSessionToken } from '../../lambda/session/token';

export interface CorpusLine {
  readonly id: string;
  readonly kind: 'cookie-header' | 'token' | 'event' | 'item' | 'sequence';
  // biome-ignore lint/suspicious/noExplicitAny: hostile input of any shape
  readonly input: any;
  readonly expect: 'allow' | 'deny' | 'no-read' | 'error500';
  readonly why: string;
}

export const NOW = 1_800_000_000;
export const COOKIE_NAME = '__Host-sid';
export const ALLOWED_ORIGIN = 'https://app.example.com';
export const USER = 'u-123';
export const TOKEN = Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('base64url');
export const EVIL = Buffer.alloc(32, 0xee).toString('base64url');
export const UNKNOWN = Buffer.alloc(32, 0x55).toString('base64url');

/** The lines of one kind, placeholders filled in. */
export function corpusLines(
  kind: CorpusLine['kind'],
  wanted: (line: CorpusLine) => boolean = () => true,
): CorpusLine[] {
  return readFileSync(join(__dirname, '../vectors/corpus.jsonl'), 'utf8')
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text) as CorpusLine)
    .filter((line) => line.kind === kind && wanted(line))
    .map((line) => ({ ...line, input: fill(line.input) }));
}

/** Name of the test of a line. */
export function titleOf(line: CorpusLine): string {
  return `${line.id} ${line.why} -> ${line.expect}`;
}

function fill(value: unknown): unknown {
  if (typeof value === 'string') return fillText(value);
  if (Array.isArray(value)) return value.map(fill);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [fillText(name), fill(entry)]));
}

function fillText(text: string): string {
  return text
    .replaceAll('{{NAME}}', COOKIE_NAME)
    .replaceAll('{{TOKEN}}', TOKEN)
    .replaceAll('{{EVIL}}', EVIL)
    .replaceAll('{{UNKNOWN}}', UNKNOWN)
    .replaceAll('{{PK}}', `S#${hashSessionToken(TOKEN)}`)
    .replace(/\{\{NOW([+-]\d+)?\}\}/g, (_, offset = '0') => String(NOW + Number(offset)))
    .replace(/\{\{NOWMS([+-]\d+)?\}\}/g, (_, offset = '0') => String(NOW * 1000 + Number(offset)))
    .replace(/\{\{REP:(\d+):(.*?)\}\}/g, (_, times, repeated) => repeated.repeat(Number(times)));
}
