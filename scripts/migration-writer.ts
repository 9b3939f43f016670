import fs from 'node:fs';
import path from 'node:path';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { connectionTo, maintenanceDatabase } from '../server/database/connection.ts';
import { openDatabase, type DatabaseDeclaration } from '../server/database/database.ts';
import type { DatabaseServer } from '../server/database/database-server.ts';
import { platformEntities } from '../server/database/platform-tables.ts';

export interface MigrationToWrite {
  /** A server where a scratch database may be made. */
  server: DatabaseServer;
  declaration: DatabaseDeclaration;
  /** The subgraph's `migrations` folder. */
  folder: string;
  /** In small letters, words joined by `_`. */
  name: string;
  now: Date;
}

/**
 * Writes the difference between the declaration's migrations and its entities as a further migration, and adds it
 * to the folder's `index.ts`. Undefined where there is none. Platform tables are on both sides, so never in it.
 */
export async function writeMigration(
  options: MigrationToWrite,
): Promise<{ file: string; sql: string[] } | undefined> {
  const { folder, name, now } = options;
  const { up, down } = await difference(options);
  if (up.length === 0) return undefined;

  const timestamp = now.toISOString().replace(/\D/g, '').slice(0, 14); // 20260105093000
  const entry = { name: `${timestamp}_${name}`, className: pascalCase(name) };
  const file = path.join(folder, `${entry.name}.ts`);
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(file, migrationSource(entry.className, up, down));
  addToIndex(path.join(folder, 'index.ts'), entry);
  return { file, sql: up };
}

interface Difference {
  up: string[];
  down: string[];
}

async function difference({ server, declaration }: MigrationToWrite): Promise<Difference> {
  const database = `scratch_${declaration.name}_${process.pid}`;
  const migrated = await openDatabase(declaration, { server, name: database });
  await migrated.close(true);

  let found: Difference = { up: [], down: [] };
  const orm = await MikroORM.init({
    dbName: database,
    driverOptions: connectionTo(server, database),
    entities: [...platformEntities, ...declaration.entities],
    extensions: [Migrator],
    migrations: {
      migrationsList: [...declaration.migrations],
      snapshot: false,
      disableForeignKeys: false,
      // stands in for MikroORM's own writer of files, to hear the statements
      generator: class {
        async generate(statements: Difference): Promise<[string, string]> {
          found = { up: statements.up.filter(Boolean), down: statements.down.filter(Boolean) };
          return ['', ''];
        }
        createStatement = (): string => '';
        generateMigrationFile = (): string => '';
      },
    },
  });
  try {
    await orm.migrator.create();
    return found;
  } finally {
    await orm.close(true);
    await drop(server, database);
  }
}

async function drop(server: DatabaseServer, database: string): Promise<void> {
  const client = new pg.Client(connectionTo(server, maintenanceDatabase(server)));
  await client.connect();
  await client.query(`drop database if exists ${pg.escapeIdentifier(database)} with (force)`);
  await client.end();
}

function migrationSource(className: string, up: string[], down: string[]): string {
  const method = (name: string, statements: string[]): string =>
    `  override ${name}(): void {\n${statements.map((sql) => `    this.addSql(${quoted(sql)});\n`).join('')}  }\n`;
  return `import { Migration } from '@mikro-orm/migrations';

export class ${className} extends Migration {
${[method('up', up), ...(down.length > 0 ? [method('down', down)] : [])].join('\n')}}
`;
}

function quoted(sql: string): string {
  return `\`${sql.replace(/[`$\\]/g, '\\$&')}\``;
}

interface IndexEntry {
  name: string;
  className: string;
  /** Default: the name's file. */
  from?: string;
}

/** The list is explicit, so that the same migrations run under Node, Jest and a bundle; sorted by name, so by age. */
function addToIndex(file: string, added: IndexEntry): void {
  const present = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  const sources = new Map(
    [...present.matchAll(/import \{ (\w+) \} from '([^']+)'/g)].map(([, name, from]) => [name!, from!]),
  );
  const entries: IndexEntry[] = [...present.matchAll(/name:\s*'([^']+)',\s*class:\s*(\w+)/g)].map(
    ([, name, className]) => ({ name: name!, className: className!, from: sources.get(className!)! }),
  );
  if (entries.some(({ className }) => className === added.className)) {
    throw new Error(`${file} has a migration ${added.className} already: choose another name.`);
  }
  entries.push(added);
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  fs.writeFileSync(
    file,
    `import type { MigrationDeclaration } from '#server/database/database.ts';
${entries.map(({ name, className, from }) => `import { ${className} } from '${from ?? `./${name}.ts`}';`).join('\n')}

/** Oldest first; the names stay for ever. */
export const migrations: MigrationDeclaration[] = [
${entries.map(({ name, className }) => `  { name: '${name}', class: ${className} },`).join('\n')}
];
`,
  );
}

function pascalCase(name: string): string {
  return name.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
