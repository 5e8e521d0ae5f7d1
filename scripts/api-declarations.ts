// SPDX-License-Identifier: Apache-2.0
/** Finds what an index file exports, following re-exports, from the sources alone. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

export type Declaration =
  | ts.ClassDeclaration
  | ts.InterfaceDeclaration
  | ts.FunctionDeclaration
  | ts.TypeAliasDeclaration
  | ts.EnumDeclaration
  | ts.VariableStatement;

/** Exported declarations by name, in the order of the index file; overloads of a function are several. */
export function exportedDeclarations(fileName: string): Map<string, Declaration[]> {
  const found = new Map<string, Declaration[]>();
  for (const statement of parse(fileName).statements) {
    if (ts.isExportDeclaration(statement)) addReExports(found, fileName, statement);
    else if (isDeclaration(statement) && isExported(statement))
      for (const name of namesOf(statement)) found.set(name, [...(found.get(name) ?? []), statement]);
  }
  return found;
}

function addReExports(found: Map<string, Declaration[]>, fileName: string, statement: ts.ExportDeclaration): void {
  if (statement.moduleSpecifier === undefined || !ts.isStringLiteral(statement.moduleSpecifier)) return;
  const theirs = exportedDeclarations(resolve(fileName, statement.moduleSpecifier.text));
  if (statement.exportClause === undefined) for (const [name, declarations] of theirs) found.set(name, declarations);
  else if (ts.isNamedExports(statement.exportClause))
    for (const { name, propertyName } of statement.exportClause.elements) {
      const declarations = theirs.get((propertyName ?? name).text);
      if (declarations === undefined) throw new Error(`${fileName} exports ${name.text}, which is not to be found`);
      found.set(name.text, declarations);
    }
}

function resolve(fileName: string, specifier: string): string {
  const target = join(dirname(fileName), specifier);
  const candidate = [`${target}.ts`, join(target, 'index.ts')].find((path) => existsSync(path));
  if (candidate === undefined) throw new Error(`${fileName} exports from ${specifier}, which is not to be found`);
  return candidate;
}

const parsed = new Map<string, ts.SourceFile>();

function parse(fileName: string): ts.SourceFile {
  const known = parsed.get(fileName);
  if (known !== undefined) return known;
  const file = ts.createSourceFile(fileName, readFileSync(fileName, 'utf8'), ts.ScriptTarget.Latest, true);
  parsed.set(fileName, file);
  return file;
}

function isDeclaration(statement: ts.Statement): statement is Declaration {
  return (
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isFunctionDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isEnumDeclaration(statement) ||
    ts.isVariableStatement(statement)
  );
}

function isExported(statement: Declaration): boolean {
  return statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

function namesOf(statement: Declaration): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  return statement.name === undefined ? [] : [statement.name.text];
}
