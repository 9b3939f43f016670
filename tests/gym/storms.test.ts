import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type RestAnswer, type TestPlatform } from '../support/platform.ts';
import { brokenRows } from './relations.ts';
import { checkIn, idsOf, newLocation, newMember, place, type Member } from './support.ts';

/**
 * The number of rounds. Each sends many writes at once in a random order; then it checks that the tables are
 * consistent.
 */
const ROUNDS = Number(process.env.STORM_ROUNDS ?? 3);

let platform: TestPlatform;
let staff: string;
let superAdmin: string;
let members: Member[];
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym', 'content'] });
  [staff, superAdmin] = await Promise.all([
    platform.demo('admin@iron.test'),
    platform.demo('super@demo.test'),
  ]);
  members = await Promise.all(Array.from({ length: 4 }, () => newMember(platform)));
});
afterAll(() => platform.stop());

const call = (method: string, at: string, token: string, body?: object) =>
  platform.rest('gym', method, at, { token, ...(body && { body }) });
const failed = (answers: RestAnswer[]) =>
  answers.filter(({ status }) => status >= 500).map(({ status, body }) => [status, body]);
/** Starts all calls at once, in a random order; fails if an answer is a 5xx. */
const storm = async (calls: (() => Promise<RestAnswer>)[]): Promise<RestAnswer[]> => {
  const shuffled = calls
    .map((one) => ({ one, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ one }) => one());
  const answers = await Promise.all(shuffled);
  expect(failed(answers)).toEqual([]);
  return answers;
};
const times = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, i) => item(i));
const rounds = Array.from({ length: ROUNDS }, (_, index) => index + 1);
const HOUR_MILLIS = 3_600_000;

