import { expect, test } from '@jest/globals';
import { contentService } from './support.ts';

const { rest } = contentService();

// The service checks the demo files by their shapes when it starts. Only requests are checked by the rules between fields.
test.each(['workouts', 'products'])('the rules of a change accept all demo %s unchanged', async (kind) => {
  const { body } = await rest('super@demo.test', 'GET', `/${kind}?limit=200`);
  expect(body.length).toBeGreaterThan(10);
  for (const one of body) {
    const changed = await rest('super@demo.test', 'PUT', `/${kind}/${one.id}`, one);
    const { version: _version, updatedAt: _updatedAt, ...same } = one;
    expect(changed).toMatchObject({ status: 200, body: { ...same, version: 2 } });
  }
});
