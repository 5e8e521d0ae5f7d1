// SPDX-License-Identifier: Apache-2.0
/** Tells a run step by step, in words that a reader can follow. */
import type { Item, ItemKey } from '../../lambda/session/store';
import { canonicalText } from './interner';
import { whenKnown } from './knowledge';
import type { Action, Operation, StepEvent } from './state';
import type { StoreRequest } from './store-request';
import type { System } from './system';

/** Names for what is only a long number, such as token hashes; replaced wherever they stand in a trace. */
const names = new Map<string, string>();

export function nameInTraces(text: string, name: string): void {
  names.set(text, name);
}

/** Runs the actions again from the initial state and describes each. */
export async function traceOf<Op extends Operation>(
  system: System<Op>,
  path: readonly Action[],
): Promise<readonly string[]> {
  const lines: string[] = [];
  let state = system.initialState();
  for (const action of path) {
    const before = state;
    const { state: next, event } = await whenKnown(() => system.execute(before, action));
    const operation = state.processes[event.process]?.operation.name ?? 'the clock';
    lines.push(withNames(`${operation}: ${describeEvent(event)}`));
    state = next;
  }
  return lines;
}

function describeEvent({ action, request, applied, answer, outcome }: StepEvent): string {
  const what = request === undefined ? '' : describeRequest(request);
  const returned = outcome === undefined ? '' : ` => returns ${describeOutcome(outcome)}`;
  switch (action.kind) {
    case 'clock':
      return 'moves on';
    case 'callAgain':
      return 'is called again by its caller';
    case 'arrive':
      return `the delayed ${what} arrives${applied ? '' : ', condition fails'}`;
    case 'crash':
      return `${what}${applied ? '' : ', condition fails'} [CRASH]`;
    case 'refused':
    case 'throttled':
      return `${what} [${action.kind.toUpperCase()}]${returned}`;
    case 'broken':
      return `${what}${action.choice === 0 ? ' [FAILS FOR GOOD, not done]' : ' [FAILS FOR GOOD, done]'}${returned}`;
    case 'delayed':
      return `${what} [DELAYED on the way, the caller gets an error]${returned}`;
    case 'lost':
      return `${what}${applied ? '' : ', condition fails'} [ANSWER LOST]${returned}`;
    case 'partial':
    case 'step':
      return `${what}${describeAnswer(request, applied, answer)}${action.kind === 'partial' ? ' [ENDS EARLY]' : ''}${returned}`;
  }
}

function describeRequest(request: StoreRequest): string {
  switch (request.call) {
    case 'put':
      return `put ${describeKey({ partitionKey: request.item.PK?.S ?? '', sortKey: request.item.SK?.S ?? '' })}`;
    case 'query':
      return `query the collection${request.cursor === undefined ? '' : ', next page'}`;
    case 'getMany':
      return `read ${request.keys.map(describeKey).join(', ')}`;
    case 'update': {
      const { set = {}, remove = [] } = request.change;
      const changes = Object.entries(set).map(([name, value]) => `${name}=${Object.values(value).join()}`);
      return `update ${describeKey(request.key)} (${[...changes, ...remove.map((name) => `-${name}`)].join(' ')})`;
    }
    default:
      return `${request.call} ${describeKey(request.key)}`;
  }
}

function describeKey({ partitionKey, sortKey }: ItemKey): string {
  if (partitionKey.startsWith('SU#')) return sortKey.startsWith('SU#') ? 'user' : `entry ${sortKey.slice(2)}`;
  return partitionKey.startsWith('S#') ? `session ${partitionKey.slice(2)}` : `${partitionKey}/${sortKey}`;
}

function describeAnswer(request: StoreRequest | undefined, applied: boolean, answer: StepEvent['answer']): string {
  if (!applied) return ' -> condition fails';
  if (request === undefined || answer === undefined || !('value' in answer)) return '';
  if (request.call === 'get')
    return answer.value === undefined ? ' -> none' : ` -> ${describeItem(answer.value as Item)}`;
  if (request.call !== 'query') return '';
  const { items } = answer.value as { items: readonly Item[] };
  return ` -> ${items.map((item) => item.SK?.S?.slice(2)).join(', ') || 'nothing'}`;
}

function describeItem(item: Item): string {
  const shown = ['generation', 'changed_by', 'disabled', 'version', 'revoked', 'replaced_by'].filter(
    (name) => name in item,
  );
  return shown.map((name) => `${name}=${Object.values(item[name] ?? {}).join()}`).join(' ') || 'found';
}

function describeOutcome(outcome: NonNullable<StepEvent['outcome']>): string {
  const { result, ...details } = outcome;
  return Object.keys(details).length === 0 ? result : `${result} ${canonicalText(details)}`;
}

function withNames(line: string): string {
  return line.replace(/[0-9a-f]{64}/g, (hash) => names.get(hash) ?? hash.slice(0, 8));
}