describe.each(rounds)('round %i', () => {
  it('no row of a post is left if it is deleted during likes, comments and reports', async () => {
    const posts = await Promise.all(
      members.map(
        async ({ token }) => (await call('POST', '/posts', token, { text: 'Storm' })).body.id as string,
      ),
    );
    const answers = await storm(
      posts.flatMap((id) => [
        () => call('DELETE', `/posts/${id}`, staff),
        ...members.flatMap(({ token }) => [
          () => call('PUT', `/posts/${id}/like`, token),
          () => call('DELETE', `/posts/${id}/like`, token),
          () => call('PUT', `/posts/${id}/like`, token),
          () => call('POST', `/posts/${id}/comments`, token, { text: 'Yes' }),
          () => call('POST', `/posts/${id}/report`, token, { reason: 'Rude' }),
        ]),
      ]),
    );
    expect(answers.filter(({ status }) => ![200, 201, 204, 404].includes(status))).toEqual([]);
    expect(await platform.sql('gym', 'select 1 from post where id = any($1)', [posts])).toEqual([]);
    for (const table of ['post_like', 'post_comment', 'post_report'])
      expect(await platform.sql('gym', `select 1 from ${table} where post_id = any($1)`, [posts])).toEqual(
        [],
      );
    expect(await brokenRows(platform)).toEqual([]);
  });

  it('every score is the number of visits if challenges are joined during check-ins', async () => {
    const during = {
      metric: 'CHECK_INS',
      goal: 9,
      startsAt: new Date(Date.now() - HOUR_MILLIS).toISOString(),
      endsAt: new Date(Date.now() + HOUR_MILLIS).toISOString(),
    };
    const challenges = await Promise.all(
      times(
        3,
        async (i) =>
          (await call('POST', '/challenges', staff, { title: `Storm ${i}`, ...during })).body.id as string,
      ),
    );
    const halls = await Promise.all(times(3, () => newLocation(platform, staff)));
    const undo = async ({ token, qrCode }: Member) => {
      const visit = await checkIn(platform, token, { qrCode, locationId: halls[0] });
      return visit.body.id ? call('DELETE', `/check-ins/${visit.body.id}`, staff) : visit;
    };
    await storm(
      members.flatMap((member) => [
        ...challenges.flatMap((id) => [
          () => call('POST', `/challenges/${id}/join`, member.token),
          () => call('POST', `/challenges/${id}/join`, member.token),
        ]),
        () => call('POST', `/challenges/${challenges[0]}/leave`, member.token),
        ...halls.flatMap((locationId) =>
          times(2, () => () => checkIn(platform, member.token, { qrCode: member.qrCode, locationId })),
        ),
        () => undo(member),
      ]),
    );
    expect(await brokenRows(platform, challenges)).toEqual([]);
    const joined = await platform.sql(
      'gym',
      'select 1 from challenge_participant where challenge_id = any($1)',
      [challenges.slice(1)],
    );
    expect(joined).toHaveLength(2 * members.length);
  });

  it('no change is lost if drafts are saved and published at once', async () => {
    const at = `/gym/config/${DEMO_GYMS.aquaClub.id}`;
    const marks = times(24, () => randomUUID());
    const saved = marks.map(
      (mark, index) => () =>
        call(
          'PUT',
          `${at}/draft`,
          superAdmin,
          index % 2 ? { features: { [`m-${mark}`]: true } } : { theme: { [`x-${mark}`]: mark } },
        ),
    );
    const answers = await storm([
      ...saved,
      ...times(4, () => () => call('POST', `${at}/publish`, superAdmin)),
    ]);
    expect(answers.filter(({ status }) => ![200, 409].includes(status))).toEqual([]);
    const draft = await call('GET', `${at}/draft`, superAdmin);
    const { theme, features } = draft.status === 200 ? draft.body : (await call('GET', at, superAdmin)).body;
    const kept = marks.filter((mark, index) => (index % 2 ? features[`m-${mark}`] : theme[`x-${mark}`]));
    expect(kept).toEqual(marks);
    const versions = answers.flatMap(({ body }) => ('basedOnVersion' in body ? [body.version] : []));
    expect(new Set(versions).size).toBe(versions.length); // each version belongs to one change of one draft
  });

  it('a gym that is withdrawn during check-ins and posts is removed entirely, or not at all', async () => {
    const wizard = await platform.serviceToken('wizard');
    const gymId = randomUUID();
    const slug = `storm-${gymId}`;
    const [productId] = await idsOf(platform, 'products');
    expect((await call('POST', '/gyms', wizard, { id: gymId, name: 'Storm', slug })).status).toBe(201);
    const locationId = randomUUID();
    expect((await call('POST', '/locations', wizard, { ...place(), id: locationId, gymId })).status).toBe(
      201,
    );
    const member = await newMember(platform, gymId);
    const written = await storm([
      () => call('DELETE', `/gyms/${gymId}`, wizard),
      () => call('DELETE', `/gyms/${gymId}`, wizard),
      ...times(3, () => () => checkIn(platform, member.token, { qrCode: member.qrCode, locationId })),
      ...times(3, () => () => checkIn(platform, staff, { qrCode: member.qrCode, locationId })),
      ...times(3, () => () => call('POST', '/posts', member.token, { text: 'Storm' })),
      () => call('POST', '/announcements', superAdmin, { gymId, title: 'Storm', text: 'Storm' }),
      () => call('POST', '/locations', superAdmin, { ...place(), gymId }),
      () => call('PUT', `/gym/${slug}/products`, superAdmin, { products: [{ productId }] }),
      () => call('PUT', `/gym/config/${gymId}/draft`, superAdmin, { features: { storm: true } }),
    ]);
    const isGone = (await call('GET', `/gym/config/${gymId}`, superAdmin)).status === 404;
    const used = ['check_in', 'post', 'announcement', 'gym_product'];
    const own = ['location', 'gym_config_version'];
    const rowsOf = async (table: string) =>
      (await platform.sql('gym', `select 1 from ${table} where gym_id = $1`, [gymId])).length;
    const count = async (tables: string[]) => Promise.all(tables.map(rowsOf));
    const [ofUse, ofItself, others] = await Promise.all([
      count(used),
      count(own),
      count(['gym_config_draft', 'check_in_denial']),
    ]);
    const isEmpty = [...ofUse, ...ofItself, ...others].every((rows) => rows === 0);
    const isWhole = ofItself.every((rows) => rows > 0) && ofUse.some((rows) => rows > 0);
    expect({ isEmpty, isWhole }).toEqual({ isEmpty: isGone, isWhole: !isGone });
    expect(written.filter(({ status }) => status === 204)).toHaveLength(isGone ? 1 : 0);
    expect(await brokenRows(platform)).toEqual([]);
  });

  it('no row names an account that is erased during its writes, and every count and score is right', async () => {
    const [erased, friend] = [await newMember(platform), members[0] as Member];
    const identity = await platform.serviceToken('identity');
    const during = {
      metric: 'CHECK_INS',
      goal: 9,
      startsAt: new Date(Date.now() - HOUR_MILLIS).toISOString(),
      endsAt: new Date(Date.now() + HOUR_MILLIS).toISOString(),
    };
    const challenge = (await call('POST', '/challenges', staff, { title: 'Storm', ...during })).body
      .id as string;
    const halls = await Promise.all(times(2, () => newLocation(platform, staff)));
    const write = async (token: string) =>
      (await call('POST', '/posts', token, { text: 'Storm' })).body.id as string;
    const [own, commented, ofFriend] = [
      await write(erased.token),
      await write(erased.token),
      await write(friend.token),
    ];
    // These rows exist before the storm, so that the erasure has rows to erase even if it runs first.
    for (const id of [commented, ofFriend]) {
      for (const { token } of [erased, friend, erased])
        await call('POST', `/posts/${id}/comments`, token, { text: 'Before' });
      await call('PUT', `/posts/${id}/like`, erased.token);
    }
    const postWrites = [own, commented, ofFriend].flatMap((id) =>
      [erased, friend].flatMap(({ token }) => [
        ...times(3, () => () => call('PUT', `/posts/${id}/like`, token)),
        ...times(3, () => () => call('DELETE', `/posts/${id}/like`, token)),
        ...times(2, () => () => call('POST', `/posts/${id}/comments`, token, { text: 'Yes' })),
        () => call('POST', `/posts/${id}/report`, token, { reason: 'Rude' }),
      ]),
    );
    const answers = await storm([
      ...times(2, () => () => call('DELETE', `/accounts/${erased.id}`, identity)),
      ...postWrites,
      () => call('DELETE', `/posts/${own}`, staff),
      () => call('POST', '/posts', erased.token, { text: 'Late' }),
      ...[erased, friend].flatMap(({ token }) => [
        () => call('POST', `/challenges/${challenge}/join`, token),
        () => call('POST', `/challenges/${challenge}/join`, token),
      ]),
      () => call('POST', `/challenges/${challenge}/leave`, erased.token),
      ...[erased, friend].flatMap(({ qrCode }) =>
        halls.flatMap((locationId) => times(2, () => () => checkIn(platform, staff, { qrCode, locationId }))),
      ),
      () => platform.rest('gym', 'POST', '/locations/check-out', { token: erased.token, body: {} }),
    ]);
    expect(answers.filter(({ status }) => ![200, 201, 204, 404, 409].includes(status))).toEqual([]);
    const named = await platform.sql(
      'gym',
      `select 'check_in' as place from check_in where $1 in (user_id, checked_in_by)
       union all select 'check_in_denial' from check_in_denial where $1 in (user_id, presented_by)
       union all select 'post' from post where author_id = $1
       union all select 'post_comment' from post_comment where author_id = $1
       union all select 'post_like' from post_like where user_id = $1
       union all select 'post_report' from post_report where reporter_id = $1
       union all select 'challenge_participant' from challenge_participant where user_id = $1`,
      [erased.id],
    );
    expect(named).toEqual([]);
    expect(await brokenRows(platform, [challenge])).toEqual([]);
  });
});
