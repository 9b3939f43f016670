/**
 * Writes `subgraphs/<name>/resolvers.generated.ts` for each subgraph from its schema.
 *
 *     npm run generate                 # writes what has changed
 *     npm run generate -- --check      # writes nothing; exit code 1, and the names, if files are stale
 */
import fs from 'node:fs';
import path from 'node:path';
import { generateResolverTypes } from './resolver-types.ts';

const root = path.join(import.meta.dirname, '..');
const checkOnly = process.argv.includes('--check');

const stale: string[] = [];
for (const subgraph of subgraphsWithModels()) {
  const file = path.join('subgraphs', subgraph, 'resolvers.generated.ts');
  const generated = await generateResolverTypes({
    sdl: read(path.join('schema', `${subgraph}.graphql`)),
    models: read(path.join('subgraphs', subgraph, 'models.ts')),
  });
  if (fs.existsSync(path.join(root, file)) && read(file) === generated) continue;
  stale.push(file);
  if (!checkOnly) fs.writeFileSync(path.join(root, file), generated);
}

for (const file of stale) console.log(checkOnly ? `stale: ${file}` : `written: ${file}`);
if (checkOnly && stale.length > 0) {
  console.error('The schema or the models have changed since. Run "npm run generate" and commit the result.');
  process.exitCode = 1;
}

/** The subgraphs that have both a schema and models. */
function subgraphsWithModels(): string[] {
  const folder = path.join(root, 'subgraphs');
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder)
    .filter((name) => fs.existsSync(path.join(folder, name, 'models.ts')))
    .filter((name) => fs.existsSync(path.join(root, 'schema', `${name}.graphql`)))
    .toSorted();
}

function read(file: string): string {
  return fs.readFileSync(path.join(root, file), 'utf8');
}
