// SPDX-License-Identifier: Apache-2.0
/** The reference is current, and every prop says what its absence means. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { exportedDeclarations } from '../../scripts/api-declarations';
import { apiDocument } from '../../scripts/api-document';

const root = join(__dirname, '../..');

test('docs/api.md is what the sources say; npm run docs:api brings it up to date', () => {
  expect(readFileSync(join(root, 'docs/api.md'), 'utf8')).toBe(apiDocument());
});

const declarations = [...exportedDeclarations(join(root, 'lib/index.ts'))].flatMap(([name, [declaration]]) =>
  declaration === undefined ? [] : [{ name, declaration }],
);

test.each(declarations)('$name is documented', ({ declaration }) => {
  expect(ts.getJSDocCommentsAndTags(declaration)).not.toEqual([]);
});

const props = declarations.filter(({ name }) => /(Props|Options|Attributes)$/.test(name));

test.each(props)(
  'every prop of $name is readonly and documented, and every optional one has its @default',
  ({ declaration }) => {
    if (!ts.isInterfaceDeclaration(declaration)) throw new Error('props must be an interface');
    const incomplete = declaration.members.filter((member) => {
      const tags = ts.getJSDocTags(member).map(({ tagName }) => tagName.text);
      const isReadonly =
        ts.canHaveModifiers(member) &&
        ts.getModifiers(member)?.some(({ kind }) => kind === ts.SyntaxKind.ReadonlyKeyword);
      const isDocumented = ts.getJSDocCommentsAndTags(member).length > 0;
      const saysDefault = member.questionToken === undefined || tags.includes('default');
      return !isReadonly || !isDocumented || !saysDefault;
    });

    expect(incomplete.map((member) => member.name?.getText())).toEqual([]);
  },
);
