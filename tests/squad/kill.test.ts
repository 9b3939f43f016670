import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { SquadClient } from '../../subgraphs/squad/client/squad-client.socket.ts';
import { startPlatform } from '../support/platform.ts';
import { startProcess } from '../support/process.ts';

test('the service loses no acknowledged message or revision when it is killed, and opens every time', async () => {
  const platform = await startPlatform({ services: ['identity', 'content'] });
  const maya = await platform.register();
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  const url = `http://127.0.0.1:${port}`;
  const env = { ...platform.env, SQUAD_PORT: String(port), SQUAD_URL: url };
  const acknowledged: string[] = [];
  let revision = 0;
  let squadId = '';
  for (let life = 0; life < 4; life += 1) {
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
    const writing = [0, 1, 2].map(async (writer) => {
      for (let n = 0; ; n += 1) {
        if (writer === 0) {
          const update = {
            squadId,
            eventId: `${life} ${n}`,
            exerciseIndex: 0,
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
    await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 200));
    await service.end('SIGKILL');
    await socket.closed;
    await written;
  }
  expect(acknowledged.length).toBeGreaterThan(20);
  await platform.stop();
}, 90_000);
