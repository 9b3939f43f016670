import { describe, expect, it } from '@jest/globals';
import { thingsGateway } from './things-gateway.ts';

const { send } = thingsGateway();

describe('the response cache', () => {
  const cached = async (query: string) => {
    await send({ query }); // The operation is prepared from now on.
    const first = await send({ query });
    return { first, second: await send({ query }) };
  };

  it('returns public responses until a mutation of their service', async () => {
    const { first, second } = await cached('{ cached }');
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('cache-control')).toBe('private, max-age=60');
    expect(second.headers.get('age')).toBe('0');
    await send({ query: 'mutation { bump }' });
    expect((await send({ query: '{ cached }' })).body).not.toEqual(first.body);
  });

  it.each([
    ['private', '{ private }'],
    ['public only in part', '{ cached now }'],
    ['without @cacheControl', '{ now }'],
  ])('stores no response that is %s', async (_what, query) => {
    const { first, second } = await cached(query);
    expect(second.body).not.toEqual(first.body);
    expect(second.headers.get('cache-control')).toBe('no-store');
  });

  it('stores no errors', async () => {
    const { second } = await cached('{ failing }');
    expect(second.headers.get('cache-control')).toBe('no-store');
  });
});
