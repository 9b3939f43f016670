import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { createLogger } from '#server/observability/logger.ts';
import { uuidv7 } from '#server/ids.ts';
import { squads } from '../../subgraphs/squad/squads/squad.journal.ts';
import { FileJournals } from '../../subgraphs/squad/storage/journal.file.ts';
import { eventually } from '../support/eventually.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { exerciseOf, type Person } from './support/people.ts';

/** If `DATABASE_URL` exists, squad stores its journals in PostgreSQL. Tests pass a database server of their own. */
const STORAGES = [
  ['files', {}],
  ['PostgreSQL', { DATABASE_URL: 'postgres://unused/postgres' }],
] as const;

describe.each(STORAGES)('with journals in %s', (_storage, env) => {
  let platform: TestPlatform;
  let exerciseId: string;
  beforeAll(async () => {
    platform = await startPlatform({ services: ['identity', 'gym', 'content', 'squad'], env });
    exerciseId = (await exerciseOf(platform)).id;
  });
  afterAll(() => platform.stop());

  const rest = (by: Person, method: string, path: string, body?: object) =>
    platform.rest('squad', method, path, { token: by.token, ...(body && { body }) });
  const trainingsOf = async (by: Person) =>
    (await platform.rest('content', 'GET', '/trainings', { token: by.token })).body;
  const historyOf = async (by: Person) => (await rest(by, 'GET', `/history/${by.id}`)).body;
  const done = async (
    by: Person,
    squadId: string,
    setIndex: number,
    set: object = { reps: 5, weightKg: 50 },
  ) => {
    const body = { eventId: randomUUID(), exerciseIndex: 0, setIndex, exerciseId, phase: 'REST', set };
    expect((await rest(by, 'POST', `/squads/${squadId}/workout`, body)).status).toBe(200);
  };
  const enter = async (host: Person, guest: Person, squadId: string) => {
    await rest(host, 'POST', '/invites', { toUserId: guest.id, squadId });
    expect((await rest(guest, 'POST', `/squads/${squadId}/join`)).status).toBe(200);
  };
  const open = async (host: Person): Promise<string> => (await rest(host, 'POST', '/squads', {})).body.id;
  const people = () => Promise.all([platform.register(), platform.register()]);
  const idsOf = (training: { entries: { sets: { id: string }[] }[] }) =>
    training.entries.flatMap(({ sets }) => sets.map(({ id }) => id));
  /** Waits until this version of the training of the user's only history row is written; returns the training. */
  const written = async (by: Person, version = 1) => {
    let training: Awaited<ReturnType<typeof trainingsOf>>[number];
    await eventually(async () => {
      [training] = await trainingsOf(by);
      const [row] = await historyOf(by);
      return training?.version === version && row?.trainingId === training.id;
    });
    return training;
  };

  test('a participant who leaves gets a training with their sets, and the sets of a later stay are added to it', async () => {
    const [host, guest] = await people();
    const squadId = await open(host);
    await enter(host, guest, squadId);
    await done(guest, squadId, 0);
    await done(guest, squadId, 1, { reps: 3 });
    await done(guest, squadId, 1, { reps: 4 });
    await rest(guest, 'POST', `/squads/${squadId}/leave`);
    const first = await written(guest);
    expect(first).toMatchObject({
      squadId,
      routineId: null,
      volumeKg: 250,
      entries: [
        {
          exerciseId,
          sets: [
            { reps: 5, weightKg: 50 },
            { reps: 4, weightKg: null },
          ],
        },
      ],
    });
    await enter(host, guest, squadId);
    await done(guest, squadId, 1, { reps: 6 });
    await done(guest, squadId, 2);
    await rest(host, 'POST', `/squads/${squadId}/end`);
    const second = await written(guest, 2);
    expect(second).toMatchObject({ id: first.id, volumeKg: 500 });
    expect(second.entries[0].sets.map(({ reps }: { reps: number }) => reps)).toEqual([5, 6, 5]);
    // The host has done no sets, so they have no training.
    expect(await trainingsOf(host)).toEqual([]);
    expect(await historyOf(host)).toMatchObject([{ squadId, sets: 0, trainingId: null }]);
  });

  test('a set that the user has deleted from their training does not come back with a later stay', async () => {
    const [host, guest] = await people();
    const squadId = await open(host);
    await enter(host, guest, squadId);
    await done(guest, squadId, 0);
    await done(guest, squadId, 1);
    await rest(guest, 'POST', `/squads/${squadId}/leave`);
    const first = await written(guest);
    const entries = [{ exerciseId, sets: [first.entries[0].sets[1]] }];
    const path = `/trainings/${first.id}`;
    expect(
      (await platform.rest('content', 'PUT', path, { token: guest.token, body: { entries } })).status,
    ).toBe(200);
    await enter(host, guest, squadId);
    await done(guest, squadId, 2);
    await rest(guest, 'POST', `/squads/${squadId}/leave`);
    expect(idsOf(await written(guest, 3))).toEqual([`0-1-${exerciseId}`, `0-2-${exerciseId}`]);
  });

  /** A guest with one set in a new squad. */
  const trained = async () => {
    const [host, guest] = await Promise.all([platform.register(), platform.register()]);
    const squadId = await open(host);
    await enter(host, guest, squadId);
    await done(guest, squadId, 0);
    return { host, guest, squadId };
  };
  const jobsOf = async (query: string) => {
    const token = await platform.demo('super@demo.test');
    return (await platform.rest('squad', 'GET', `/jobs?name=write_squad_training&${query}`, { token })).body;
  };

  test("the day of the training is the date in the user's time zone", async () => {
    const { guest, squadId } = await trained();
    const timezone = new Date().getUTCHours() < 11 ? 'Pacific/Pago_Pago' : 'Pacific/Kiritimati';
    await platform.rest('identity', 'PUT', '/profile', { token: guest.token, body: { timezone } });
    await rest(guest, 'POST', `/squads/${squadId}/leave`);
    const { startedAt, localDate } = await written(guest);
    expect(localDate).toBe(
      new Intl.DateTimeFormat('en-CA', { timeZone: timezone }).format(new Date(startedAt)),
    );
    expect(localDate).not.toBe(startedAt.slice(0, 10));
  });

  test('a member whose membership ends gets their training', async () => {
    const { guest } = await trained();
    const staff = await platform.demo('admin@iron.test');
    const body = { status: 'ENDED' };
    await platform.rest('identity', 'PUT', `/users/${guest.id}/membership`, { token: staff, body });
    const token = await platform.login(guest.email, guest.password);
    const trainings = await eventually(async () => {
      const found = await trainingsOf({ ...guest, token });
      return found.length > 0 && found;
    });
    expect(trainings).toMatchObject([{ entries: [{ sets: [{ reps: 5 }] }] }]);
  });

  test('the training is written also while the gym has switched content off, and readable when it is on again', async () => {
    const { guest, squadId } = await trained();
    const token = await platform.demo('super@demo.test');
    const switchContent = (on: boolean) =>
      platform.rest('gym', 'PUT', '/gym/config', {
        token,
        body: { gymId: DEMO_GYMS.ironTemple.id, features: { content: on } },
      });
    await switchContent(false);
    await eventually(async () => (await trainingsOf(guest)).code === 'FEATURE_DISABLED');
    await rest(guest, 'POST', `/squads/${squadId}/leave`);
    const row = await eventually(async () => {
      const [one] = await historyOf(guest);
      return one?.trainingId ? one : false;
    });
    await switchContent(true);
    const [training] = await eventually(async () => {
      const found = await trainingsOf(guest);
      return Array.isArray(found) && found;
    });
    expect(training.id).toBe(row.trainingId);
  });

  test('of an account that is deleted, no training and no job is left', async () => {
    const { guest, squadId } = await trained();
    await rest(guest, 'POST', `/squads/${squadId}/leave`);
    const { status } = await platform.rest('identity', 'DELETE', '/users/me', {
      token: guest.token,
      body: { password: guest.password },
    });
    expect(status).toBe(204);
    await eventually(async () =>
      (await jobsOf('')).every((job: { payload: object }) => !JSON.stringify(job).includes(guest.id)),
    );
    await eventually(async () => {
      const rows = await platform.sql('content', 'select 1 from training where user_id = $1', [guest.id]);
      return rows.length === 0;
    });
  });

  test('if content refuses a training, its job has failed, and operators can see and repeat it', async () => {
    const { guest, squadId } = await trained();
    const { port } = new URL(platform.url('content'));
    await platform.running('content').stop();
    const refusing = http.createServer((_request, response) => {
      response.writeHead(400, { 'Content-Type': 'application/problem+json' });
      response.end(JSON.stringify({ code: 'VALIDATION_FAILED', detail: 'not like this', status: 400 }));
    });
    await once(refusing.listen(Number(port), '127.0.0.1'), 'listening');
    await rest(guest, 'POST', `/squads/${squadId}/leave`);
    const [job] = await eventually(async () => {
      const failed = await jobsOf('failed=true');
      return failed.length > 0 && failed;
    });
    expect(job).toMatchObject({
      status: 'FAILED',
      attempts: 1,
      maxAttempts: 1,
      runAt: null,
      payload: { squadId, userId: guest.id },
      error: expect.stringContaining('not like this'),
    });
    expect(await jobsOf('failed=false')).toEqual([]);
    const metrics = await (await fetch(`${platform.url('squad')}/metrics`)).text();
    const labels = 'name="write_squad_training"';
    expect(metrics).toContain(`jobs_failed_total{${labels},service="squad"} 1`);
    expect(metrics).toContain(`job_duration_seconds_count{service="squad",${labels},outcome="failed"} 1`);
    refusing.closeAllConnections();
    await new Promise((resolve) => refusing.close(resolve));
    await platform.restart('content');
    const token = await platform.demo('super@demo.test');
    expect((await platform.rest('squad', 'POST', `/jobs/${job.id}/retry`, { token })).status).toBe(202);
    expect(await written(guest)).toMatchObject({ squadId });
    await eventually(async () => (await jobsOf('')).length === 0);
  });
});

