import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
let maya: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'nutrition'], gateway: true });
  maya = await platform.demo('maya@iron.test');
});
afterAll(() => platform.stop());

const day = (text: string) => `{ me { nutritionDay(date: ${text}) { date } } }`;

it.each(['"0000-01-01"', '"2026-02-30"', '"9999-12-31"', '"soon"', '20260101', 'true'])(
  'the day %s is refused as a literal and as a variable, by the service and by the gateway',
  async (text) => {
    const refused = [{ extensions: { code: 'VALIDATION_FAILED' } }];
    const asVariable = 'query ($day: Date) { me { nutritionDay(date: $day) { date } } }';
    const variables = { day: JSON.parse(text) as unknown };
    expect(await platform.graph('gateway', day(text), {}, { token: maya })).toMatchObject({
      errors: refused,
    });
    expect(await platform.graph('gateway', asVariable, variables, { token: maya })).toMatchObject({
      errors: refused,
    });
    const entities = (argument: string) =>
      `query ($r: [_Any!]!${argument === '$day' ? ', $day: Date' : ''}) { _entities(representations: $r) { ... on User { nutritionDay(date: ${argument}) { date } } } }`;
    const r = [{ __typename: 'User', id: '01900000-0000-7000-8000-000000000009' }];
    for (const argument of [text, '$day'])
      expect(
        await platform.graph('nutrition', entities(argument), { r, ...variables }, { token: maya }),
      ).toMatchObject({ status: 400, errors: refused });
  },
);

it('a text instead of a file is refused as an invalid value of the client', async () => {
  expect(
    await platform.graph('gateway', 'mutation { uploadAvatar(file: "none") { id } }', {}, { token: maya }),
  ).toMatchObject({ data: { uploadAvatar: null }, errors: [{ extensions: { code: 'VALIDATION_FAILED' } }] });
});
