import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
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

  it('are the only ones with REGISTERED_OPERATIONS_ONLY', async () => {
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
});
