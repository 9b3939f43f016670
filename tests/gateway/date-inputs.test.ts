import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
let token: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'nutrition'], gateway: true });
  token = await platform.demo('maya@iron.test');
});
afterAll(() => platform.stop());

async function ask(door: 'gateway' | 'nutrition', query: string, variables: object = {}) {
  const response = await fetch(`${platform.url(door)}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as {
    data?: unknown;
    errors?: { message: string; locations?: object[]; extensions: { code: string } }[];
  };
  const [error] = errors ?? [];
  return { status: response.status, data, error };
}

const DAY = 'expected a day such as 2026-01-31';
const TIME = 'expected a time such as 2026-01-31T18:00:00Z';
const LOG = 'mutation ($day: Date) { logFood(input: { foodId: "x", localDate: $day }) { id } }';
const LOG_OF = (day: string) => `mutation { logFood(input: { foodId: "x", localDate: ${day} }) { id } }`;
const LOG_AT = 'mutation ($at: DateTime) { logFood(input: { foodId: "x", loggedAt: $at }) { id } }';
const LOG_AT_OF = (at: string) => `mutation { logFood(input: { foodId: "x", loggedAt: ${at} }) { id } }`;

/** At both doors a value that a scalar refuses is a request error (GraphQL specification, 6.1.2), and nothing is executed. */
describe.each(['nutrition', 'gateway'] as const)('the door of %s', (door) => {
  it.each([
    ['Date', 'a day that does not exist', LOG, { day: '2026-02-30' }, DAY],
    ['Date', 'a number', LOG, { day: 5 }, DAY],
    ['Date', 'a year that is too early', LOG, { day: '1200-01-01' }, 'expected a year from 1900 to 2999'],
    ['DateTime', 'a day', LOG_AT, { at: '2026-01-31' }, TIME],
    ['DateTime', 'a text', LOG_AT, { at: 'soon' }, TIME],
  ] as const)(
    'refuses a variable of type %s that is %s with 400 and without data',
    async (_type, _what, query, variables, expected) => {
      const { status, data, error } = await ask(door, query, variables);
      expect({ status, data, code: error?.extensions.code }).toEqual({
        status: 400,
        data: undefined,
        code: 'VALIDATION_FAILED',
      });
      expect(error?.message).toContain(expected);
      expect(error?.message).toContain(`"$${Object.keys(variables)[0]}"`);
    },
  );

  it.each([
    ['Date', 'a day that does not exist', LOG_OF('"2026-02-30"'), DAY],
    ['Date', 'a number', LOG_OF('5'), DAY],
    ['DateTime', 'a text', LOG_AT_OF('"soon"'), TIME],
  ] as const)(
    'refuses a literal of type %s that is %s with 400, and says where it is',
    async (_type, _what, query, expected) => {
      const { status, data, error } = await ask(door, query);
      expect({ status, data, code: error?.extensions.code }).toEqual({
        status: 400,
        data: undefined,
        code: 'VALIDATION_FAILED',
      });
      expect(error?.message).toContain(expected);
      expect(error?.message).not.toContain('LocalDate');
      expect(error?.locations).toHaveLength(1);
    },
  );

  it.each([
    ['Date', LOG, { day: '2026-02-28' }],
    ['Date', LOG_OF('"2026-02-28"'), {}],
    ['Date', LOG, { day: null }],
    ['DateTime', LOG_AT, { at: '2026-01-31T18:00:00+02:00' }],
    ['DateTime', LOG_AT_OF('"2026-01-31T18:00:00.5Z"'), {}],
  ] as const)('accepts valid values of type %s: %s %j', async (_type, query, variables) => {
    expect((await ask(door, query, variables)).status).toBe(200);
  });
});
