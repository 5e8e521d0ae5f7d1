// SPDX-License-Identifier: Apache-2.0
/** Turns changes and conditions into DynamoDB expressions. Every name goes through a placeholder: `user`, `data` and `type` are reserved words. */
import type { AttributeValue as SdkAttributeValue } from '@aws-sdk/client-dynamodb';
import type { AttributeValue, Change, Condition } from './store';

/** Hands out one `#n` per attribute name. */
export class ExpressionNames {
  readonly #placeholders = new Map<string, string>();

  placeholder(attribute: string): string {
    const known = this.#placeholders.get(attribute);
    if (known !== undefined) return known;
    const placeholder = `#n${this.#placeholders.size}`;
    this.#placeholders.set(attribute, placeholder);
    return placeholder;
  }

  toObject(): Record<string, string> {
    return Object.fromEntries([...this.#placeholders].map(([attribute, placeholder]) => [placeholder, attribute]));
  }
}

/** The expression fields of an UpdateItem; with `keyIfNoItem` the condition also holds where no item exists. */
export function writeExpression(change: Change, conditions: readonly Condition[], keyIfNoItem?: string) {
  const names = new ExpressionNames();
  const values: Record<string, SdkAttributeValue> = {};
  const value = (content: AttributeValue): string => {
    const placeholder = `:v${Object.keys(values).length}`;
    values[placeholder] = content as SdkAttributeValue;
    return placeholder;
  };

  const sets = [
    ...Object.entries(change.set ?? {}).map(([name, content]) => `${names.placeholder(name)} = ${value(content)}`),
    ...Object.entries(change.setIfAbsent ?? {}).map(
      ([name, content]) => `${names.placeholder(name)} = if_not_exists(${names.placeholder(name)}, ${value(content)})`,
    ),
  ];
  const removes = (change.remove ?? []).map((name) => names.placeholder(name));
  const all = conditions
    .map((condition) => comparison(condition, names.placeholder(condition.attribute), value))
    .join(' AND ');
  return {
    UpdateExpression: [
      ...(sets.length > 0 ? [`SET ${sets.join(', ')}`] : []),
      ...(removes.length > 0 ? [`REMOVE ${removes.join(', ')}`] : []),
    ].join(' '),
    ConditionExpression:
      keyIfNoItem === undefined ? all : `attribute_not_exists(${names.placeholder(keyIfNoItem)}) OR (${all})`,
    ExpressionAttributeNames: names.toObject(),
    ...(Object.keys(values).length > 0 ? { ExpressionAttributeValues: values } : {}),
  };
}

function comparison(condition: Condition, name: string, value: (content: AttributeValue) => string): string {
  switch (condition.is) {
    case 'absent':
      return `attribute_not_exists(${name})`;
    case 'present':
      return `attribute_exists(${name})`;
    case 'equal':
      return `${name} = ${value(condition.to)}`;
    case 'greater':
      return `${name} > ${value({ N: String(condition.than) })}`;
    case 'less':
      return `${name} < ${value({ N: String(condition.than) })}`;
  }
}
