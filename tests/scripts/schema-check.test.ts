import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { schemaChanges } from '../../scripts/schema-changes.ts';
import { readSchema } from '../../scripts/schema-source.ts';

const root = path.join(import.meta.dirname, '..', '..');
const supergraph = await readFile(path.join(root, 'schema', 'supergraph.graphql'), 'utf8');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'schema-check-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const PLAIN = 'type Query { gym(id: ID!): Gym } type Gym { id: ID! name: String! } enum Level { OK FULL }';

const file = async (name: string, text: string): Promise<string> => {
  await writeFile(path.join(folder, name), text);
  return path.join(folder, name);
};

const run = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [path.join(root, 'scripts', 'schema-check.ts'), ...args],
    { encoding: 'utf8' },
  );
  return { status, stdout, stderr };
};

describe('the schema check', () => {
  it.each([
    ['a field that is gone', 'name: String!', '', 'Gym.name was removed.', /@deprecated/, 'Gym.name'],
    [
      'a field that may be null now',
      'name: String!',
      'name: String',
      /Gym\.name changed type/,
      /another name/,
      'Gym.name',
    ],
    [
      'an argument that is needed now',
      'id: ID!)',
      'id: ID!, at: ID!)',
      /required arg at/,
      /default value/,
      'Query.gym',
    ],
    [
      'a value that is gone',
      'OK FULL',
      'OK',
      'FULL was removed from enum type Level.',
      /@deprecated/,
      undefined,
    ],
  ])('names %s, and what to do', (_what, before, after, what, advice, coordinate) => {
    const { breaking } = schemaChanges(PLAIN, PLAIN.replace(before, after));
    expect(breaking).toEqual([
      { what: expect.stringMatching(what), advice: expect.stringMatching(advice), coordinate },
    ]);
  });

  it('allows additions, and warns if clients may not expect them', () => {
    const { breaking, dangerous } = schemaChanges(
      PLAIN,
      PLAIN.replace('OK FULL', 'OK BUSY FULL').replace('name: String!', 'name: String! slug: String'),
    );
    expect(breaking).toEqual([]);
    expect(dangerous).toMatchObject([{ what: 'BUSY was added to enum type Level.' }]);
  });

  it('compares the API schemas of supergraphs, and names removed subgraphs', () => {
    expect(schemaChanges(supergraph, supergraph)).toEqual({ breaking: [], dangerous: [] });
    const bio = /^ {2}"{3}(?:(?!"{3})[^])*"{3}\s+bio: String @join__field\(graph: IDENTITY\).*$/m;
    expect(supergraph).toMatch(bio);
    // The join directives say which subgraph has a field; they are for routers, not for clients.
    const moved = supergraph.replace(bio, '  bio: String @join__field(graph: GYM)');
    expect(schemaChanges(supergraph, moved)).toEqual({ breaking: [], dangerous: [] });
    const without = supergraph.replace(
      /^ {2}"""[^"]*"""\n {2}bio: String @join__field\(graph: IDENTITY\)[^\n]*$/m,
      '',
    );
    expect(schemaChanges(supergraph, without).breaking).toMatchObject([{ what: 'User.bio was removed.' }]);
    const other = supergraph.replaceAll(/\bSQUAD\b/g, 'CLUBS');
    expect(schemaChanges(supergraph, other)).toMatchObject({
      breaking: [],
      dangerous: [{ what: 'The subgraph SQUAD was removed.' }],
    });
  });

  it('reads a schema from a git ref', async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=x', '-c', 'user.email=x@example.test', ...args], {
        stdio: 'pipe',
      });
    await mkdir(path.join(folder, 'schema'));
    await file('schema/supergraph.graphql', PLAIN);
    git('init', '--quiet');
    git('add', 'schema');
    git('commit', '--quiet', '--message', 'first');
    git('tag', 'v1');
    await file('schema/supergraph.graphql', 'type Query { other: ID }');
    expect(readSchema('v1', folder)).toBe(PLAIN);
    expect(readSchema('v1:schema/supergraph.graphql', folder)).toBe(PLAIN);
    for (const where of ['v2', 'v1:nothing', '--help', ''])
      expect(() => readSchema(where, folder)).toThrow(/Expected a schema file or a git ref .*, got/);
  });

  it('ends with 1 for breaking changes, with 0 without any, and with 2 for an unreadable schema', async () => {
    const before = await file('before.graphql', PLAIN);
    const after = await file('after.graphql', PLAIN.replace('name: String!', ''));
    const broken = run(before, after);
    expect(broken.status).toBe(1);
    expect(broken.stderr).toMatch(/Breaks clients:\n {2}Gym\.name was removed\.\n {4}-> Keep it/);
    expect(run(before, before)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Nothing breaks'),
    });
    const unreadable = run(before, await file('no.graphql', 'type {'));
    expect(unreadable.status).toBe(2);
    expect(unreadable.stderr).not.toMatch(/\bat \w+ \(/);
  });
});
