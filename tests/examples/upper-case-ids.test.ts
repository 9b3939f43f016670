import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SERVICE_NAMES, type ServiceName } from '#server/settings.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { commonExamples } from './common.ts';
import { recordingOf, type ExampleCall } from './recorder.ts';
import { SCENARIOS } from './scenarios.ts';

// RFC 9562, section 4: UUIDs are accepted in upper case, too. Some clients write them so, for example programs in Swift.
const UUID = /\b[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}\b/gi;

function inUpperCase<Value>(value: Value): Value {
  // Names of files contain UUIDs, too, but are no ids.
  if (typeof value === 'string')
    return (value.includes('.') ? value : value.replaceAll(UUID, (id) => id.toUpperCase())) as Value;
  if (Array.isArray(value)) return value.map(inUpperCase) as Value;
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inUpperCase(inner)])) as Value;
}
const spelt = ({ params, query, body, ...call }: ExampleCall): ExampleCall => ({
  ...call,
  ...(params && { params: inUpperCase(params) }),
  ...(query && { query: inUpperCase(query) }),
  ...(body !== undefined && { body: inUpperCase(body) }),
});

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: SERVICE_NAMES, env: { WIZARD_DEPLOYMENT_RETRY_MILLIS: '100' } });
});
afterAll(() => platform.stop());

it.each(Object.keys(SCENARIOS) as ServiceName[])(
  'every operation of %s answers requests with ids in upper case as those in lower case, and answers in lower case',
  async (service) => {
    const { examples, recorder } = recordingOf(platform, service, new Date(), spelt);
    await commonExamples({ service, examples, recorder }, {});
    await SCENARIOS[service](recorder);
    const answers = Object.values(examples).flatMap((example) => (example ? [example.answer] : []));
    const ids = JSON.stringify(answers).match(UUID) ?? [];
    expect(ids.length).toBeGreaterThan(10);
    expect(ids.filter((id) => /[A-F]/.test(id))).toEqual([]);
  },
);

it('the graph finds objects by ids in upper case, in arguments and input objects, by variables and in the text', async () => {
  const token = await platform.demo('admin@iron.test');
  const { body } = await platform.rest('gym', 'POST', '/locations', {
    token,
    body: { name: 'Annex', timezone: 'UTC', capacity: 20 },
  });
  const id: string = body.id;
  const upper = id.toUpperCase();
  expect(upper).not.toBe(id);
  const of = async (query: string, variables: object = {}) =>
    (await platform.graph('gym', query, variables, { token })).data;
  expect(await of('query ($id: ID!) { location(id: $id) { id } }', { id: upper })).toEqual({
    location: { id },
  });
  expect(await of(`{ location(id: "${upper}") { id } }`)).toEqual({ location: { id } });
  expect(
    await of('mutation ($input: UpdateLocationInput!) { updateLocation(input: $input) { id } }', {
      input: { id: upper, address: 'Main street 1' },
    }),
  ).toEqual({ updateLocation: { id } });
});
