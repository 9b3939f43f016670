/**
 * Writes `subgraphs/<name>/resolvers.generated.ts` for each subgraph from its schema, and `docs/rights.md` from its routes.
 *
 *     npm run generate                 # writes what has changed
 *     npm run generate -- --check      # writes nothing; prints the stale files, with exit code 1 if there are any
 */
import fs from 'node:fs';
import path from 'node:path';
import { generateResolverTypes } from './resolver-types.ts';
import { rightsPage } from './rights-page.ts';
import { parsedSchema, SchemaError } from './schema-source.ts';

const root = path.join(import.meta.dirname, '..');
const checkOnly = process.argv.includes('--check');

const stale: string[] = [];
for (const subgraph of subgraphsWithModels()) {
  const schemaFile = path.join('schema', `${subgraph}.graphql`);
  try {
    const generated = await generateResolverTypes({
      schema: parsedSchema(read(schemaFile), schemaFile),
      models: read(path.join('subgraphs', subgraph, 'models.ts')),
    });
    write(path.join('subgraphs', subgraph, 'resolvers.generated.ts'), generated);
  } catch (error) {
    // Errors of the code generation, such as an unknown type, do not name the file.
    console.error(error instanceof SchemaError ? error.message : `${schemaFile}: ${String(error)}`);
    process.exitCode = 1;
  }
}
write(path.join('docs', 'rights.md'), rightsPage());

for (const file of stale) console.log(checkOnly ? `stale: ${file}` : `written: ${file}`);
if (checkOnly && stale.length > 0) {
  console.error('These files do not match the schema, the models or the routes. Run "npm run generate".');
  process.exitCode = 1;
}

/** Writes the file if its text has changed, and adds it to the stale ones. */
function write(file: string, text: string): void {
  if (fs.existsSync(path.join(root, file)) && read(file) === text) return;
  stale.push(file);
  if (!checkOnly) fs.writeFileSync(path.join(root, file), text);
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
