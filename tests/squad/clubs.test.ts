import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  gyms,
  type Activity,
  type GymRecord,
  type StoredGroup,
} from '../../subgraphs/squad/gyms/gym.journal.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { rulesOf } from './invite-interleavings/world.ts';
import { fileStore, type Store } from './journals/stores.ts';
import type { Person } from './support/people.ts';

const workout: Activity = {
  id: randomUUID(),
  kind: 'SQUAD_FINISHED',
  at: new Date().toISOString(),
  userIds: [randomUUID()],
  text: 'Trained alone for 50 min, 12 sets.',
  squadId: randomUUID(),
  groupId: null,
};

describe('the clubs of a gym', () => {
  let store: Store;
  beforeAll(async () => {
    store = await fileStore();
  });
  afterAll(() => store.close());

  const of = () => store.instances[0]!.of(gyms);
  const act = async <Result>(
    userId: string,
    gymId: string,
    action: (rules: ReturnType<typeof rulesOf>) => Promise<Result>,
  ): Promise<Result> => {
    const rules = rulesOf(userId, store.instances[0]!, gymId);
    return action(rules).finally(() => rules.dispose());
  };

  test('leave nothing behind when their last member has left, so that the workouts stay in the feed', async () => {
    const [maya, gymId] = [randomUUID(), randomUUID()];
    await of().change(gymId, () => [{ type: 'activity', activity: workout }]);
    const createAndLeave = (name: string) =>
      act(maya, gymId, async ({ groups }) => {
        const { id } = await groups.create({ name });
        const left = { id, name, memberIds: [], memberCount: 0, joined: false };
        expect(await groups.leave(id)).toMatchObject(left);
      });
    for (let round = 0; round < 101; round += 1)
      await Promise.all(Array.from({ length: 10 }, (_, nth) => createAndLeave(`Club ${round} ${nth}`)));
    expect(await of().read(gymId)).toEqual({ groups: {}, activities: [workout] });
  });

  test('are at most ten for each founder', async () => {
    const [maya, leo, gymId] = [randomUUID(), randomUUID(), randomUUID()];
    const found = (by: string) =>
      act(by, gymId, ({ groups }) => groups.create({ name: `Club ${randomUUID()}` }));
    const clubs = [];
    for (let count = 0; count < 10; count += 1) clubs.push(await found(maya));
    await expect(found(maya)).rejects.toMatchObject({ code: 'CONFLICT' });
    await found(leo);
    const [first] = clubs.map(({ id }) => id) as [string];
    // A club that still has a member exists without its founder, and no longer counts for them.
    await act(leo, gymId, ({ groups }) => groups.join(first));
    await act(maya, gymId, ({ groups }) => groups.leave(first));
    await found(maya);
    await expect(found(maya)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  test('that have no member in the records are removed, with their feed entries, when the journal is read', async () => {
    const [maya, leo] = [randomUUID(), randomUUID()];
    const clubOf = (...memberIds: string[]): StoredGroup => ({
      id: randomUUID(),
      gymId: '',
      name: 'Early birds',
      createdBy: maya,
      memberIds,
      createdAt: workout.at,
    });
    const [dead, alive, left] = [clubOf(), clubOf(leo), clubOf(leo)];
    const founded = ({ id }: StoredGroup): Activity => ({
      ...workout,
      id,
      kind: 'GROUP_CREATED',
      squadId: null,
      groupId: id,
    });
    const gym: GymRecord = {
      groups: { [dead.id]: dead, [alive.id]: alive },
      activities: [founded(dead), workout, founded(alive)],
    };
    const loaded = [
      { type: 'snapshot' as const, gym },
      { type: 'founded' as const, group: left },
      { type: 'activity' as const, activity: founded(left) },
      { type: 'leftGroup' as const, groupId: left.id, userId: leo },
    ].reduce<GymRecord>(gyms.apply, gyms.empty(''));
    expect(loaded).toEqual({ groups: { [alive.id]: alive }, activities: [workout, founded(alive)] });
  });
});

describe('the feed entry of a club', () => {
  let platform: TestPlatform;
  beforeAll(async () => {
    platform = await startPlatform({
      services: ['identity', 'squad'],
      env: { GYM_URL: 'http://127.0.0.1:9' },
    });
  });
  afterAll(() => platform.stop());

  const rest = (by: Person, method: string, path: string, body?: object) =>
    platform.rest('squad', method, path, { token: by.token, ...(body && { body }) });

  test('is there as long as the viewer may see a member of the club', async () => {
    const [founder, member, viewer] = (await Promise.all([
      platform.register(),
      platform.register(),
      platform.register(),
    ])) as [Person, Person, Person];
    const { body: club } = await rest(founder, 'POST', '/groups', { name: `Club ${randomUUID()}` });
    await rest(member, 'POST', `/groups/${club.id}/join`);
    const isInFeed = async () =>
      (await rest(viewer, 'GET', '/feed')).body.some(({ id }: { id: string }) => id === club.id);
    await rest(member, 'POST', `/blocks/${viewer.id}`);
    expect(await isInFeed()).toBe(true);
    // If the entry stayed until the hidden member leaves, its end would reveal that member.
    await rest(founder, 'POST', `/groups/${club.id}/leave`);
    expect(await isInFeed()).toBe(false);
    await rest(member, 'DELETE', `/blocks/${viewer.id}`);
    expect(await isInFeed()).toBe(true);
    expect((await rest(member, 'POST', `/groups/${club.id}/leave`)).body).toMatchObject({ memberCount: 0 });
    expect(await isInFeed()).toBe(false);
  });
});
