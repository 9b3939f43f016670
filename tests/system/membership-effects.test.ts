import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS, demoId } from '#server/demo-ids.ts';
import { claimsOf, loggedIn } from '../identity/support.ts';
import { eventually } from '../support/eventually.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { graphClient, socketOf, subscribed } from '../squad/support/people.ts';
import { squadOf } from '../squad/support/squads.ts';

/** The platform promises the effects of a change within this time. */
const PROMISED_MILLIS = 5_000;
const { ironTemple, aquaClub } = DEMO_GYMS;
const locationId = demoId('301', 1);

let platform: TestPlatform;
let staff: string;
let superAdmin: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym', 'squad'] });
  staff = await platform.demo('admin@iron.test');
  superAdmin = await platform.demo('super@demo.test');
});
afterAll(() => platform.stop());

const set = (userId: string, body: object) =>
  platform.rest('identity', 'PUT', `/users/${userId}/membership`, { token: staff, body });
const codeOf = async (userId: string): Promise<string> =>
  (await platform.sql('identity', 'select qr_code as "qrCode" from user_account where id = $1', [userId]))[0]
    .qrCode;
const checkIn = async (userId: string, token = staff) =>
  platform.rest('gym', 'POST', '/locations/check-in', {
    token,
    body: { qrCode: await codeOf(userId), locationId },
  });
const isInside = async (userId: string): Promise<boolean> =>
  (
    await platform.sql('gym', 'select 1 from check_in where user_id = $1 and checked_out_at is null', [
      userId,
    ])
  ).length > 0;

async function challengeOf(gymId: string): Promise<string> {
  const now = Date.now();
  const { body } = await platform.rest('gym', 'POST', '/challenges', {
    token: superAdmin,
    body: {
      gymId,
      title: 'Together',
      metric: 'CHECK_INS',
      goal: 5,
      startsAt: new Date(now - 3_600_000).toISOString(),
      endsAt: new Date(now + 3_600_000).toISOString(),
    },
  });
  return body.id as string;
}

describe('a membership that ends', () => {
  it.each([
    ['by its staff', (userId: string) => set(userId, { status: 'ENDED' })],
    [
      'by a move to another gym',
      (userId: string) =>
        platform.rest('identity', 'PUT', `/users/${userId}/gym`, {
          token: superAdmin,
          body: { gymId: aquaClub.id },
        }),
    ],
  ])(
    '%s ends visit, challenges, squads, presence, sockets, subscriptions and tokens within 5 s',
    async (_how, end) => {
      const [member, colleague] = [await platform.register(), await platform.register()];
      const challengeId = await challengeOf(ironTemple.id);
      await platform.rest('gym', 'POST', `/challenges/${challengeId}/join`, { token: member.token });
      expect((await checkIn(member.id)).status).toBe(201);
      const socket = await socketOf(platform, member);
      await socket.send('user_online', {});
      const squadId = await squadOf(platform, colleague, member);
      const graph = graphClient(platform.url('squad'), member.token);
      const atTheGym = graphClient(platform.url('gym'), member.token);
      const subscriptions = [
        await subscribed(graph, 'subscription { onlineUsersUpdated { seq } }'),
        await subscribed(
          atTheGym,
          'subscription($id: ID!) { occupancyChanged(locationId: $id) { people } }',
          {
            id: locationId,
          },
        ),
      ];
      const isOver = subscriptions.map(() => false);
      subscriptions.forEach(({ done }, index) => {
        const over = (): void => void (isOver[index] = true);
        done.then(over, over);
      });

      expect((await end(member.id)).status).toBe(200);
      const endsBy = Date.now() + PROMISED_MILLIS;
      const within = (ask: () => Promise<boolean>) => eventually(ask, endsBy - Date.now());
      await within(async () => !(await isInside(member.id)));
      await within(
        async () =>
          (
            await platform.sql('gym', 'select 1 from challenge_participant where challenge_id = $1', [
              challengeId,
            ])
          ).length === 0,
      );
      await within(async () => {
        const { body } = await platform.rest('squad', 'GET', `/squads/${squadId}`, {
          token: colleague.token,
        });
        return body.participants
          .filter(({ leftAt }: { leftAt?: string | null }) => !leftAt)
          .every(({ userId }: { userId: string }) => userId !== member.id);
      });
      await within(
        async () =>
          !(await platform.rest('squad', 'GET', '/online-users', { token: colleague.token })).body.some(
            ({ userId }: { userId: string }) => userId === member.id,
          ),
      );
      for (const [service, path] of [
        ['gym', '/locations'],
        ['squad', '/online-users'],
        ['identity', '/users/me'],
      ] as const)
        await within(
          async () => (await platform.rest(service, 'GET', path, { token: member.token })).status === 401,
        );
      expect((await socket.closed).code).toBe(4403);
      await within(async () => isOver.every(Boolean));
      await Promise.all([graph.dispose(), atTheGym.dispose()]);
    },
  );

  it('does not end a visit that the user began after they joined again', async () => {
    const member = await platform.register();
    const early = await platform.rest('identity', 'GET', `/users/${member.id}`, { token: staff });
    await set(member.id, { status: 'ENDED' });
    await set(member.id, { status: 'ACTIVE' });
    expect((await checkIn(member.id)).status).toBe(201);
    await platform.sql(
      'identity',
      `select graphile_worker.add_job('report_membership_end', json_build_object('userId', $1::text, 'gymId', $2::text, 'service', 'gym', 'endedAt', $3::text))`,
      [member.id, ironTemple.id, early.body.createdAt],
    );
    await eventually(
      async () =>
        (
          await platform.sql(
            'identity',
            `select 1 from graphile_worker._private_jobs where payload->>'userId' = $1 and run_at <= now()`,
            [member.id],
          )
        ).length === 0,
    );
    expect(await isInside(member.id)).toBe(true);
  });

  it('leaves nobody inside in the end, also if a check-in happens at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const member = await platform.register();
      const [entered, ended] = await Promise.all([checkIn(member.id), set(member.id, { status: 'ENDED' })]);
      expect(ended.status).toBe(200);
      expect([201, 403]).toContain(entered.status);
      // The second report of the end ends a check-in that was under way during the first one. Here the report is sent
      // at once.
      await platform.sql(
        'identity',
        `update graphile_worker._private_jobs set run_at = now() where payload->>'userId' = $1`,
        [member.id],
      );
      await eventually(async () => !(await isInside(member.id)));
    }
  });
});