test('the sets of a squad that nobody leaves become a training after 12 h without a change', async () => {
  const platform = await startPlatform({ services: ['identity', 'gym', 'content', 'squad'] });
  const { id: exerciseId } = await exerciseOf(platform);
  const person = await platform.register();
  await platform.running('squad').stop();
  const log = createLogger('squad', 'silent');
  const journals = new FileJournals({ folder: join(platform.dataDir, 'squad'), log });
  const id = uuidv7();
  const at = new Date(Date.now() - 13 * 3_600_000).toISOString();
  const { id: userId } = person;
  await journals.of(squads).change(id, () => [
    {
      type: 'created',
      id,
      gymId: DEMO_GYMS.ironTemple.id,
      hostId: userId,
      routineId: null,
      routineVersion: null,
      at,
    },
    {
      type: 'workout',
      userId,
      eventId: 'a',
      exerciseIndex: 0,
      setIndex: 0,
      exerciseId,
      phase: 'REST',
      set: { reps: 9 },
      restEndsAt: null,
      at,
    },
  ]);
  await journals.close();
  await platform.restart('squad');
  const [training] = await eventually(async () => {
    const { body } = await platform.rest('content', 'GET', '/trainings', { token: person.token });
    return body.length > 0 && body;
  });
  expect(training).toMatchObject({
    squadId: id,
    endedAt: at,
    minutes: 0,
    entries: [{ sets: [{ reps: 9 }] }],
  });
  await platform.stop();
});
