import { describe, expect, test } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { contentService, PRODUCT, unique } from './support.ts';

const { rest, graph } = contentService();

describe('products', () => {
  test('are featured between their times, the highest priority first', async () => {
    const [past, future] = ['2020-01-01T00:00:00Z', '2999-01-01T00:00:00+01:00'];
    const make = async (name: string, more: object) =>
      (
        await rest('super@demo.test', 'POST', '/products', {
          ...PRODUCT,
          sku: unique(),
          name,
          gymId: DEMO_GYMS.aquaClub.id,
          ...more,
        })
      ).body;
    await make('Now', { featuredPriority: 900, featuredFrom: past, featuredUntil: future });
    await make('First', { featuredPriority: 1_000 });
    await make('Over', { featuredPriority: 950, featuredUntil: past });
    await make('Not yet', { featuredPriority: 950, featuredFrom: future });
    await make('Never', {});
    const names = async (who: string) =>
      (await graph(who, '{ featuredProducts { name } }')).data.featuredProducts.map(
        ({ name }: { name: string }) => name,
      );
    expect((await names('zoe@aqua.test')).slice(0, 2)).toEqual(['First', 'Now']);
    for (const name of ['Over', 'Not yet', 'Never']) expect(await names('zoe@aqua.test')).not.toContain(name);
    expect(await names('maya@iron.test')).not.toContain('First');
    expect(
      await rest('super@demo.test', 'POST', '/products', {
        ...PRODUCT,
        sku: unique(),
        featuredFrom: future,
        featuredUntil: past,
      }),
    ).toMatchObject({ status: 400 });
  });

  test('have a SKU that is unique in their gym, and free again after the product was deleted', async () => {
    const sku = unique();
    const first = await rest('admin@iron.test', 'POST', '/products', { ...PRODUCT, sku });
    expect(first).toMatchObject({ status: 201, body: { currency: 'EUR', available: true } });
    expect(
      await rest('admin@iron.test', 'POST', '/products', { ...PRODUCT, sku: sku.toUpperCase() }),
    ).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    expect(await rest('admin@aqua.test', 'POST', '/products', { ...PRODUCT, sku })).toMatchObject({
      status: 201,
    });
    await rest('admin@iron.test', 'DELETE', `/products/${first.body.id}`);
    expect(await rest('admin@iron.test', 'POST', '/products', { ...PRODUCT, sku })).toMatchObject({
      status: 201,
    });
  });

  test('are refused if their SKU is in use, with and without an Idempotency-Key, also if the request is repeated', async () => {
    const sku = unique();
    const make = (headers: Record<string, string> = {}) =>
      rest('admin@iron.test', 'POST', '/products', { ...PRODUCT, sku }, headers);
    expect((await make()).status).toBe(201);
    const { body: plain } = await make();
    const key = { 'Idempotency-Key': unique() };
    const first = await make(key);
    expect(first).toMatchObject({ status: 409, body: { code: 'CONFLICT', detail: plain.detail } });
    const again = await make(key);
    expect(again).toMatchObject({ status: 409, body: first.body });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  test('are available if one of their variants is in stock', async () => {
    const variants = [
      { sku: 'S', name: 'S', stock: 0 },
      { sku: 'M', name: 'M', stock: 0 },
    ];
    const { body } = await rest('admin@iron.test', 'POST', '/products', {
      ...PRODUCT,
      sku: unique(),
      stock: 5,
      variants,
    });
    expect(body).toMatchObject({ available: false, variants: [{ price: null }, {}] });
    const listed = async () =>
      (await rest('admin@iron.test', 'GET', '/products?inStock=true&limit=200')).body.map(
        ({ id }: { id: string }) => id,
      );
    expect(await listed()).not.toContain(body.id);
    expect(
      await rest('admin@iron.test', 'PUT', `/products/${body.id}`, {
        variants: [{ sku: 'S', name: 'S', stock: 1 }],
      }),
    ).toMatchObject({ body: { available: true } });
    expect(await listed()).toContain(body.id);
  });

  test.each([
    { price: 12.5 },
    { price: -1 },
    { currency: 'euro' },
    { currency: 'XXZ' },
    { currency: 'EU1' },
    { kind: 'CAR' },
    { images: ['javascript:alert(1)'] },
    { stock: -1 },
  ])('with %j are refused', async (wrong) => {
    expect(
      await rest('admin@iron.test', 'POST', '/products', { ...PRODUCT, sku: unique(), ...wrong }),
    ).toMatchObject({
      status: 400,
      body: { errors: [{ path: expect.stringContaining(Object.keys(wrong)[0] ?? '') }] },
    });
  });
});
