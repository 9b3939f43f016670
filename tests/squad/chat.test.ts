import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { graphClient, socketOf, subscribed, type Person } from './support/people.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'squad'] });
});
afterAll(() => platform.stop());

const rest = (by: Person, method: string, at: string, body?: object) =>
  platform.rest('squad', method, at, { token: by.token, ...(body && { body }) });
const graph = (by: Person, query: string, variables: object) =>
  platform.graph('squad', query, variables, { token: by.token });
const admin = async (email: 'admin@iron.test' | 'admin@aqua.test' | 'super@demo.test'): Promise<Person> => ({
  id: '',
  token: await platform.demo(email),
});

/** A squad of two members, with a message of the first one. */
async function talk(text = 'a word too much') {
  const [maya, leo] = await Promise.all([platform.register(), platform.register()]);
  const { body: invite } = await rest(maya, 'POST', '/invites', { toUserId: leo.id });
  const { squadId } = invite;
  await rest(leo, 'POST', `/squads/${squadId}/join`);
  const { body: message } = await rest(maya, 'POST', `/squads/${squadId}/messages`, { text });
  return { maya, leo, squadId: squadId as string, message };
}

/** The text of all journal files of the service. */
async function stored(): Promise<string> {
  const entries = await readdir(path.join(platform.dataDir, 'squad'), {
    recursive: true,
    withFileTypes: true,
  });
  const files = entries.filter(({ name }) => name.endsWith('.jsonl'));
  return (
    await Promise.all(files.map(({ parentPath, name }) => readFile(path.join(parentPath, name), 'utf8')))
  ).join('\n');
}

const deletions: Record<
  string,
  (by: Person, squadId: string, messageId: string) => Promise<string | undefined>
> = {
  REST: async (by, squadId, messageId) =>
    (await rest(by, 'DELETE', `/squads/${squadId}/messages/${messageId}`)).body?.code,
  graph: async (by, squadId, messageId) =>
    (
      await graph(by, 'mutation($i: SquadMessageInput!) { deleteSquadMessage(input: $i) }', {
        i: { squadId, messageId },
      })
    ).errors?.[0]?.extensions.code,
  socket: async (by, squadId, messageId) => {
    const socket = await socketOf(platform, by);
    const code = await socket.send('delete_squad_message', { squadId, messageId }).then(
      () => undefined,
      (error: { code: string }) => error.code,
    );
    await socket.close();
    return code;
  },
};

describe.each(Object.entries(deletions))('a message that its author deletes by %s', (_door, remove) => {
  test('keeps its place, loses its text at all doors and on disk, and is sent to the listeners', async () => {
    const text = `a word too much ${Math.random()}`;
    const { maya, leo, squadId, message } = await talk(text);
    await rest(leo, 'POST', `/squads/${squadId}/messages`, { text: 'after it' });
    const socket = await socketOf(platform, leo);
    await socket.send('join_squad', { squadId, fromMessage: 2 });
    const client = graphClient(platform.url('squad'), leo.token);
    const added = await subscribed<{ squadMessageAdded: { id: string; deleted: boolean; text: string } }>(
      client,
      'subscription($s: ID!) { squadMessageAdded(squadId: $s) { id deleted text } }',
      { s: squadId },
    );
    expect(await remove(leo, squadId, message.id)).toBe('FORBIDDEN');
    expect(await stored()).toContain(text);
    expect(await remove(maya, squadId, message.id)).toBeUndefined();
    expect(await remove(maya, squadId, message.id)).toBeUndefined();
    const gone = { id: message.id, seq: 1, text: '', deleted: true };
    expect((await socket.next('squad_message', (data) => data.message.deleted)).message).toMatchObject(gone);
    expect(
      (await added.next(({ squadMessageAdded }) => squadMessageAdded.deleted)).squadMessageAdded,
    ).toEqual({ id: message.id, deleted: true, text: '' });
    expect((await rest(leo, 'GET', `/squads/${squadId}/messages`)).body).toMatchObject([
      { text: 'after it', deleted: false },
      gone,
    ]);
    expect(await stored()).not.toContain(text);
    const back = await socketOf(platform, leo);
    await back.send('join_squad', { squadId, fromMessage: 2 });
    expect((await back.next('squad_message')).message).toMatchObject(gone);
    await Promise.all([socket.close(), back.close(), client.dispose()]);
  });

  test('can be deleted after its author has left, and does not exist for users outside of the squad', async () => {
    const { maya, squadId, message } = await talk();
    const ida = await platform.register();
    await rest(maya, 'POST', `/squads/${squadId}/leave`);
    expect(await remove(ida, squadId, message.id)).toBe('NOT_FOUND');
    expect(await remove(maya, squadId, message.id)).toBeUndefined();
    expect(await remove(maya, message.id, message.id)).toBe('NOT_FOUND');
  });
});

