import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { contentService, PRODUCT, ROUTINE, unique } from './support.ts';

const { rest } = contentService();

describe('pictures', () => {
  const form = (bytes: Buffer) => {
    const data = new FormData();
    data.append('image', new Blob([new Uint8Array(bytes)]), 'photo.jpg');
    return data;
  };
  const photo = () =>
    sharp({ create: { width: 2_000, height: 1_000, channels: 3, background: '#357' } })
      .withExif({ IFD0: { Copyright: 'secret place' } })
      .jpeg()
      .toBuffer();

  test('are served in three sizes, without metadata, and may be cached for ever', async () => {
    const { body: routine } = await rest('admin@iron.test', 'POST', '/workouts', ROUTINE);
    const uploaded = await rest(
      'admin@iron.test',
      'POST',
      `/workouts/${routine.id}/image`,
      form(await photo()),
    );
    expect(uploaded).toMatchObject({ status: 201, body: { version: 2 } });
    for (const [size, width] of [
      ['', 1_600],
      ['?size=medium', 800],
      ['?size=small', 320],
    ] as const) {
      const { status, headers, body } = await rest('anyone', 'GET', `${uploaded.body.image}${size}`);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('image/webp');
      expect(headers.get('cache-control')).toContain('immutable');
      const metadata = await sharp(body).metadata();
      expect([metadata.width, metadata.height, metadata.exif]).toEqual([width, width / 2, undefined]);
    }
  });

  test('may be several for one product, and are uploaded by REST or by the graph', async () => {
    const { body: product } = await rest('admin@iron.test', 'POST', '/products', {
      ...PRODUCT,
      sku: unique(),
    });
    await rest('admin@iron.test', 'POST', `/products/${product.id}/images`, form(await photo()));
    const operations = new FormData();
    operations.append(
      'operations',
      JSON.stringify({
        query:
          'mutation($id: ID!, $image: Upload!) { uploadProductImage(input: { id: $id, image: $image }) { images } }',
        variables: { id: product.id, image: null },
      }),
    );
    operations.append('map', JSON.stringify({ 0: ['variables.image'] }));
    operations.append('0', new Blob([new Uint8Array(await photo())]), 'photo.jpg');
    const { body } = await rest('admin@iron.test', 'POST', '/graphql', operations, {
      'Apollo-Require-Preflight': 'true',
    });
    expect(body.data.uploadProductImage.images).toHaveLength(2);
  });

  test('are refused if the caller may not change the content, or if the file is no picture', async () => {
    const { body: routine } = await rest('admin@iron.test', 'POST', '/workouts', ROUTINE);
    const path = `/workouts/${routine.id}/image`;
    expect((await rest('anyone', 'POST', path, form(await photo()))).status).toBe(401);
    expect((await rest('maya@iron.test', 'POST', path, form(await photo()))).status).toBe(403);
    expect((await rest('admin@aqua.test', 'POST', path, form(await photo()))).status).toBe(404);
    expect(
      (await rest('admin@iron.test', 'POST', path, form(Buffer.from('<svg onload="alert(1)"/>')))).status,
    ).toBe(415);
    for (const file of ['../../etc/passwd', 'x.webp', `${randomUUID()}.webp`])
      expect((await rest('anyone', 'GET', `/media/${encodeURIComponent(file)}`)).status).toBe(404);
  });
});
