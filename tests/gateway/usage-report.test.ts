import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { buildSchema, parse } from 'graphql';
import { usedFields } from '../../gateway/usage/used-fields.ts';
import { readUsageDay, UsageTable } from '../../gateway/usage/usage-table.ts';
import { startOtherGraph } from '../support/other-graph.ts';
import { openStream } from '../support/stream.ts';
import { hashOf, RESOLVERS, thingsGateway, TYPE_DEFS } from './things-gateway.ts';

const { gateway, send } = thingsGateway();

it('the used fields of a document include its arguments, and those in its fragments', () => {
  const schema = buildSchema(
    'type Query { me: User node(id: ID): Node } interface Node { id: ID } type User implements Node { id: ID name(short: Boolean): String }',
  );
  const document = parse(
    'query ($id: ID) { __typename __schema { types { name } } me { ...Parts } node(id: $id) { id ... on User { name } } } fragment Parts on User { name(short: true) }',
  );
  expect(usedFields(schema, document).toSorted()).toEqual([
    'Node.id',
    'Query.me',
    'Query.node',
    'Query.node(id:)',
    'User.name',
    'User.name(short:)',
  ]);
});

it('the usage report counts operations, fields and clients, also after a restart; schema:check reads it', async () => {
  const folder = path.join(gateway().dataDir, 'usage');
  const subgraphs = { things: { typeDefs: TYPE_DEFS, resolvers: RESOLVERS } };
  const used = '{ echo(text: "a") }';
  const start = () => startOtherGraph(subgraphs, { USAGE_REPORT: folder });
  const first = await start();
  const web = { 'apollographql-client-name': 'web', 'apollographql-client-version': '1.2' };
  for (let i = 0; i < 3; i += 1) await send({ query: used }, { url: first.url, headers: web });
  await send({ query: 'query Now { now }' }, { url: first.url });
  await send({ query: '{ unknown }' }, { url: first.url });
  expect(await first.metrics()).toMatch(
    /graph_operation_requests_total\{operation="Now",client="unknown".*\} 1/,
  );
  await first.stop();
  const second = await start();
  await send({ query: used }, { url: second.url, headers: { 'graphql-client-name': 'ios' } });
  await second.stop();

  const [name = '', ...others] = await readdir(folder);
  expect(others).toEqual([]);
  const report = readUsageDay(await readFile(path.join(folder, name), 'utf8'));
  expect(report.operations).toEqual([
    { hash: hashOf(used), name: '', kind: 'query', requests: 4, clients: { 'web 1.2': 3, ios: 1 } },
    { hash: hashOf('query Now { now }'), name: 'Now', kind: 'query', requests: 1, clients: { unknown: 1 } },
  ]);
  expect(report.fields).toEqual({
    'Query.echo': { requests: 4, clients: { 'web 1.2': 3, ios: 1 } },
    'Query.echo(text:)': { requests: 4, clients: { 'web 1.2': 3, ios: 1 } },
    'Query.now': { requests: 1, clients: { unknown: 1 } },
  });

  const check = async (after: string) => {
    const [before, now] = ['before', 'after'].map((file) => path.join(folder, `${file}.graphql`));
    await writeFile(before ?? '', 'type Query { echo(text: String): String now: Int cached: Int }');
    await writeFile(now ?? '', after);
    const args = [
      'scripts/node24.mjs',
      'scripts/schema-check.ts',
      before ?? '',
      now ?? '',
      '--usage',
      folder,
    ];
    return promisify(execFile)('node', args).then(
      ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
        code,
        text: stdout + stderr,
      }),
    );
  };
  const harmless = await check('type Query { echo(text: String): String now: Int }');
  expect(harmless.text).toMatch(
    /Breaks no client of the usage report, 1 days .*:\n {2}Query\.cached was removed/,
  );
  expect(harmless.code).toBe(0);
  const harmful = await check('type Query { now: Int cached: Int }');
  expect(harmful.text).toContain('Query.echo was removed. (requests by client: web 1.2: 3, ios: 1)');
  expect(harmful.code).toBe(1);
});

it.each([
  ['empty', ''],
  ['incomplete', '{ "day": "2026-01'],
  ['of another shape', '{ "day": "2026-01-31" }'],
])(
  'a gateway starts although the usage report of today is %s, and keeps that file',
  async (what, damaged) => {
    const folder = path.join(gateway().dataDir, `usage-${what.replaceAll(' ', '-')}`);
    const subgraphs = { things: { typeDefs: TYPE_DEFS, resolvers: RESOLVERS } };
    const start = () => startOtherGraph(subgraphs, { USAGE_REPORT: folder });
    await (await start()).stop(); // writes the file
    const [name = ''] = await readdir(folder);
    await writeFile(path.join(folder, name), damaged);

    const graph = await start();
    await send({ query: '{ now }' }, { url: graph.url });
    await graph.stop();
    expect((await readdir(folder)).toSorted()).toEqual([name, `${name}.damaged`]);
    expect(await readFile(path.join(folder, `${name}.damaged`), 'utf8')).toBe(damaged);
    const report = readUsageDay(await readFile(path.join(folder, name), 'utf8'));
    expect(report.fields).toMatchObject({ 'Query.now': { requests: 1 } });
  },
);

it('a gateway starts although the usage report of today cannot be read', async () => {
  const folder = path.join(gateway().dataDir, 'usage-unreadable');
  const subgraphs = { things: { typeDefs: TYPE_DEFS, resolvers: RESOLVERS } };
  const start = () => startOtherGraph(subgraphs, { USAGE_REPORT: folder });
  await (await start()).stop(); // writes the file
  const [name = ''] = await readdir(folder);
  await rm(path.join(folder, name));
  await mkdir(path.join(folder, name));
  await (await start()).stop();
  expect((await readdir(folder)).toSorted()).toEqual([name, `${name}.damaged`]);
  expect(readUsageDay(await readFile(path.join(folder, name), 'utf8'))).toMatchObject({ fields: {} });
});

it.each(['sse', 'multipart'] as const)(
  'the metrics of usage count the client of a subscription over HTTP (%s)',
  async (protocol) => {
    const graph = await startOtherGraph(
      { things: { typeDefs: 'type Query { now: Int } type Subscription { ticked: Int }' } },
      { USAGE_REPORT: path.join(gateway().dataDir, `usage-${protocol}`) },
    );
    // The subgraph refuses the WebSocket; the client's request is counted all the same.
    graph.subgraph('things').instead = (_req, res) => res.writeHead(404).end();
    const stream = await openStream(graph.url, protocol, {
      query: 'subscription Ticks { ticked }',
      headers: { 'graphql-client-name': 'tv' },
    });
    const metrics = await graph.metrics();
    stream.close();
    await graph.stop();
    expect(metrics).toMatch(/graph_operation_requests_total\{operation="Ticks",client="tv".*\} 1$/m);
  },
);

it('the usage report is bounded, whatever clients send', () => {
  const table = new UsageTable('2026-01-01');
  for (let i = 0; i < 6_000; i += 1)
    table.add({ hash: `h${i}`, name: `n${i}`, kind: 'query', fields: ['Query.a'] }, new Map([[`c${i}`, 1]]));
  expect(table.operations.size).toBe(5_001);
  expect(table.operations.get('other')).toMatchObject({ requests: 1_000 });
  expect(table.fields.get('Query.a')?.requests).toBe(6_000);
  expect(table.fields.get('Query.a')?.clients.size).toBeLessThanOrEqual(51);
  expect(() => readUsageDay(table.toJson())).not.toThrow();
});
