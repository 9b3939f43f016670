import { randomUUID } from 'node:crypto';
import { DEMO_PASSWORD } from '#server/demo-ids.ts';
import type { ChaosClient, Request } from './client.ts';

/** A user of the run. The token is replaced before it expires. */
export interface Person {
  name: string;
  id: string;
  email: string;
  password: string;
  token: string;
  qrCode: string;
}

export interface World {
  client: ChaosClient;
  admin: Person;
  members: Person[];
  /** Two users for each pair that trains together. */
  pairs: (readonly [Person, Person])[];
  /** An account that several actors change at once. */
  shared: Person;
  locations: string[];
  challengeId: string;
  exerciseId: string;
  /** The text with which every text of the members begins. */
  mark: string;
  /** The posts that were acknowledged, the newest last. */
  posts: string[];
}

export const LOCATION_CAPACITY = 3;
const RENEW_TOKENS_MILLIS = 6 * 60_000; // access tokens are valid for 15 minutes

export async function makeWorld(
  client: ChaosClient,
  sizes: { members: number; pairs: number },
): Promise<World> {
  const must = async (request: Request, token = ''): Promise<Record<string, never> & { id: string }> => {
    const answer = await client.send(request, token);
    if (answer.status >= 300 || answer.status === 0)
      throw new Error(`The preparation failed: ${JSON.stringify([request, answer.status, answer.body])}`);
    return answer.body;
  };
  const admin = await logIn(client, 'admin', 'admin@iron.test', DEMO_PASSWORD);
  const me = await must({ method: 'GET', path: '/identity/users/me' }, admin.token);
  const { gymId } = me as unknown as { gymId: string };
  const register = async (name: string): Promise<Person> => {
    const email = `${name}-${randomUUID()}@example.test`;
    const password = `pass-${randomUUID()}`;
    const body = { email, password, displayName: name, gymId };
    await must({ method: 'POST', path: '/identity/auth/register', body });
    return logIn(client, name, email, password);
  };
  const people = (prefix: string, count: number): Promise<Person[]> =>
    Promise.all(Array.from({ length: count }, (_none, index) => register(`${prefix}${index}`)));
  const [members, hosts, guests, [shared]] = await Promise.all([
    people('member', sizes.members),
    people('host', sizes.pairs),
    people('guest', sizes.pairs),
    people('shared', 1),
  ]);
  const post = (path: string, body: object) => must({ method: 'POST', path, body }, admin.token);
  const location = (name: string) =>
    post('/gym/locations', { name, timezone: 'UTC', capacity: LOCATION_CAPACITY, maxStayMinutes: 600 });
  const locations = await Promise.all(['Chaos hall', 'Chaos cellar'].map(location));
  const challenge = await post('/gym/challenges', {
    title: 'Chaos',
    metric: 'CUSTOM',
    goal: 1_000_000,
    startsAt: new Date(Date.now() - 60_000).toISOString(),
    endsAt: new Date(Date.now() + 86_400_000).toISOString(),
  });
  for (const { token } of members)
    await must({ method: 'POST', path: `/gym/challenges/${challenge.id}/join` }, token);
  const exercises = (await must({ method: 'GET', path: '/content/exercises?limit=200' })) as unknown as {
    id: string;
    modality: string;
  }[];
  return {
    client,
    admin,
    members,
    pairs: hosts.map((host, index) => [host, guests[index]!] as const),
    shared: shared!,
    locations: locations.map(({ id }) => id),
    challengeId: challenge.id,
    exerciseId: exercises.find(({ modality }) => modality === 'WEIGHT_REPS')!.id,
    mark: `chaos ${randomUUID().slice(0, 8)}`,
    posts: [],
  };
}

async function logIn(client: ChaosClient, name: string, email: string, password: string): Promise<Person> {
  const answer = await client.send(
    { method: 'POST', path: '/identity/auth/login', body: { email, password } },
    '',
  );
  if (answer.status !== 200) throw new Error(`The log-in of ${email} failed: ${JSON.stringify(answer)}`);
  const { token, user } = answer.body as { token: string; user: { id: string; qrCode: string } };
  return { name, id: user.id, email, password, token, qrCode: user.qrCode };
}

/** Renews the tokens of all people from time to time, one after the other. Returns the function that stops it. */
export function keepTokensValid({ client, admin, members, pairs, shared }: World): () => void {
  const people = [admin, ...members, ...pairs.flat(), shared];
  const renew = async (person: Person): Promise<void> => {
    const renewed = await logIn(client, person.name, person.email, person.password).catch(() => undefined);
    if (renewed) person.token = renewed.token;
  };
  const timer = setInterval(() => {
    void (async () => {
      for (const person of people) await renew(person);
    })();
  }, RENEW_TOKENS_MILLIS);
  return () => clearInterval(timer);
}
