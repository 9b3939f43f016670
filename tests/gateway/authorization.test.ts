import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { DEMO_GYMS } from '#server/demo-ids.ts';

let platform: TestPlatform;
let maya: string;
let superAdmin: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym', 'nutrition'], gateway: true });
  [maya, superAdmin] = await Promise.all([platform.demo('maya@iron.test'), platform.demo('super@demo.test')]);
});
afterAll(() => platform.stop());

const gymId = DEMO_GYMS.ironTemple.id;
const ask = (query: string, token?: string) => platform.graph('gateway', query, {}, token ? { token } : {});
const refusal = (...path: string[]) => ({ path, extensions: { code: 'UNAUTHORIZED_FIELD_OR_TYPE' } });

describe('a field that the SDL protects', () => {
  it('is null with an error for callers without the right, and the other fields have values', async () => {
    const query = `{ gyms { slug } gymConfigDraft(gymId: "${gymId}") { gymId } found: userByQrCode(qrCode: "x") { id } }`;
    // Express handles the first request, the fast path the following ones.
    for (let i = 0; i < 3; i += 1) {
      const { status, data, errors } = await ask(query, maya);
      expect(status).toBe(200);
      expect(data).toEqual({
        gyms: expect.arrayContaining([{ slug: 'iron-temple' }]),
        gymConfigDraft: null,
        found: null,
      });
      expect(errors).toMatchObject([refusal('gymConfigDraft'), refusal('found')]);
    }
    const allowed = await ask(query, superAdmin);
    expect(allowed.errors).toBeUndefined();
    expect((await ask(query)).errors).toHaveLength(2);
  });

  it('is null also in a fragment, under an alias and with variables', async () => {
    const query = `query ($gymId: ID!, $with: Boolean!) { ...Draft } fragment Draft on Query { draft: gymConfigDraft(gymId: $gymId) @include(if: $with) { ...Inner } } fragment Inner on GymConfigDraft { gymId }`;
    const { data, errors } = await platform.graph('gateway', query, { gymId, with: true }, { token: maya });
    expect({ data, errors }).toMatchObject({ data: { draft: null }, errors: [refusal('draft')] });
  });

  it('needs only a token if the SDL marks it @authenticated', async () => {
    const query = '{ me { displayName checkIns(first: 1) { nodes { id } } nutritionDay { date } } }';
    expect((await ask(query, maya)).errors).toBeUndefined();
    const { errors } = await ask(query);
    expect(errors).toMatchObject([
      refusal('me', 'checkIns'),
      refusal('me', 'nutritionDay'),
      { path: ['me'], extensions: { code: 'UNAUTHENTICATED' } },
    ]);
  });

  it('is subject to the rules of its service as well', async () => {
    const direct = await platform.graph(
      'gym',
      `{ gymConfigDraft(gymId: "${gymId}") { gymId } }`,
      {},
      { token: maya },
    );
    expect(direct.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  });

  it('depends on the rights of each caller, also if several send the same operation at the same time', async () => {
    const query = `{ gymConfigDraft(gymId: "${gymId}") { gymId } gyms { id } }`;
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, i) => ({
        isSuper: i % 2 === 0,
        answer: await ask(query, i % 2 === 0 ? superAdmin : maya),
      })),
    );
    for (const { isSuper, answer } of answers) expect(answer.errors === undefined).toBe(isSuper);
  });
});
