import { afterAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import { connectionTo } from '#server/database/connection.ts';
import { openDatabase, type DatabaseDeclaration } from '#server/database/database.ts';
import { PlatformClient } from '#server/database/platform-client.ts';
import { PlatformDriver } from '#server/database/platform-driver.ts';
import { platformMigrations } from '#server/database/platform-tables.ts';
import { writeMigration } from '../../scripts/migration-writer.ts';
import { testRun } from '../support/test-run.ts';

const { server, runId } = testRun.current();
const folder = fs.mkdtempSync(path.join(import.meta.dirname, '.service-migrations-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const SERVICES = ['identity', 'gym', 'nutrition', 'content', 'squad', 'wizard'] as const;

describe.each(SERVICES)('the migrations of %s', (service) => {
  it('match its entities', async () => {
    const written = await writeMigration({
      server,
      declaration: await databaseOf(service),
      folder,
      name: `nothing_of_${service}`,
      now: new Date(),
    });
    expect(written?.sql).toBeUndefined();
  });

  it('can all be reverted and applied again', async () => {
    const declaration = await databaseOf(service);
    const name = `${runId}_${randomBytes(5).toString('hex')}`;
    await (await openDatabase(declaration, { server, name })).close(true);
    const orm = await migratorOf(declaration, name);
    try {
      const before = await schemaOf(orm);
      expect(before.length).toBeGreaterThan(20);
      await orm.migrator.down({ to: 0 });
      expect(await schemaOf(orm)).toEqual([]);
      await orm.migrator.up();
      expect(await schemaOf(orm)).toEqual(before);
    } finally {
      await orm.close(true);
    }
  });

  it.each(['all', 'the last'])('have the same result if %s is reverted and applied again', async (how) => {
    const declaration = await databaseOf(service);
    const name = `${runId}_${randomBytes(5).toString('hex')}`;
    await (await openDatabase(declaration, { server, name })).close(true);
    const orm = await migratorOf(declaration, name);
    try {
      const before = await schemaOf(orm);
      // one by one, because each must be reversible by itself
      const steps = how === 'all' ? declaration.migrations.length : 1;
      const stages: string[][] = [];
      for (let step = 0; step < steps; step++) {
        stages.push(await schemaOf(orm));
        await orm.migrator.down();
      }
      for (const stage of stages.toReversed()) {
        const [next] = await orm.migrator.getPending();
        await orm.migrator.up({ to: next?.name ?? '' });
        expect(await schemaOf(orm)).toEqual(stage);
      }
      expect(await schemaOf(orm)).toEqual(before);
    } finally {
      await orm.close(true);
    }
  });
});

async function databaseOf(service: string): Promise<DatabaseDeclaration> {
  const { database } = (await import(`../../subgraphs/${service}/database.ts`)) as {
    database: DatabaseDeclaration;
  };
  return database;
}

const migratorOf = (declaration: DatabaseDeclaration, name: string) =>
  MikroORM.init({
    driver: PlatformDriver,
    dbName: name,
    driverOptions: { ...connectionTo(server, name), Client: PlatformClient },
    discovery: { warnWhenNoEntities: false },
    entities: [],
    ensureDatabase: false,
    extensions: [Migrator],
    migrations: {
      migrationsList: [...platformMigrations, ...declaration.migrations],
      snapshot: false,
      silent: true,
      disableForeignKeys: false,
    },
  });

/**
 * The schema of the database: one line for each column, constraint, index, trigger and function. The order of columns is
 * ignored, because a column that is removed and added again comes last.
 */
async function schemaOf(orm: MikroORM): Promise<string[]> {
  const rows = await orm.em.fork().execute<{ line: string }[]>(
    `select line from (
       select format('column %s.%s %s %s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), case when a.attnotnull then 'not null' end, a.attgenerated, pg_get_expr(d.adbin, d.adrelid)) as line
       from pg_attribute a join pg_class c on c.oid = a.attrelid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
       where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped and c.relname <> 'mikro_orm_migrations'
       union all
       select format('constraint %s.%s %s', r.conrelid::regclass, r.conname, pg_get_constraintdef(r.oid)) from pg_constraint r
       where r.connamespace = 'public'::regnamespace and r.conrelid <> 0 and r.conrelid::regclass::text <> 'mikro_orm_migrations'
       union all
       select format('index %s', i.indexdef) from pg_indexes i where i.schemaname = 'public' and i.tablename <> 'mikro_orm_migrations'
       union all
       select format('trigger %s', pg_get_triggerdef(t.oid)) from pg_trigger t where not t.tgisinternal
       union all
       select format('function %s', pg_get_functiondef(f.oid)) from pg_proc f where f.pronamespace = 'public'::regnamespace
     ) as lines order by line`,
  );
  return rows.map(({ line }) => line);
}
