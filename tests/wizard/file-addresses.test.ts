import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPlatform, type Called, type TestPlatform } from '../support/platform.ts';
import { pictures } from '../support/pictures.ts';

async function uploaded(platform: TestPlatform): Promise<{ id: string; token: string }> {
  const token = await platform.demo('super@demo.test');
  const { body } = await platform.rest('wizard', 'POST', '/', { token, body: { kind: 'GYM_SETUP' } });
  const { id } = body as { id: string };
  const form = new FormData();
  form.append('step', 'branding');
  form.append('field', 'logo');
  form.append('file', new Blob([new Uint8Array(await pictures.normal('png'))]), 'logo.png');
  expect((await platform.rest('wizard', 'POST', `/${id}/uploads`, { token, body: form })).status).toBe(201);
  return { id, token };
}

/** The addresses of the session's file by REST and by the graph. */
async function addresses(platform: TestPlatform, door: Called, id: string, token: string): Promise<string[]> {
  const path = door === 'gateway' ? `/wizard/${id}` : `/${id}`;
  const { body } = await platform.rest(door, 'GET', path, { token });
  const query = 'query ($id: ID!) { wizardSession(id: $id) { files { url } } }';
  const { data } = await platform.graph(door, query, { id }, { token });
  return [body.files[0].url, data.wizardSession.files[0].url];
}

describe('the address of a file', () => {
  let platform: TestPlatform;
  beforeAll(async () => {
    platform = await startPlatform({ services: ['identity', 'wizard'], gateway: true });
  });
  afterAll(() => platform.stop());

  it.each([
    ['gateway', '/wizard'],
    ['wizard', ''],
  ] as const)('is a path that is valid where it was read: at the %s', async (door, prefix) => {
    const { id, token } = await uploaded(platform);
    const found = await addresses(platform, door, id, token);
    const path = expect.stringMatching(new RegExp(`^${prefix}/${id}/files/[^/]+$`));
    expect(found).toEqual([path, path]);
    const served = await platform.rest(door, 'GET', found[0] as string, { token });
    expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/webp']);
  });
});

it('the address of a file begins with the public URL of the service if the settings name one', async () => {
  const platform = await startPlatform({
    services: ['identity', 'wizard'],
    env: { WIZARD_PUBLIC_URL: 'https://api.example.test/wizard/' },
  });
  try {
    const { id, token } = await uploaded(platform);
    const url = expect.stringMatching(new RegExp(`^https://api.example.test/wizard/${id}/files/[^/]+$`));
    expect(await addresses(platform, 'wizard', id, token)).toEqual([url, url]);
  } finally {
    await platform.stop();
  }
});
