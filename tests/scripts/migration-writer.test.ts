import { afterAll, expect, it } from '@jest/globals';
import fs from 'node:fs';
import path from 'node:path';
import { defineEntity, p } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import type { DatabaseDeclaration, MigrationDeclaration } from '#server/database/database.ts';
import { writeMigration } from '../../scripts/migration-writer.ts';
import { testRun } from '../support/test-run.ts';

// The folder is inside of the repository, because the written files import its packages.
const folder = fs.mkdtempSync(path.join(import.meta.dirname, '.migrations-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const { server } = testRun.current();
const properties = { id: p.uuid().primary(), text: p.text() };
const Note = defineEntity({ name: 'Note', properties });
const NoteWithTitle = defineEntity({
  name: 'Note',
  properties: { ...properties, title: p.string().length(80).nullable() },
});

it('a new migration has the difference between entities and migrations, and is listed', async () => {
  const declaration: DatabaseDeclaration = { name: 'notes', entities: [Note], migrations: [] };
  const write = (name: string, now: string) =>
    writeMigration({ server, declaration, folder, name, now: new Date(now) });

  const first = await write('create_notes', '2026-01-05T09:30:00Z');
  expect(first!.sql.join('\n')).toContain('create table "note"');
  expect(first!.sql.join('\n')).not.toContain('idempotency_record'); // a platform table
  expect(path.basename(first!.file)).toBe('20260105093000_create_notes.ts');
  expect(Object.keys(await importFrom(first!.file))).toEqual(['CreateNotes']);

  declaration.migrations = await listed();
  expect(await write('nothing', '2026-01-05T09:31:00Z')).toBeUndefined();

  declaration.entities = [NoteWithTitle];
  const second = await write('add_title', '2026-01-06T10:00:00Z');
  expect(second!.sql).toEqual(['alter table "note" add "title" varchar(80) null;']);

  declaration.migrations = await listed();
  expect(declaration.migrations.map(({ name }) => name)).toEqual([
    '20260105093000_create_notes',
    '20260106100000_add_title',
  ]);
  expect(await write('nothing', '2026-01-06T10:01:00Z')).toBeUndefined();
});

it('a new migration keeps hand-written triggers and functions, and migrations of other modules', async () => {
  const own = path.join(folder, 'own');
  fs.mkdirSync(own);
  fs.writeFileSync(
    path.join(own, 'index.ts'),
    `import type { MigrationDeclaration } from '#server/database/database.ts';
import { sagaMigrations } from '#server/saga/saga-tables.ts';

/** Oldest first. */
export const migrations: MigrationDeclaration[] = [...sagaMigrations];
`,
  );
  class ByHand extends Migration {
    override up(): void {
      this.addSql(`create table note (id uuid not null, text text not null, primary key (id));`);
      this.addSql(
        `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'never'; end $$;`,
      );
      this.addSql('create trigger final before update on note for each row execute function refuse();');
    }
  }
  const declaration: DatabaseDeclaration = {
    name: 'notes_by_hand',
    entities: [Note],
    migrations: [{ name: 'by_hand', class: ByHand }],
  };
  const write = (name: string, now: string) =>
    writeMigration({ server, declaration, folder: own, name, now: new Date(now) });
  expect(await write('nothing', '2026-01-05T09:30:00Z')).toBeUndefined();
  declaration.entities = [NoteWithTitle];
  const written = await write('add_title', '2026-01-06T10:00:00Z');
  expect(written?.sql).toEqual(['alter table "note" add "title" varchar(80) null;']);
  // `down` does not create the trigger and its function again, because `up` has not changed them.
  expect(fs.readFileSync(written?.file ?? '', 'utf8')).toContain(`
  override down(): void {
    this.addSql(\`alter table "note" drop column "title";\`);
  }
`);
  expect(fs.readFileSync(path.join(own, 'index.ts'), 'utf8'))
    .toBe(`import type { MigrationDeclaration } from '#server/database/database.ts';
import { sagaMigrations } from '#server/saga/saga-tables.ts';
import { AddTitle } from './20260106100000_add_title.ts';

/** Oldest first. */
export const migrations: MigrationDeclaration[] = [
  ...sagaMigrations,
  { name: '20260106100000_add_title', class: AddTitle },
];
`);
  await expect(write('add_title', '2026-01-06T10:01:00Z')).rejects.toThrow('choose another name');
  // The refused migration leaves no file that the index does not list.
  expect(fs.readdirSync(own).toSorted()).toEqual(['20260106100000_add_title.ts', 'index.ts']);
});

it('a migration that drops a table creates its hand-written triggers again when it is reverted', async () => {
  class ByHand extends Migration {
    override up(): void {
      this.addSql('create table note (id uuid not null, text text not null, primary key (id));');
      this.addSql('create table old (id uuid not null, primary key (id));');
      this.addSql(
        `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'never'; end $$;`,
      );
      for (const table of ['note', 'old'])
        this.addSql(`create trigger final before delete on ${table} for each row execute function refuse();`);
    }
  }
  const written = await writeMigration({
    server,
    declaration: {
      name: 'notes_without_old',
      entities: [Note],
      migrations: [{ name: 'by_hand', class: ByHand }],
    },
    folder: path.join(folder, 'dropped'),
    name: 'drop_old',
    now: new Date('2026-01-07T10:00:00Z'),
  });
  expect(written?.sql).toEqual(['drop table if exists "old" cascade;']);
  const source = fs.readFileSync(written?.file ?? '', 'utf8');
  const trigger = 'CREATE TRIGGER final BEFORE DELETE ON public.old FOR EACH ROW EXECUTE FUNCTION refuse();';
  expect(source.indexOf(trigger)).toBeGreaterThan(source.indexOf('create table "old"'));
  expect(source).not.toContain('public.note');
});

/** Reads the current index. A module is loaded only once, so each call imports a copy with another name. */
async function listed(): Promise<MigrationDeclaration[]> {
  const copy = path.join(folder, `index-${fs.readdirSync(folder).length}.ts`);
  fs.copyFileSync(path.join(folder, 'index.ts'), copy);
  return (await importFrom(copy)).migrations as MigrationDeclaration[];
}

async function importFrom(file: string): Promise<Record<string, unknown>> {
  return (await import(file)) as Record<string, unknown>;
}
