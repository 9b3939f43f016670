import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { startOtherGraph } from '../support/other-graph.ts';
import { hashOf, RESOLVERS, thingsGateway, TYPE_DEFS } from './things-gateway.ts';

const { gateway, send } = thingsGateway();

describe('persisted operations', () => {
  it('are sent once, then identified by their hash', async () => {
    const query = `{ echo(text: "${randomUUID()}") }`;
    const extensions = { persistedQuery: { version: 1, sha256Hash: hashOf(query) } };
    expect(await send({ extensions })).toMatchObject({
      status: 200,
      body: {
        errors: [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
      },
    });
    const brought = await send({ query, extensions });
    expect(brought.body.errors).toBeUndefined();
    for (let i = 0; i < 2; i += 1) expect((await send({ extensions })).body).toEqual(brought.body);
    const byUrl = await fetch(
      `${gateway().url}/graphql?extensions=${encodeURIComponent(JSON.stringify(extensions))}`,
      { headers: { 'apollo-require-preflight': 'true' } },
    );
    expect(await byUrl.json()).toEqual(brought.body);
  });

  it.each([
    ['the hash of another text', { version: 1, sha256Hash: hashOf('{ other }') }],
    ['no hash', { version: 1 }],
    ['another version', { version: 2, sha256Hash: hashOf('{ now }') }],
  ])('with %s are refused', async (_what, persistedQuery) => {
    expect(await send({ query: '{ now }', extensions: { persistedQuery } })).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: 'VALIDATION_FAILED' } }] },
    });
  });

  it('that are registered are the only ones that run with REGISTERED_OPERATIONS_ONLY', async () => {
    const query = '{ echo(text: "registered") }';
    const manifest = path.join(gateway().dataDir, 'manifest.json');
    await writeFile(
      manifest,
      JSON.stringify({
        format: 'apollo-persisted-query-manifest',
        version: 1,
        operations: [{ id: 'one', name: 'One', type: 'query', body: query }],
      }),
    );
    const strict = await startOtherGraph(
      { things: { typeDefs: TYPE_DEFS, resolvers: RESOLVERS } },
      { REGISTERED_OPERATIONS: manifest, REGISTERED_OPERATIONS_ONLY: 'on' },
    );
    const { url } = strict;
    try {
      const byId = { extensions: { persistedQuery: { version: 1, sha256Hash: 'one' } } };
      for (let i = 0; i < 2; i += 1) {
        expect((await send(byId, { url })).body).toEqual({ data: { echo: 'registered' } });
        expect((await send({ query }, { url })).body).toEqual({ data: { echo: 'registered' } });
        expect(await send({ query: '{ now }' }, { url })).toMatchObject({
          status: 403,
          body: { errors: [{ extensions: { code: 'OPERATION_NOT_REGISTERED' } }] },
        });
      }
      const brought = {
        query: '{ now }',
        extensions: { persistedQuery: { version: 1, sha256Hash: hashOf('{ now }') } },
      };
      expect((await send(brought, { url })).status).toBe(403);
      expect((await send([{ query }, { query: '{ now }' }], { url })).status).toBe(403);
    } finally {
      await strict.stop();
    }
  });

  it('of a folder are found by documentId, and change without a restart', async () => {
    const folder = path.join(gateway().dataDir, 'operations');
    await mkdir(folder);
    await writeFile(path.join(folder, 'echo.graphql'), 'query ($text: String!) { echo(text: $text) }');
    await writeFile(path.join(folder, 'relay.json'), JSON.stringify({ relayId: '{ echo(text: "relay") }' }));
    const { url, stop } = await startOtherGraph(
      { things: { typeDefs: TYPE_DEFS, resolvers: RESOLVERS } },
      { REGISTERED_OPERATIONS: folder, REGISTERED_OPERATIONS_ONLY: 'on' },
    );
    const sent = async (body: unknown) => (await send(body, { url })).body;
    const refusal = { errors: [{ extensions: { code: 'OPERATION_NOT_REGISTERED' } }] };
    try {
      for (let i = 0; i < 2; i += 1) {
        expect(await sent({ documentId: 'echo', variables: { text: 'a' } })).toEqual({ data: { echo: 'a' } });
        expect(await sent({ documentId: 'relayId' })).toEqual({ data: { echo: 'relay' } });
      }
      const hash = hashOf('{ echo(text: "relay") }');
      expect(await sent({ documentId: `sha256:${hash}` })).toEqual({ data: { echo: 'relay' } });
      const byUrl = await fetch(`${url}/graphql?documentId=relayId`);
      expect(await byUrl.json()).toEqual({ data: { echo: 'relay' } });
      expect(await sent({ documentId: 'unknown' })).toMatchObject(refusal);
      expect(await sent({ documentId: 'echo', query: '{ now }' })).toMatchObject({
        errors: [{ extensions: { code: 'VALIDATION_FAILED' } }],
      });

      await writeFile(path.join(folder, 'later.graphql'), '{ echo(text: "later") }');
      await eventually(async () => (await sent({ documentId: 'later' })).data?.echo === 'later');
      await writeFile(path.join(folder, 'broken.json'), '{');
      await rm(path.join(folder, 'relay.json'));
      expect(await sent({ documentId: 'later' })).toEqual({ data: { echo: 'later' } });
      await rm(path.join(folder, 'broken.json'));
      await eventually(async () => (await sent({ documentId: 'relayId' })).errors !== undefined);
      expect(await sent({ query: '{ echo(text: "relay") }' })).toMatchObject(refusal);
    } finally {
      await stop();
    }
  });
});