describe('a check-in', () => {
  it.each([
    ['FROZEN', ironTemple.id],
    ['ENDED', null],
  ] as const)(
    'of a member whose membership is %s is refused, also with an override, and stored as a denial',
    async (status, gymId) => {
      const member = await platform.register();
      await set(member.id, { status, reason: 'Unpaid' });
      for (const override of [false, true]) {
        const refused = await platform.rest('gym', 'POST', '/locations/check-in', {
          token: staff,
          body: { qrCode: await codeOf(member.id), locationId, override },
        });
        expect([refused.status, refused.body.code]).toEqual([403, 'MEMBERSHIP_INACTIVE']);
      }
      const { token } = await loggedIn(platform, member);
      expect(claimsOf(token).gymId).toBe(gymId);
      expect((await checkIn(member.id, token)).body.code).toBe('MEMBERSHIP_INACTIVE');
      const { data, errors } = await platform.graph(
        'gym',
        'mutation In($input: CheckInInput!) { checkIn(input: $input) { id } }',
        { input: { qrCode: await codeOf(member.id), locationId } },
        { token: staff },
      );
      expect(data.checkIn).toBeNull();
      expect(errors).toMatchObject([{ extensions: { code: 'MEMBERSHIP_INACTIVE' } }]);
      const denials = await platform.sql('gym', 'select reason from check_in_denial where user_id = $1', [
        member.id,
      ]);
      expect(denials.map(({ reason }) => reason)).toEqual(Array(4).fill('MEMBERSHIP_INACTIVE'));
    },
  );

  it('is decided by the clock, even if the job that changes the status has not run yet', async () => {
    const member = await platform.register();
    await platform.sql(
      'identity',
      `update user_account set membership_until = now() - interval '1 second' where id = $1`,
      [member.id],
    );
    expect((await checkIn(member.id)).body.code).toBe('MEMBERSHIP_INACTIVE');
    await platform.sql(
      'identity',
      `update user_account set membership_status = 'FROZEN', membership_until = now() - interval '1 second' where id = $1`,
      [member.id],
    );
    expect((await checkIn(member.id)).status).toBe(201);
  });

  it('answers staff with the membership', async () => {
    const member = await platform.register();
    const until = new Date(Date.now() + 86_400_000).toISOString();
    await set(member.id, { status: 'ACTIVE', until, reason: 'Trial' });
    const { body } = await checkIn(member.id);
    expect(body.member.membership).toMatchObject({
      gymId: ironTemple.id,
      status: 'ACTIVE',
      until,
      reason: 'Trial',
    });
  });

  it('needs no ACTIVE membership for staff, and is refused with WRONG_GYM for members of another gym', async () => {
    const { body: admin } = await platform.rest('identity', 'GET', '/users/me', { token: staff });
    const frozen = await platform.rest('identity', 'PUT', `/users/${admin.id}/membership`, {
      token: superAdmin,
      body: { status: 'FROZEN' },
    });
    expect(frozen.status).toBe(200);
    expect([200, 201]).toContain((await checkIn(admin.id)).status);
    await platform.rest('identity', 'PUT', `/users/${admin.id}/membership`, {
      token: superAdmin,
      body: { status: 'ACTIVE' },
    });
    const swimmer = await platform.register(aquaClub.id);
    expect((await checkIn(swimmer.id)).body.code).toBe('WRONG_GYM');
  });
});
