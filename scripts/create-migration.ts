/**
 * Writes the migration that is missing between a subgraph's migrations and its entities.
 *
 *     npm run migration:create -- gym add_opening_hours
 *
 * The comparison runs on a temporary database server and reads none of your data. Check the SQL before you commit it: a
 * renamed column becomes the drop of one column and the addition of another.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { DatabaseDeclaration } from '../server/database/database.ts';
import { startEmbeddedPostgres } from '../server/embedded-postgres/embedded-postgres.ts';
import { writeMigration } from './migration-writer.ts';

const [subgraph, name] = process.argv.slice(2);
if (!subgraph || !name || !/^[a-z][a-z0-9_]*$/.test(name)) {
  console.error(
    'Expected a subgraph and a name in small letters: npm run migration:create -- gym add_opening_hours',
  );
  process.exit(2);
}

const folder = path.join(import.meta.dirname, '..', 'subgraphs', subgraph);
const declarationFile = path.join(folder, 'database.ts');
if (!fs.existsSync(declarationFile)) {
  console.error(`Expected a file ${declarationFile} that exports the subgraph's "database"; there is none.`);
  process.exit(2);
}
const { database } = (await import(declarationFile)) as { database: DatabaseDeclaration };

const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'fitness-migration-'));
try {
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
  try {
    const written = await writeMigration({
      server: postgres.server,
      declaration: database,
      folder: path.join(folder, 'migrations'),
      name,
      now: new Date(),
    });
    if (written) console.log(`${written.sql.join('\n')}\n\nwritten: ${written.file}`);
    else console.log(`Nothing to do: the migrations of "${subgraph}" match its entities.`);
  } finally {
    await postgres.stop();
  }
} finally {
  fs.rmSync(dataDir, { recursive: true, force: true });
}
