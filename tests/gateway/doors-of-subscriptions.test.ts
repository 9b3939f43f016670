import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { startPlatform, type TestAccount, type TestPlatform, type Untyped } from '../support/platform.ts';
import { openStream } from '../support/stream.ts';
import { subscribe } from '../support/subscribe.ts';

/** How many random histories are run. */
const RUNS = Number(process.env.DOOR_RUNS ?? 4);
const VISITS = 6;

let platform: TestPlatform;
let members: (TestAccount & { qrCode: string })[];
let staff: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'], gateway: true });
  staff = await platform.demo('admin@iron.test');
  members = await Promise.all(
    Array.from({ length: VISITS }, async () => {
      const member = await platform.register();
      const { body } = await platform.rest('identity', 'GET', '/users/me', { token: member.token });
      return { ...member, qrCode: body.qrCode as string };
    }),
  );
});
afterAll(() => platform.stop());

const QUERY = 'subscription ($id: ID!) { occupancyChanged(locationId: $id) { people location { id name } } }';

type Door = 'socket' | 'sse' | 'multipart';

interface Subscriber {
  next(): Promise<Untyped>;
  close(): unknown;
}

async function subscriber(door: Door, id: string, token: string): Promise<Subscriber> {
  const url = platform.url('gateway');
  if (door === 'socket') return subscribe(url, QUERY, { id }, token);
  const stream = await openStream(url, door, { query: QUERY, variables: { id }, token });
  return { next: () => stream.result(), close: () => stream.close() };
}

/** All results until the one with this number of people. */
async function resultsUntil(people: number, { next }: Subscriber): Promise<string[]> {
  const results: string[] = [];
  for (;;) {
    const result = await next();
    results.push(JSON.stringify(result));
    if (result.data?.occupancyChanged.people === people) return results;
  }
}

const joining = fc.record({
  door: fc.constantFrom<Door>('socket', 'sse', 'multipart'),
  /** The client subscribes after this number of visits, and this number of milliseconds. */
  visits: fc.integer({ min: 0, max: VISITS }),
  millis: fc.integer({ min: 0, max: 20 }),
  member: fc.integer({ min: 0, max: VISITS - 1 }),
  /** Whether the client leaves after its first result, and connects again. */
  returns: fc.boolean(),
});

it(
  'whenever and through whatever door a client subscribes, it gets the state, and then every later result once and in order',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(joining, { minLength: 4, maxLength: 16 }), async (clients) => {
        const { body } = await platform.rest('gym', 'POST', '/locations', {
          token: staff,
          body: { name: `Hall ${randomUUID()}`, timezone: 'UTC', capacity: VISITS },
        });
        const id = body.id as string;
        const first = await subscriber('socket', id, members[0]?.token ?? '');
        const all = resultsUntil(VISITS, first);
        const open: Subscriber[] = [first];
        const collected: Promise<string[]>[] = [];
        const join = async ({ door, millis, member, returns }: (typeof clients)[number]) => {
          await pause(millis);
          const connect = async (): Promise<Subscriber> => {
            const opened = await subscriber(door, id, members[member]?.token ?? '');
            open.push(opened);
            return opened;
          };
          const opened = await connect();
          if (!returns) return resultsUntil(VISITS, opened);
          await opened.next();
          opened.close();
          return resultsUntil(VISITS, await connect());
        };
        for (let visits = 0; visits <= VISITS; visits += 1) {
          for (const client of clients) if (client.visits === visits) collected.push(join(client));
          const member = members[visits];
          if (!member) break;
          const { status } = await platform.rest('gym', 'POST', '/locations/check-in', {
            token: member.token,
            body: { qrCode: member.qrCode, locationId: id },
          });
          expect(status).toBe(201);
        }
        const expected = await all;
        for (const results of await Promise.all(collected))
          expect(results).toEqual(expected.slice(expected.length - results.length));
        for (const one of open) one.close();
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: 50_000 * Math.max(1, RUNS / 4), endOnFailure: true },
    );
  },
  60_000 * Math.max(1, RUNS / 4),
);
