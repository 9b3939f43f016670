import { afterAll, expect, it } from '@jest/globals';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startProcess } from '../support/process.ts';

// The subgraph's folder is inside of the repository, because its files import packages.
const subgraph = fs.mkdtempSync(path.join(import.meta.dirname, '.subgraph-'));
// The name is short: if the path of its socket were too long, PostgreSQL would get a folder elsewhere.
const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'new-'));
afterAll(() => {
  for (const folder of [subgraph, temporary]) fs.rmSync(folder, { recursive: true, force: true });
});

it('a migration that is refused leaves neither a file nor anything of its temporary database server', async () => {
  fs.chmodSync(temporary, 0o755); // so that PostgreSQL's socket is there if it runs as another user
  const migrations = path.join(subgraph, 'migrations');
  fs.mkdirSync(migrations);
  fs.writeFileSync(
    path.join(subgraph, 'database.ts'),
    `import { defineEntity, p } from '@mikro-orm/core';

const Note = defineEntity({ name: 'Note', properties: { id: p.uuid().primary(), text: p.text() } });
export const database = { name: 'notes', entities: [Note], migrations: [] };
`,
  );
  const index = "export const migrations = [{ name: '20260105093000_add_notes', class: AddNotes }];\n";
  fs.writeFileSync(path.join(migrations, 'index.ts'), index);

  const name = path.relative(path.join(import.meta.dirname, '../../subgraphs'), subgraph);
  const creation = startProcess([name, 'add_notes'], { TMPDIR: temporary }, 'scripts/create-migration.ts');
  expect(await creation.ended).toBe(1);
  expect(creation.output()).toContain('has a migration AddNotes already: choose another name.');
  expect(fs.readdirSync(migrations)).toEqual(['index.ts']);
  expect(fs.readFileSync(path.join(migrations, 'index.ts'), 'utf8')).toBe(index);
  expect(fs.readdirSync(temporary)).toEqual([]);
});
