/**
 * `npm run compose`: composes schema/<service>.graphql into schema/supergraph.graphql.
 * `npm run compose -- --check`: fails if the committed file differs from the composition.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { composePlatform, hintsOf } from './composition.ts';

const target = new URL('../schema/supergraph.graphql', import.meta.url);

const result = composePlatform();
if (!result.supergraphSdl) {
  console.error(
    `The subgraphs do not compose:\n${result.errors?.map((error) => `  ${error.message}`).join('\n')}`,
  );
  process.exit(1);
}
for (const hint of hintsOf(result)) console.warn(hint);

const composed = `# Composed by "npm run compose" from the files beside it; do not edit.\n${result.supergraphSdl}\n`;
const committed = existsSync(target) ? readFileSync(target, 'utf8') : undefined;
if (process.argv.includes('--check')) {
  if (committed !== composed) {
    console.error('schema/supergraph.graphql is stale: run "npm run compose" and commit it.');
    process.exit(1);
  }
  console.log('schema/supergraph.graphql is fresh.');
} else {
  writeFileSync(target, composed);
  console.log(
    committed === composed ? 'schema/supergraph.graphql was fresh.' : 'schema/supergraph.graphql is written.',
  );
}
