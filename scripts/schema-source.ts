import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { GraphQLError, parse, Source, type DocumentNode } from 'graphql';

/** Parses a schema file. @throws SchemaError with the file, line and column of a syntax error */
export function parsedSchema(text: string, file: string): DocumentNode {
  try {
    return parse(new Source(text, file));
  } catch (error) {
    // Only `toString` contains the place and the line; the message and the stack do not.
    if (error instanceof GraphQLError) throw new SchemaError(error.toString());
    throw error;
  }
}

/** A syntax error in a schema file; its message is the whole text for the author of the change. */
export class SchemaError extends GraphQLError {}

/**
 * The text of a schema file, or of `schema/supergraph.graphql` at a git tag, branch or commit of the repository at
 * `root`. `v1:other/path.graphql` names another file at the tag `v1`. @throws Error that says what was expected
 */
export function readSchema(where: string, root: string): string {
  if (existsSync(where)) return readFileSync(where, 'utf8');
  // A text that begins with a hyphen would be an option of git, and an empty one git's index.
  const object = where.includes(':') ? where : `${where}:schema/supergraph.graphql`;
  try {
    if (where === '' || where.startsWith('-')) throw new Error('no ref');
    return execFileSync('git', ['-C', root, 'show', object], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024, // 64 MiB
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (cause) {
    throw new Error(
      `Expected a schema file or a git ref that has schema/supergraph.graphql, got "${where}": there is no such file, and git does not know it.`,
      { cause },
    );
  }
}