describe('a message that a reader reports', () => {
  const reports: Record<
    string,
    (by: Person, squadId: string, messageId: string) => Promise<string | undefined>
  > = {
    REST: async (by, squadId, messageId) =>
      (await rest(by, 'POST', `/squads/${squadId}/messages/${messageId}/report`, { reason: 'rude' })).body
        .code,
    graph: async (by, squadId, messageId) =>
      (
        await graph(by, 'mutation($i: ReportSquadMessageInput!) { reportSquadMessage(input: $i) { text } }', {
          i: { squadId, messageId, reason: 'rude' },
        })
      ).errors?.[0]?.extensions.code,
    socket: async (by, squadId, messageId) => {
      const socket = await socketOf(platform, by);
      const code = await socket.send('report_squad_message', { squadId, messageId, reason: 'rude' }).then(
        () => undefined,
        (error: { code: string }) => error.code,
      );
      await socket.close();
      return code;
    },
  };

  test.each(Object.entries(reports))(
    'by %s is shown to the staff of the gym, once',
    async (_door, report) => {
      const text = `rude ${Math.random()}`;
      const { maya, leo, squadId, message } = await talk(text);
      const ida = await platform.register();
      expect(await report(ida, squadId, message.id)).toBe('NOT_FOUND');
      expect(await report(maya, squadId, message.id)).toBe('FORBIDDEN');
      await rest(leo, 'POST', `/squads/${squadId}/leave`); // Leo has read the message before.
      for (let time = 0; time < 2; time += 1) expect(await report(leo, squadId, message.id)).toBeUndefined();
      const { body: later } = await rest(maya, 'POST', `/squads/${squadId}/messages`, { text: 'later' });
      expect(await report(leo, squadId, later.id)).toBe('NOT_FOUND'); // This message was sent after Leo left.
      await rest(maya, 'DELETE', `/squads/${squadId}/messages/${message.id}`);
      const about = ({ messageId }: { messageId: string }) => messageId === message.id;
      const { body } = await rest(await admin('admin@iron.test'), 'GET', '/squad-reports');
      expect(body.filter(about)).toEqual([
        {
          squadId,
          messageId: message.id,
          reporterId: leo.id,
          authorId: maya.id,
          text,
          reason: 'rude',
          createdAt: expect.any(String),
        },
      ]);
      const { data } = await graph(
        await admin('super@demo.test'),
        'query($g: ID!) { squadReports(gymId: $g, first: 1) { nodes { messageId text reporter { id } author { id } } pageInfo { hasNextPage } } }',
        { g: DEMO_GYMS.ironTemple.id },
      );
      expect(data.squadReports.nodes).toEqual([
        { messageId: message.id, text, reporter: { id: leo.id }, author: { id: maya.id } },
      ]);
      expect(
        (await rest(await admin('admin@aqua.test'), 'GET', '/squad-reports')).body.filter(about),
      ).toEqual([]);
      expect((await rest(leo, 'GET', '/squad-reports')).body.code).toBe('FORBIDDEN');
    },
  );
});

test.each(['\u200B', ' \u2800\u200D ', '\u202Eabc', '\uD800'])(
  'a text is refused if it has no visible character, changes the reading direction or contains half a surrogate pair: %j',
  async (text) => {
    const { maya, squadId } = await talk();
    expect((await rest(maya, 'POST', `/squads/${squadId}/messages`, { text })).body).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ path: 'text' }],
    });
  },
);
