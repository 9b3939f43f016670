import { describe, expect, it } from '@jest/globals';
import { addDays, dayOf } from '#server/calendar.ts';
import { eventually } from '../support/eventually.ts';
import { deploymentsIn } from './deployment-support.ts';
import { settled } from './support.ts';

const ZONE = 'Pacific/Kiritimati'; // UTC+14: its day is never that of UTC-12
const today = () => dayOf(new Date(), ZONE);

describe.each(['database', 'memory'])(
  'the nutrition goal and the profile of an onboarding in %s',
  (storage) => {
    const wizard = deploymentsIn(storage);
    const { deploy } = wizard;
    type Account = { id: string; token: string };

    const onboarded = async ({ token }: Account, timezone: string | undefined = ZONE) => {
      const { body } = await wizard.platform.rest('wizard', 'POST', '/', {
        token,
        body: { kind: 'MEMBER_ONBOARDING' },
      });
      const steps = {
        profile: { displayName: 'New Name', ...(timezone && { timezone }) },
        body: { heightCm: 170, weightKg: 60 },
        goals: { goals: ['strength'], firstVisit: false },
        nutrition: { calories: 2_200, protein: 110 },
        review: { confirmed: true },
      };
      for (const [step, data] of Object.entries(steps))
        await wizard.platform.rest('wizard', 'PUT', `/${body.id}`, { token, body: { step, data } });
      return body.id as string;
    };
    const setGoal = ({ token }: Account, body: object) =>
      wizard.platform.rest('nutrition', 'PUT', '/goals', { token, body });
    const goalsOf = async ({ token }: Account) =>
      (
        (await wizard.platform.rest('nutrition', 'GET', '/goals', { token })).body as Record<
          string,
          unknown
        >[]
      ).map(({ version: _version, ...goal }) => goal);
    const inZone = async (member: Account) => {
      await wizard.platform.rest('identity', 'PUT', '/profile', {
        token: member.token,
        body: { timezone: ZONE },
      });
      return member;
    };
    /** Makes the last action of a member's deployment fail with this SQLSTATE. */
    const failGoals = (userId: string, state: string) =>
      wizard.platform.sql(
        'identity',
        `create or replace function fail_goals_${state}() returns trigger language plpgsql as $$ begin
         raise exception 'refused' using errcode = '${state}'; end $$;
       create or replace trigger fail_goals before update on user_account for each row
         when (new.training_goals ->> 'goals' like '%strength%' and new.id = '${userId}') execute function fail_goals_${state}()`,
      );
    const REFUSED = '22003';
    const TEMPORARY = '53100';

    /** Deploys an onboarding that is refused after it has set the goal, and lets the member act before it is undone. */
    const undone = async (member: Account, meanwhile?: () => Promise<unknown>) => {
      const id = await onboarded(member);
      await failGoals(member.id, TEMPORARY);
      await deploy(id, member.token);
      await eventually(async () => {
        const { body } = await wizard.platform.rest('wizard', 'GET', `/${id}`, { token: member.token });
        return body.deployment.actions.some(
          ({ name, attempts }: { name: string; attempts: number }) => name === 'goals' && attempts > 0,
        );
      });
      await meanwhile?.();
      await failGoals(member.id, REFUSED);
      expect((await settled(wizard.platform, id)).deployment.status).toBe('UNDONE');
    };

    it("begin on the member's day, in the time zone of the onboarding or else of their profile", async () => {
      const [named, known] = [
        await wizard.platform.register(),
        await inZone(await wizard.platform.register()),
      ];
      for (const [member, timezone] of [
        [named, ZONE],
        [known, ''],
      ] as const) {
        const before = today();
        const id = await onboarded(member, timezone);
        await deploy(id, member.token);
        expect((await settled(wizard.platform, id)).status).toBe('DEPLOYED');
        const [goal] = await goalsOf(member);
        expect([before, today()]).toContain(goal?.from);
      }
    });

    it('are removed by an undo, and a goal that begins later does not become valid now', async () => {
      const member = await inZone(await wizard.platform.register());
      await setGoal(member, { calories: 3_000, from: addDays(today(), 7) });
      const before = await goalsOf(member);
      await undone(member);
      expect(await goalsOf(member)).toEqual(before);
    });

    it('are replaced by the goals of before by an undo: one from today, one that ended, and one from earlier', async () => {
      const [replaced, ended, earlier] = [
        await inZone(await wizard.platform.register()),
        await inZone(await wizard.platform.register()),
        await inZone(await wizard.platform.register()),
      ];
      const lastWeek = addDays(today(), -7);
      for (const member of [replaced, ended, earlier])
        await setGoal(member, { calories: 1_800, protein: 90, from: lastWeek });
      await setGoal(replaced, { calories: 1_900, fats: 60 });
      await wizard.platform.rest('nutrition', 'DELETE', '/goals', { token: ended.token });
      for (const member of [replaced, ended, earlier]) {
        const before = await goalsOf(member);
        let between: unknown;
        await undone(member, async () => {
          between = await goalsOf(member);
        });
        expect(between).not.toEqual(before);
        expect(await goalsOf(member)).toEqual(before);
      }
    });

    it('stay as the member has changed or deleted them before the undo', async () => {
      const [changed, deleted] = [
        await inZone(await wizard.platform.register()),
        await inZone(await wizard.platform.register()),
      ];
      for (const member of [changed, deleted])
        await setGoal(member, { calories: 1_800, from: addDays(today(), -7) });
      await undone(changed, () => setGoal(changed, { calories: 2_500 }));
      expect((await goalsOf(changed))[0]).toMatchObject({ calories: 2_500, until: null });
      await undone(deleted, () =>
        wizard.platform.rest('nutrition', 'DELETE', '/goals', { token: deleted.token }),
      );
      expect(await goalsOf(deleted)).toEqual([
        expect.objectContaining({ calories: 1_800, until: addDays(today(), -1) }),
      ]);
    });

    it('keep what the member has changed in the profile before the undo, and get their other values back', async () => {
      const member = await inZone(await wizard.platform.register());
      const profile = (body: object) =>
        wizard.platform.rest('identity', 'PUT', '/profile', { token: member.token, body });
      await profile({ displayName: 'Before', body: { heightCm: 150, weightKg: 50 } });
      await undone(member, () => profile({ displayName: 'Meanwhile', body: { weightKg: 71 } }));
      const { body } = await wizard.platform.rest('identity', 'GET', '/users/me', { token: member.token });
      expect(body).toMatchObject({
        displayName: 'Meanwhile',
        timezone: ZONE,
        body: { heightCm: 150, weightKg: 71 },
      });
    });
  },
);
