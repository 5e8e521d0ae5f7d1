// SPDX-License-Identifier: Apache-2.0
/** Whether two constructs are one table, as far as synthesis can know. */
import { Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

interface NamedTable extends IConstruct {
  readonly tableName: string;
}

/** The same construct, one and an import of it, or both of one known name: functions are told the name only. */
export function isSameTable(one: NamedTable, other: NamedTable): boolean {
  const names = namesOf(other);
  return namesOf(one).some((name) => names.includes(name));
}

/** The name as others refer to it, and the one that it will be created with. */
function namesOf(table: NamedTable & { readonly table?: IConstruct }): string[] {
  const created = (table.node.defaultChild ?? table.table?.node.defaultChild) as
    | { readonly tableName?: string }
    | undefined;
  const name = created?.tableName;
  return [table.tableName, ...(name === undefined || Token.isUnresolved(name) ? [] : [name])];
}
