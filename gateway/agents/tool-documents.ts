import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  getOperationAST,
  OperationTypeNode,
  parse,
  type DocumentNode,
  type OperationDefinitionNode,
} from 'graphql';
import { StartError } from '#server/start-error.ts';
import { audienceOf, type Audience } from './audience.ts';

/** A registered operation that agents may call as a tool, as its file declares it. */
export interface ToolDocument {
  /** The name of the tool, of the operation and of the file. */
  readonly name: string;
  /** For the model that chooses among the tools. */
  readonly description: string;
  /** The callers for whom the tool is listed. The graph decides what a call may do. */
  readonly audience: Audience;
  readonly hints: ReadonlySet<Hint>;
  /** Descriptions of variables that replace those of the schema. */
  readonly variables: ReadonlyMap<string, string>;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

/**
 * `destructive`: it removes or replaces something. `idempotent`: a repeated call changes nothing more. Queries do not need
 * hints. (Tool annotations of the Model Context Protocol.)
 */
type Hint = 'destructive' | 'idempotent';
const HINTS: readonly string[] = ['destructive', 'idempotent'] satisfies Hint[];
const isHint = (text: string): text is Hint => HINTS.includes(text);

/**
 * Reads the tools of a folder, one `.graphql` file each. The comment above the operation begins with its
 * description. After an empty line each further line is `Audience: ...` (see `audienceOf`), `Hints: ...`, or `$name: ...`
 * with the description of a variable.
 * @throws StartError naming the file
 */
export async function readToolDocuments(folder: string): Promise<readonly ToolDocument[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.graphql')).toSorted();
  return Promise.all(
    names.map(async (file) => {
      try {
        return toolDocument(path.basename(file, '.graphql'), await readFile(path.join(folder, file), 'utf8'));
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new StartError(`The tool ${path.join(folder, file)} cannot be used: ${reason}`, { cause });
      }
    }),
  );
}

/** The tool in the text of a file. @throws Error that says what is wrong */
export function toolDocument(name: string, text: string): ToolDocument {
  const document = parse(text);
  const operation = getOperationAST(document);
  if (operation?.name?.value !== name) throw new Error(`expected one operation, with the name ${name}`);
  if (operation.operation === OperationTypeNode.SUBSCRIPTION) throw new Error('a subscription is no tool');
  const { description, audience, hints, variables } = headerOf(text);
  if (description === '') throw new Error('expected a description in a comment above the operation');
  return { name, description, audience: audienceOf(audience), hints, variables, document, operation };
}

function headerOf(text: string) {
  const lines = text.split(/\r?\n/);
  const end = lines.findIndex((line) => !line.startsWith('#'));
  const comment = lines.slice(0, end).map((line) => line.slice(1).trim());
  const firstEmpty = comment.indexOf('');
  const rest = (firstEmpty === -1 ? [] : comment.slice(firstEmpty)).filter((line) => line !== '');
  const fields = new Map(rest.map(fieldIn));
  return {
    description: comment.slice(0, firstEmpty === -1 ? undefined : firstEmpty).join(' '),
    audience: listIn(fields.get('Audience')),
    hints: new Set(listIn(fields.get('Hints')).map(hintIn)),
    variables: new Map(
      [...fields].filter(([key]) => key.startsWith('$')).map(([key, value]) => [key.slice(1), value]),
    ),
  };
}

function fieldIn(line: string): [name: string, value: string] {
  const [, name, value] = /^(Audience|Hints|\$\w+): *(.+)$/.exec(line) ?? [];
  if (name === undefined || value === undefined)
    throw new Error(`expected "Audience:", "Hints:" or "$variable:" in the line "${line}"`);
  return [name, value];
}

const listIn = (value: string | undefined): string[] => value?.split(',').map((part) => part.trim()) ?? [];

function hintIn(text: string): Hint {
  if (!isHint(text)) throw new Error(`expected the hints ${HINTS.join(', ')}, got "${text}"`);
  return text;
}
