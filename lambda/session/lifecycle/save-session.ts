// SPDX-License-Identifier: Apache-2.0
/** Saves the application's data if it changed: optimistic, so that of two writers the second is told. */
import { number, readString, readWholeNumber, text } from '../attribute';
import { SessionConflictError } from '../errors';
import type { Condition, Item } from '../store';
import { type Attempted, attempt, isAlive, isUnchanged, keyOf, type LifecycleContext, repeat } from './context';
import { memoryOf, rememberWrite, type Session } from './session';
import { serializeData } from './session-data';
import { requireFittingItem } from './session-item';
import { dueSlide, maySlide, type Slide, slideAttributes } from './slide-session';

/** What else must hold for a save, and what else it removes. */
export interface SaveFence {
  readonly conditions: readonly Condition[];
  readonly remove: readonly string[];
}

/** Whether anything was written: false if the data is as it was read. */
export async function saveSession<Data>(
  context: LifecycleContext,
  session: Session<Data>,
  fence: SaveFence = { conditions: [], remove: [] },
): Promise<boolean> {
  const memory = memoryOf(session);
  const dataText = serializeData(session.data);
  if (dataText === memory.dataText) return false;
  const { valid, item } = memory;
  requireFittingItem(context, { ...item, data: text(dataText) });

  const set: Item = { data: text(dataText), version: number(valid.version + 1) };
  const isSameVersion = isUnchanged('version', valid.version, item.version !== undefined || valid.version > 0);
  const slide = dueSlide(context, valid);
  let hadFailure = false;
  const write = async (sliding: Slide | undefined): Promise<boolean> => {
    const { result, isAfterFailure }: Attempted<{ readonly applied: boolean }> = await attempt(context, () =>
      context.store.update(
        keyOf(context, session.id),
        {
          set: sliding === undefined ? set : { ...set, ...slideAttributes(context, sliding) },
          ...(fence.remove.length === 0 ? {} : { remove: fence.remove }),
        },
        [
          ...(sliding === undefined ? isAlive(context, context.now()) : maySlide(context, valid)),
          isSameVersion,
          ...fence.conditions,
        ],
      ),
    );
    hadFailure ||= isAfterFailure;
    return result.applied;
  };

  if (slide !== undefined && (await write(slide))) {
    rememberWrite(session, { ...slide, version: valid.version + 1, dataText });
    return true;
  }
  // Without a slide: none is due, or another request slid the session first, which is no reason to refuse the data.
  if (!(await write(undefined)) && !(hadFailure && (await isWritten(context, session.id, valid.version + 1, dataText))))
    throw new SessionConflictError(hadFailure ? 'unknown' : 'notWritten');
  rememberWrite(session, { version: valid.version + 1, dataText });
  return true;
}

/** After a lost answer: our own write is recognised by its version and its data. */
async function isWritten(
  context: LifecycleContext,
  tokenHash: string,
  version: number,
  dataText: string,
): Promise<boolean> {
  const item = await repeat(context, () => context.store.get(keyOf(context, tokenHash)));
  return item !== undefined && readWholeNumber(item, 'version') === version && readString(item, 'data') === dataText;
}
