import { expect, test } from '@jest/globals';
import { freePort } from '#server/http/free-ports.ts';
import { SquadClient } from '../../subgraphs/squad/client/squad-client.socket.ts';
import { eventually } from '../support/eventually.ts';
import { startPlatform } from '../support/platform.ts';
import { exerciseOf } from './support/people.ts';
import { startProcess } from '../support/process.ts';

test('the service loses no acknowledged message or revision when it is killed, and starts again every time', async () => {
  const platform = await startPlatform({ services: ['identity', 'content'] });
  const maya = await platform.register();
  const { id: exerciseId } = await exerciseOf(platform);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { ...platform.env, SQUAD_PORT: String(port), SQUAD_URL: url };
  const acknowledged: string[] = [];
  let revision = 0;
  let squadId = '';
  /** Starts the service, and checks that everything is there that was acknowledged before the last kill. */
  const begin = async () => {
    const service = startProcess(['squad'], env);
    await service.printed(/is ready/);
    const socket = await SquadClient.connect({ url, token: maya.token });
    const authorization = { Authorization: `Bearer ${maya.token}`, 'Content-Type': 'application/json' };
    if (!squadId) {
      const answer = await fetch(`${url}/squads`, { method: 'POST', headers: authorization, body: '{}' });
      squadId = ((await answer.json()) as { id: string }).id;
    }
    const { session } = await socket.send('join_squad', { squadId });
    expect(session.revision).toBeGreaterThanOrEqual(revision);
    const answer = await fetch(`${url}/squads/${squadId}/messages?limit=200`, { headers: authorization });
    const present = new Set(((await answer.json()) as { id: string }[]).map(({ id }) => id));
    expect(acknowledged.slice(-150).filter((id) => !present.has(id))).toEqual([]);
    return { service, socket };
  };
  for (let life = 0; life < 4; life += 1) {
    const { service, socket } = await begin();
    const enough = Promise.withResolvers<void>();
    const atLeast = acknowledged.length + 5;
    const writing = [0, 1, 2].map(async (writer) => {
      for (let n = 0; ; n += 1) {
        if (acknowledged.length >= atLeast) enough.resolve();
        if (writer === 0) {
          const update = {
            squadId,
            eventId: `${life} ${n}`,
            exerciseIndex: 0,
            exerciseId,
            setIndex: 0,
            phase: 'WORK' as const,
          };
          revision = Math.max(revision, (await socket.send('update_workout', update)).revision);
        } else {
          acknowledged.push(
            (await socket.send('send_squad_message', { squadId, text: `${life} ${n}` })).message.id,
          );
        }
      }
    });
    const written = Promise.allSettled(writing);
    await enough.promise;
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 200));
    await service.end('SIGKILL');
    await socket.closed;
    await written;
  }
  const { service, socket } = await begin();
  expect(acknowledged.length).toBeGreaterThan(20);
  await socket.close();
  await service.end();
  await platform.stop();
});

test('a participant has one history row for a squad, with all acknowledged sets, whenever the service is killed', async () => {
  const platform = await startPlatform({ services: ['identity', 'content'] });
  const [maya, leo] = await Promise.all([platform.register(), platform.register()]);
  const { id: exerciseId } = await exerciseOf(platform);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { ...platform.env, SQUAD_PORT: String(port), SQUAD_URL: url };
  const call = async (by: { token: string }, method: string, path: string, body?: object) => {
    const headers = { Authorization: `Bearer ${by.token}`, 'Content-Type': 'application/json' };
    const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: answer.status, body: JSON.parse((await answer.text()) || 'null') };
  };
  const historyOf = async (person: { id: string; token: string }) =>
    (await call(person, 'GET', `/history/${person.id}`)).body as { squadId: string; sets: number }[];
  let squadId = '';
  let sets = 0;
  let acknowledged = 0;
  let setsAtLeaving = 0;
  /** Leo joins, does a set and leaves, again and again, until a request fails. */
  const train = async (): Promise<never> => {
    for (;;) {
      await call(maya, 'POST', '/invites', { toUserId: leo.id, squadId });
      await call(leo, 'POST', `/squads/${squadId}/join`);
      const setIndex = sets++;
      const done = await call(leo, 'POST', `/squads/${squadId}/workout`, {
        eventId: `set ${setIndex}`,
        exerciseIndex: 0,
        setIndex,
        exerciseId,
        phase: 'WORK',
        set: { reps: 5 },
      });
      if (done.status === 200) acknowledged += 1;
      if ((await call(leo, 'POST', `/squads/${squadId}/leave`)).status === 200) setsAtLeaving = acknowledged;
    }
  };
  for (let life = 0; life < 4; life += 1) {
    const service = startProcess(['squad'], env);
    await service.printed(/is ready/);
    squadId ||= (await call(maya, 'POST', '/squads', {})).body.id;
    await call(maya, 'POST', `/squads/${squadId}/start`);
    const rows = await historyOf(leo);
    expect(rows.length).toBe(setsAtLeaving > 0 ? 1 : rows.length);
    expect(rows.length).toBeLessThan(2);
    expect(rows[0]?.sets ?? 0).toBeGreaterThanOrEqual(setsAtLeaving);
    const acknowledgedBefore = acknowledged;
    const training = train().catch(() => undefined);
    await eventually(async () => acknowledged > acknowledgedBefore + 1);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 300));
    // The last kill comes while the end of the squad is written, which changes several journals.
    if (life === 3) void call(maya, 'POST', `/squads/${squadId}/end`).catch(() => undefined);
    if (life === 3) await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
    await service.end('SIGKILL');
    await training;
  }
  const service = startProcess(['squad'], env);
  await service.printed(/is ready/);
  await call(maya, 'POST', `/squads/${squadId}/end`);
  const { participants } = (await call(maya, 'GET', `/squads/${squadId}`)).body as {
    participants: { userId: string; setsDone: number }[];
  };
  const { setsDone } = participants.find(({ userId }) => userId === leo.id) ?? { setsDone: -1 };
  expect(setsDone).toBeGreaterThanOrEqual(acknowledged);
  expect(setsDone).toBeLessThanOrEqual(sets);
  expect(acknowledged).toBeGreaterThan(4);
  expect(await historyOf(leo)).toMatchObject([{ squadId, sets: setsDone }]);
  expect(await historyOf(maya)).toMatchObject([{ squadId, sets: 0 }]);
  await service.end();
  await platform.stop();
});
