import fs from 'node:fs';
import path from 'node:path';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { connectionTo, maintenanceDatabase } from '../server/database/connection.ts';
import { openDatabase, type DatabaseDeclaration } from '../server/database/database.ts';
import type { DatabaseServer } from '../server/database/database-server.ts';
import { PlatformClient } from '../server/database/platform-client.ts';
import { PlatformDriver } from '../server/database/platform-driver.ts';
import { platformEntities } from '../server/database/platform-tables.ts';
import { ComparingMigrator } from './comparing-migrator.ts';

interface MigrationToWrite {
  /** A server on which a temporary database may be created. */
  server: DatabaseServer;
  declaration: DatabaseDeclaration;
  /** The subgraph's `migrations` folder. */
  folder: string;
  /** In small letters, with words joined by `_`. */
  name: string;
  now: Date;
}

/**
 * Writes the difference between the declaration's migrations and its entities as a further migration, and adds it to the
 * folder's `index.ts`. Returns undefined if there is no difference. Platform tables are on both sides of the comparison,
 * so they never appear in a migration.
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
  const indexFile = path.join(folder, 'index.ts');
  // Computed before anything is written: a name that is refused must not leave a file that no index lists.
  const index = indexWith(indexFile, entry);
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(file, migrationSource(entry.className, up, down));
  fs.writeFileSync(indexFile, index);
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
    driver: PlatformDriver,
    dbName: database,
    driverOptions: { ...connectionTo(server, database), Client: PlatformClient },
    entities: [...platformEntities, ...declaration.entities],
    // Entities declare neither the triggers and functions of hand-written migrations nor the tables of jobs. Without these
    // options the new migration would drop them.
    schemaGenerator: { ignoreTriggers: true, ignoreRoutines: true, ignoreSchema: ['graphile_worker'] },
    migrations: {
      migrationsList: [...declaration.migrations],
      snapshot: false,
      disableForeignKeys: false,
      // Takes the place of MikroORM's file writer, because only the statements are needed here.
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
    const migrator = new ComparingMigrator(orm);
    await migrator.create();
    return { up: found.up, down: [...found.down, ...(await migrator.triggersOfDroppedTables())] };
  } finally {
    await orm.close(true);
    await drop(server, database);
  }
}

async function drop(server: DatabaseServer, database: string): Promise<void> {
  const client = new PlatformClient(connectionTo(server, maintenanceDatabase(server)));
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
}

/**
 * The index with one more migration. The list is explicit, so that the same migrations run under Node, Jest and a bundle. The
 * new migration is added at the end, because databases that have run the others will run it last. The other entries are not
 * changed.
 */
function indexWith(file: string, { name, className }: IndexEntry): string {
  const present = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : EMPTY_INDEX;
  if (new RegExp(`\\bclass:\\s*${className}\\b`).test(present))
    throw new Error(`${file} has a migration ${className} already: choose another name.`);
  const parts = /^(?<imports>(?:import .*\n)+)(?<between>[\s\S]*=\s*\[)(?<entries>[\s\S]*)\];\s*$/.exec(
    present,
  )?.groups;
  if (!parts) throw new Error(`${file} does not end with the list of the migrations.`);
  const entries = (parts.entries ?? '').trim().replace(/,$/, '');
  return `${parts.imports}import { ${className} } from './${name}.ts';
${parts.between}
  ${entries && `${entries},\n  `}{ name: '${name}', class: ${className} },
];
`;
}

const EMPTY_INDEX = `import type { MigrationDeclaration } from '#server/database/database.ts';

/** Oldest first. The names must never change. */
export const migrations: MigrationDeclaration[] = [
];
`;

function pascalCase(name: string): string {
  return name.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
