/**
 * Compares the current schema with an earlier one. Prints the changes, with exit code 1 if they break clients of the
 * earlier schema, 2 if one of the two schemas cannot be read.
 *
 *     npm run schema:check                          # with that of the last release, schema/released/supergraph.graphql
 *     npm run schema:check -- v1.2.0                # with that of a git tag, branch or commit
 *     npm run schema:check -- old.graphql           # with a file: a supergraph, or plain SDL
 *     npm run schema:check -- old.graphql new.graphql
 *     npm run schema:check -- --usage FOLDER        # also compares with the usage report of the gateways
 *     npm run schema:check -- --release             # makes the current schema the released one; part of a release
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { parse, print, visit } from 'graphql';
import { composePlatform, hintsOf } from './composition.ts';
import { schemaChanges, type SchemaChange } from './schema-changes.ts';
import { byUse, readUsage } from './usage-of-schema.ts';
import { readSchema } from './schema-source.ts';

const root = path.join(import.meta.dirname, '..');
const CURRENT = path.join('schema', 'supergraph.graphql');
const RELEASED = path.join('schema', 'released', 'supergraph.graphql');

const { values: options, positionals: args } = parseArgs({
  allowPositionals: true,
  options: { release: { type: 'boolean' }, usage: { type: 'string' } },
});
if (options.release) release();
else
  try {
    check(args[0] ?? path.join(root, RELEASED), args[1]);
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 2;
  }

function release(): void {
  mkdirSync(path.dirname(path.join(root, RELEASED)), { recursive: true });
  // Descriptions are half of the file, and changing a description breaks no client.
  const undescribed = visit(parse(readSchema(path.join(root, CURRENT), root)), {
    enter: (node) => ('description' in node ? { ...node, description: undefined } : undefined),
  });
  writeFileSync(path.join(root, RELEASED), `${print(undescribed)}\n`);
  console.log(`${RELEASED} now has the definitions of ${CURRENT}; commit it with the release.`);
}

function check(before: string, after: string | undefined): void {
  const { breaking, dangerous } = schemaChanges(
    readSchema(before, root),
    readSchema(after ?? path.join(root, CURRENT), root),
  );
  const usage = options.usage === undefined ? undefined : readUsage(options.usage);
  const { used, unused } = usage ? byUse(breaking, usage) : { used: breaking, unused: [] };
  report('Breaks clients', used, console.error);
  if (usage)
    report(
      `Breaks no client of the usage report, ${usage.days} days from ${usage.firstDay} to ${usage.lastDay}`,
      unused,
      console.warn,
    );
  report('May surprise clients', dangerous, console.warn);
  if (after === undefined)
    report(
      'Hints of the composition',
      hintsOf(composePlatform()).map((what) => ({ what, advice: '' })),
      console.warn,
    );
  if (used.length > 0) {
    console.error(
      `\n${used.length} breaking. Deprecate first, or, if the changes are intended, describe them in the CHANGELOG. The release that contains them ends with "npm run schema:check -- --release".`,
    );
    process.exitCode = 1;
  } else console.log(`Nothing breaks a client of ${path.relative(root, before) || before}.`);
}

/** Prints each advice once, for all changes to which it applies. */
function report(title: string, changes: readonly SchemaChange[], write: (line: string) => void): void {
  if (changes.length === 0) return;
  write(`${title}:`);
  for (const [advice, all] of Map.groupBy(changes, (change) => change.advice)) {
    for (const { what } of all) write(`  ${what}`);
    if (advice) write(`    -> ${advice}`);
  }
}
