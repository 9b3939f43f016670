import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { TestPlatform } from '../../support/platform.ts';
import { graphClient, subscribed, type Person } from './people.ts';

/** Creates a squad with these participants; the first one is the host. @returns its id */
export async function squadOf(platform: TestPlatform, ...members: Person[]): Promise<string> {
  const [host, ...guests] = members as [Person, ...Person[]];
  const rest = (by: Person, path: string, body: object) =>
    platform.rest('squad', 'POST', path, { token: by.token, body });
  const { body: squad } = await rest(host, '/squads', {});
  for (const guest of guests) {
    expect((await rest(host, '/invites', { toUserId: guest.id, squadId: squad.id })).status).toBe(201);
    expect((await rest(guest, `/squads/${squad.id}/join`, {})).status).toBe(200);
  }
  return squad.id;
}

/**
 * What operations of REST and the graph answer to a user about a squad: a status or a code, `open` for a
 * subscription. `mine`: whether the squad is in the user's list.
 */
export async function squadSeenBy(
  platform: TestPlatform,
  by: Person,
  squadId: string,
): Promise<Record<string, unknown>> {
  const { token } = by;
  const at = `/squads/${squadId}`;
  const rest = (method: string, path: string, body?: object) =>
    platform.rest('squad', method, path, { token, ...(body && { body }) });
  const update = { eventId: randomUUID(), exerciseIndex: 0, setIndex: 0, phase: 'WORK' };
  const query = 'query($s: ID!) { squadSession(id: $s) { id } }';
  const client = graphClient(platform.url('squad'), token);
  const subscriptionCode = (field: string) =>
    subscribed(client, `subscription($s: ID!) { ${field}(squadId: $s) { id } }`, { s: squadId }).then(
      () => 'open',
      (error: { errors?: { extensions: { code: string } }[]; code?: string }) =>
        error.errors?.[0]?.extensions.code ?? error.code,
    );
  const found = {
    session: (await rest('GET', at)).status,
    events: (await rest('GET', `${at}/events`)).status,
    chat: (await rest('GET', `${at}/messages`)).status,
    writing: (await rest('POST', `${at}/messages`, { text: 'hello' })).status,
    workout: (await rest('POST', `${at}/workout`, update)).status,
    mine: (await rest('GET', '/squads')).body.map(({ id }: { id: string }) => id).includes(squadId),
    graph: (await platform.graph('squad', query, { s: squadId }, { token })).errors?.[0]?.extensions.code,
    updates: await subscriptionCode('squadUpdated'),
    messages: await subscriptionCode('squadMessageAdded'),
  };
  await client.dispose();
  return found;
}

/** The result of `squadSeenBy` for a user who is not a participant. */
export const NOT_VISIBLE = {
  session: 404,
  events: 404,
  chat: 404,
  writing: 404,
  workout: 404,
  mine: false,
  graph: 'NOT_FOUND',
  updates: 'NOT_FOUND',
  messages: 'NOT_FOUND',
};
