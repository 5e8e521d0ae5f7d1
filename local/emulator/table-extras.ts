// SPDX-License-Identifier: Apache-2.0
/** Time to live and point-in-time recovery of tables: what dynalite does not know, kept in a file beside its data. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

export interface TableExtras {
  readonly timeToLiveAttribute?: string;
  readonly pointInTimeRecovery?: boolean;
}

/** An answer: an output, or an error as DynamoDB names it. */
export type ExtrasAnswer = { readonly output: object } | { readonly error: string; readonly message: string };

/** Operations that are answered here. */
export const EXTRAS_OPERATIONS = [
  'UpdateTimeToLive',
  'DescribeTimeToLive',
  'UpdateContinuousBackups',
  'DescribeContinuousBackups',
] as const;
export type ExtrasOperation = (typeof EXTRAS_OPERATIONS)[number];

export class TableExtrasStore {
  readonly #file: string | undefined;
  readonly #tables: Map<string, TableExtras>;

  /** @param file - where to keep them; absent: in memory */
  constructor(file?: string) {
    this.#file = file;
    const stored = file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
    this.#tables = new Map(Object.entries<TableExtras>(stored));
  }

  tables(): ReadonlyMap<string, TableExtras> {
    return this.#tables;
  }

  /** The table was deleted: a later one of this name starts anew. */
  forget(table: string): void {
    if (this.#tables.delete(table)) this.#save();
  }

  answer(operation: ExtrasOperation, table: string, input: Record<string, unknown>): ExtrasAnswer {
    switch (operation) {
      case 'UpdateTimeToLive':
        return this.#updateTimeToLive(table, input.TimeToLiveSpecification);
      case 'DescribeTimeToLive':
        return { output: { TimeToLiveDescription: describeTimeToLive(this.#tables.get(table)) } };
      case 'UpdateContinuousBackups':
        return this.#updateContinuousBackups(table, input.PointInTimeRecoverySpecification);
      case 'DescribeContinuousBackups':
        return { output: describeContinuousBackups(this.#tables.get(table)) };
    }
  }

  #updateTimeToLive(table: string, specification: unknown): ExtrasAnswer {
    const { AttributeName: attribute, Enabled: enabled } = (specification ?? {}) as Record<string, unknown>;
    if (typeof attribute !== 'string' || attribute === '' || typeof enabled !== 'boolean')
      return invalid('TimeToLiveSpecification needs AttributeName and Enabled');
    const current = this.#tables.get(table)?.timeToLiveAttribute;
    if (enabled && current === attribute) return invalid('TimeToLive is already enabled');
    if (!enabled && current === undefined) return invalid('TimeToLive is already disabled');
    if (current !== undefined && current !== attribute)
      return invalid(`TimeToLive is active on a different AttributeName: current AttributeName is ${current}`);
    const { timeToLiveAttribute: _, ...rest } = this.#tables.get(table) ?? {};
    this.#set(table, enabled ? { ...rest, timeToLiveAttribute: attribute } : rest);
    return { output: { TimeToLiveSpecification: { AttributeName: attribute, Enabled: enabled } } };
  }

  #updateContinuousBackups(table: string, specification: unknown): ExtrasAnswer {
    const { PointInTimeRecoveryEnabled: enabled } = (specification ?? {}) as Record<string, unknown>;
    if (typeof enabled !== 'boolean')
      return invalid('PointInTimeRecoverySpecification needs PointInTimeRecoveryEnabled');
    this.#set(table, { ...this.#tables.get(table), pointInTimeRecovery: enabled });
    return { output: describeContinuousBackups(this.#tables.get(table)) };
  }

  #set(table: string, extras: TableExtras): void {
    this.#tables.set(table, extras);
    this.#save();
  }

  /** Written beside and renamed, so that a crash leaves the old file or the new one. */
  #save(): void {
    if (this.#file === undefined) return;
    writeFileSync(`${this.#file}.new`, `${JSON.stringify(Object.fromEntries(this.#tables), undefined, 2)}\n`);
    renameSync(`${this.#file}.new`, this.#file);
  }
}

function describeTimeToLive(extras: TableExtras | undefined): object {
  return extras?.timeToLiveAttribute === undefined
    ? { TimeToLiveStatus: 'DISABLED' }
    : { TimeToLiveStatus: 'ENABLED', AttributeName: extras.timeToLiveAttribute };
}

function describeContinuousBackups(extras: TableExtras | undefined): object {
  const status = extras?.pointInTimeRecovery ? 'ENABLED' : 'DISABLED';
  return {
    ContinuousBackupsDescription: {
      ContinuousBackupsStatus: 'ENABLED',
      PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: status },
    },
  };
}

function invalid(message: string): ExtrasAnswer {
  return { error: 'com.amazon.coral.validate#ValidationException', message };
}
