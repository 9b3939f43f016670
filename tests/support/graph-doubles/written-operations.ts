import { readdirSync, readFileSync } from 'node:fs';
import { parse, type DocumentNode } from 'graphql';

const ROOT = new URL('../../../', import.meta.url);
const QUOTED = /`([^`]*)`|'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"/g;

/** Returns the texts in our tests and documents that are GraphQL documents, without duplicates. */
export function writtenOperations(): string[] {
  const found = new Set<string>();
  for (const file of [...filesIn('tests'), ...filesIn('docs'), 'README.md'])
    for (const text of textsIn(readFileSync(new URL(file, ROOT), 'utf8')))
      if (text.includes('{') && parsed(text)) found.add(text);
  return [...found];
}

const filesIn = (folder: string): string[] =>
  readdirSync(new URL(`${folder}/`, ROOT), { recursive: true, encoding: 'utf8' }).flatMap((name) =>
    /\.(ts|md)$/.test(name) ? [`${folder}/${name}`] : [],
  );

/** Strings of code and blocks of Markdown. */
const textsIn = (content: string): string[] => [
  ...[...content.matchAll(QUOTED)].map(([, ...texts]) => texts.find((text) => text !== undefined) ?? ''),
  ...[...content.matchAll(/```graphql\n([\s\S]*?)```/g)].map(([, text = '']) => text),
];

function parsed(text: string): DocumentNode | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
