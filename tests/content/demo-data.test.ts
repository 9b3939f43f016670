import { expect, test } from '@jest/globals';
import { contentService } from './support.ts';

const { rest } = contentService();

// At its start the service checks the demo files by their shapes. Rules between fields are applied to requests only.
test.each(['workouts', 'products'])('the rules of a change accept all demo %s unchanged', async (kind) => {
  const { body } = await rest('super@demo.test', 'GET', `/${kind}?limit=200`);
  expect(body.length).toBeGreaterThan(10);
  for (const one of body) {
    const changed = await rest('super@demo.test', 'PUT', `/${kind}/${one.id}`, one);
    const { version: _version, updatedAt: _updatedAt, ...same } = one;
    expect(changed).toMatchObject({ status: 200, body: { ...same, version: 2 } });
  }
});
