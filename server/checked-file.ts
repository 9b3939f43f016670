import { readFile } from 'node:fs/promises';
import {
  isMap,
  isPair,
  isScalar,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type YAMLMap,
} from 'yaml';
import type { z } from 'zod';
import { StartError } from './start-error.ts';

/**
 * Reads a YAML or JSON file of settings and checks it against a schema.
 * @param setting the variable that names the file, for messages
 * @throws StartError that names each problem with its line, the path of the field, and what was expected
 */
export async function readCheckedFile<Schema extends z.ZodType>(
  schema: Schema,
  { setting, file }: { setting: string; file: string },
): Promise<z.output<Schema>> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new StartError(`${setting}: the file ${file} cannot be read; name a YAML or JSON file.`, { cause });
  });
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const problems = document.errors.map(
    ({ pos, message }) => `line ${lines.linePos(pos[0]).line}: ${message.split('\n', 1)[0]}`,
  );
  problems.push(...unknownAliases(document, lines));
  if (problems.length === 0) {
    // The limit of aliases is for files of strangers; this one is the operator's own.
    const checked = schema.safeParse(document.toJS({ maxAliasCount: -1 }) ?? {});
    if (checked.success) return checked.data;
    for (const issue of checked.error.issues)
      problems.push(
        issue.code === 'unrecognized_keys'
          ? unknownFields(document, lines, issue.path, issue.keys)
          : `${placeOf(document, lines, issue.path)}: ${issue.message}`,
      );
  }
  throw new StartError(
    `${setting}: ${file} cannot be used:\n${problems.map((one) => `  ${one}`).join('\n')}`,
  );
}

/** Reports aliases without an anchor: YAML reads every unquoted text that begins with * as an alias. */
function unknownAliases(document: Document, lines: LineCounter): string[] {
  const problems: string[] = [];
  visit(document, {
    Alias(_key, alias) {
      if (alias.resolve(document)) return;
      const { line } = lines.linePos(alias.range?.[0] ?? 0);
      const { source } = alias;
      problems.push(
        `line ${line}: the alias *${source} has no anchor &${source} before it; define it, or put the text in quotes`,
      );
    },
  });
  return problems;
}

type Path = readonly PropertyKey[];

const unknownFields = (document: Document, lines: LineCounter, path: Path, keys: readonly string[]): string =>
  keys
    .map(
      (key) =>
        `${placeOf(document, lines, [...path, key])}: there is no such field; correct its name or remove it`,
    )
    .join('\n  ');

/** The line of the field, or of the innermost part of its path that the file has. */
function placeOf(document: Document, lines: LineCounter, path: Path): string {
  const name = path.map(String).join('.');
  for (let length = path.length; length > 0; length -= 1) {
    const offset = offsetOf(document, path.slice(0, length));
    if (offset !== undefined) return `line ${lines.linePos(offset).line}, ${name}`;
  }
  return name === '' ? 'line 1' : name;
}

/** The position of a field's key, where a reader looks. An element of a list has no key: the position of its value. */
function offsetOf(document: Document, path: Path): number | undefined {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  const key = path.at(-1);
  if (isMap(parent)) return offsetOfKey(parent, key);
  const node = document.getIn(path, true);
  return node && typeof node === 'object' && 'range' in node ? (node.range as [number])[0] : undefined;
}

function offsetOfKey(map: YAMLMap, key: PropertyKey | undefined): number | undefined {
  const pair = map.items.find((item) => isPair(item) && isScalar(item.key) && String(item.key.value) === key);
  return pair && isScalar(pair.key) ? pair.key.range?.[0] : undefined;
}
