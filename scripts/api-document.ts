// SPDX-License-Identifier: Apache-2.0
/** Writes docs/api.md from the doc comments of everything that the package exports. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { exports as entries } from '../package.json';
import { type Declaration, exportedDeclarations } from './api-declarations';

const root = join(__dirname, '..');

/** The whole document. */
export function apiDocument(): string {
  const sections = Object.entries(entries).flatMap(([entry, target]) => {
    if (typeof target === 'string') return [];
    const source = join(root, target.default.replace('./dist/', '').replace(/\.js$/, '.ts'));
    return existsSync(source) ? [sectionOf(join('sessiongate', entry), source)] : [];
  });
  return `${['# API', 'Generated from the sources by `npm run docs:api`.', ...sections].join('\n\n')}\n`;
}

function sectionOf(name: string, source: string): string {
  const parts = [...exportedDeclarations(source)].map(([symbol, declarations]) => symbolOf(symbol, declarations));
  return [`## ${name}`, ...parts].join('\n\n');
}

function symbolOf(symbol: string, declarations: readonly Declaration[]): string {
  const [first] = declarations;
  if (first === undefined) return '';
  const heading = `### ${symbol}`;
  const text = descriptionOf(first);
  if (ts.isClassDeclaration(first) || ts.isInterfaceDeclaration(first)) {
    const head = withoutComments(first.getSourceFile().text.slice(first.getStart(), first.members.pos))
      .replace(/^export (abstract )?/, '')
      .replace(/\s*\{\s*$/, '');
    const isBare = oneLine(head) === `interface ${symbol}`;
    return joined(heading, isBare ? '' : code(oneLine(head)), text, membersOf(first));
  }
  return joined(heading, code(declarations.map((declaration) => signatureOf(declaration)).join('\n')), text);
}

/** A function without its body; everything else as it stands. */
function signatureOf(declaration: Declaration): string {
  const body = ts.isFunctionDeclaration(declaration) ? declaration.body : undefined;
  const end = body === undefined ? declaration.getEnd() : body.getStart();
  const text = declaration.getSourceFile().text.slice(declaration.getStart(), end);
  return withoutComments(text.replace(/^export /, '').trim());
}

function membersOf(declaration: ts.ClassDeclaration | ts.InterfaceDeclaration): string {
  return [...declaration.members]
    .filter((member) => isPublic(member))
    .map((member) => `- \`${oneLine(memberSignature(member))}\`${asItem(descriptionOf(member))}`)
    .join('\n');
}

function isPublic(member: ts.ClassElement | ts.TypeElement): boolean {
  const hidden = [ts.SyntaxKind.PrivateKeyword, ts.SyntaxKind.ProtectedKeyword];
  const modifiers = ts.canHaveModifiers(member) ? (ts.getModifiers(member) ?? []) : [];
  const isInternal = ts.getJSDocTags(member).some(({ tagName }) => tagName.text === 'internal');
  const isHashPrivate = member.name !== undefined && ts.isPrivateIdentifier(member.name);
  return !isInternal && !isHashPrivate && !modifiers.some(({ kind }) => hidden.includes(kind));
}

function memberSignature(member: ts.ClassElement | ts.TypeElement): string {
  const body = (member as { body?: ts.Node }).body;
  const end = body === undefined ? member.getEnd() : body.getStart();
  return withoutComments(member.getSourceFile().text.slice(member.getStart(), end))
    .replace(/^(override )?(readonly )?/, '')
    .replace(/[;,]\s*$/, '')
    .replace(/^constructor/, 'new')
    .replace(/\b(private |protected )?readonly (?=\w+\??:)/g, '');
}

function descriptionOf(node: ts.Node): string {
  const docs = ts.getJSDocCommentsAndTags(node).filter((part) => ts.isJSDoc(part));
  const text = docs.map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '').join('\n');
  const tags = ts.getJSDocTags(node).flatMap((tag) => {
    const comment = (ts.getTextOfJSDocComment(tag.comment) ?? '').trim();
    const name = tag.tagName.text;
    if (name === 'default') return [`Default: ${defaultText(comment)}.`];
    if (name === 'throws') return [`Throws ${throwsText(tag, comment)}.`];
    if (name === 'example') return [code(comment)];
    return name === 'see' ? [`See ${comment}`] : [];
  });
  return [text, ...tags].filter((part) => part !== '').join('\n\n');
}

/** A value, words after a hyphen, or a value and words. */
function defaultText(comment: string): string {
  const [, value = '', words] = /^(.*?)(?:(?:^| )- (.*))?$/s.exec(comment) ?? [];
  return [value === '' ? '' : `\`${value}\``, words ?? ''].filter((part) => part !== '').join(', ');
}

/** The parser takes a leading `{Type}` apart; ours write the error's name as text. */
function throwsText(tag: ts.JSDocTag, comment: string): string {
  return comment === ''
    ? tag
        .getText()
        .replace(/^@throws\s*/, '')
        .trim()
    : comment.replace(/\.$/, '');
}

function asItem(description: string): string {
  return description === '' ? '' : `\n  ${description.replace(/\n+/g, '\n').replaceAll('\n', '\n  ')}`;
}

function withoutComments(text: string): string {
  return text.replace(/\/\*\*[\s\S]*?\*\/\s*/g, '');
}

function oneLine(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/\(\s/g, '(')
    .replace(/,?\s\)/g, ')')
    .trim();
}

function code(text: string): string {
  return `\`\`\`ts\n${text}\n\`\`\``;
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}
