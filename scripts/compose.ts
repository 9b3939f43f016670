/**
 * `npm run compose`: composes schema/<service>.graphql into schema/supergraph.graphql.
 * `npm run compose -- --check`: fails where the committed file is not what the parts compose to.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { composeServices } from '@apollo/composition';
import { parse } from 'graphql';
import { SERVICE_NAMES, SERVICE_PORTS } from '#server/settings.ts';

const schema = (name: string) => new URL(`../schema/${name}.graphql`, import.meta.url);
const target = schema('supergraph');

const services = SERVICE_NAMES.toSorted().map((name) => ({
  name,
  url: `http://127.0.0.1:${SERVICE_PORTS[name]}/graphql`,
  typeDefs: parse(readFileSync(schema(name), 'utf8')),
}));
const { supergraphSdl, errors, hints } = composeServices(services);
if (!supergraphSdl) {
  console.error(`The subgraphs do not compose:\n${errors?.map((error) => `  ${error.message}`).join('\n')}`);
  process.exit(1);
}
for (const hint of hints ?? [])
  if (hint.definition.level.name !== 'DEBUG' && hint.definition.level.name !== 'INFO')
    console.warn(hint.message);

const composed = `# Composed by "npm run compose" from the files beside it; do not edit.\n${supergraphSdl}\n`;
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
