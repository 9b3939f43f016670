import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity'] });
});
afterAll(() => platform.stop());

// Two parsers are tested: Express reads the bodies of all media types but application/json.
describe.each(['application/json', 'application/merge-patch+json'])('a body of the type %s', (type) => {
  const detailOf = async (body: string): Promise<unknown> => {
    const answer = await platform.rest('identity', 'POST', '/auth/login', {
      body,
      headers: { 'content-type': type },
    });
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    return answer.body.detail;
  };

  it.each(['"text"', 'null', ' 7', 'true'])(
    'that is %s is refused as JSON that is not an object',
    async (body) => {
      expect(await detailOf(body)).toBe('The body is JSON, but not an object; send a JSON object.');
    },
  );

  it.each(['{"a":', 'text', "{'a': 1}", '"text'])('that is %s is refused as invalid JSON', async (body) => {
    expect(await detailOf(body)).toBe('The body is not valid JSON; send a JSON object.');
  });
});
