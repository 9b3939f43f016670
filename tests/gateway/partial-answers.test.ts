import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SERVICE_NAMES, type ServiceName } from '#server/settings.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { subscribe } from '../support/subscribe.ts';
import { onThisMachine, withinOnThisMachine } from '../support/slow-machine.ts';

/** A query over five services, similar to the home query of README.md. */
const HOME =
  '{ me { displayName role gym { name config { theme features } locations { name capacity occupancy { people level } } } nutritionDay { totals { calories } } presence { online } } workouts(first: 3) { nodes { title difficulty } } }';
/** The paths that are null if a service does not answer. */
const LOST: Readonly<Partial<Record<ServiceName, readonly string[]>>> = {
  identity: ['me'],
  gym: ['me.gym'],
  nutrition: ['me.nutritionDay'],
  content: ['workouts'],
  squad: ['me.presence'],
};
const lostWithout = (service: ServiceName): readonly string[] => LOST[service] ?? [];
const TIMEOUT_MILLIS = onThisMachine(2_000);
/** The time that a busy machine may need in addition to the time limit. */
const MARGIN_MILLIS = 4_000;

let platform: TestPlatform;
let token: string;
// oxlint-disable-next-line no-explicit-any -- the expectations check its shape
let whole: any;
beforeAll(async () => {
  platform = await startPlatform({
    services: [...SERVICE_NAMES],
    gateway: true,
    env: { SUBGRAPH_TIMEOUT_MILLIS: String(TIMEOUT_MILLIS) },
  });
  token = await platform.demo('maya@iron.test');
  whole = (await platform.graph('gateway', HOME, {}, { token })).data;
});
afterAll(() => platform.stop());

/** The whole answer without the fields of the service. */
function without(service: ServiceName): object {
  const rest = structuredClone(whole);
  for (const path of lostWithout(service)) {
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    keys.reduce((value, key) => value[key], rest)[last] = null;
  }
  return rest;
}

async function expectTheOthers(service: ServiceName): Promise<void> {
  const overSocket = subscribe(platform.url('gateway'), HOME, {}, token);
  try {
    const startedAt = performance.now();
    const [byHttp, bySocket] = await Promise.all([
      platform.graph('gateway', HOME, {}, { token }),
      overSocket.next(),
    ]);
    expect(performance.now() - startedAt).toBeLessThan(TIMEOUT_MILLIS + withinOnThisMachine(MARGIN_MILLIS));
    expect(byHttp.status).toBe(200);
    for (const { data, errors = [] } of [byHttp, bySocket]) {
      expect(data).toEqual(without(service));
      expect(errors).toHaveLength(lostWithout(service).length);
      for (const error of errors) expect(error.extensions?.code).toMatch(/^UPSTREAM_(UNAVAILABLE|TIMEOUT)$/);
    }
  } finally {
    await overSocket.close();
  }
}

describe('the home query', () => {
  it('has all its fields while all services run', () => {
    expect(whole).toMatchObject({
      me: {
        displayName: expect.any(String),
        gym: { locations: expect.arrayContaining([expect.anything()]) },
        nutritionDay: expect.anything(),
        presence: expect.anything(),
      },
      workouts: { nodes: expect.arrayContaining([expect.anything()]) },
    });
  });

  it.each(SERVICE_NAMES)(
    'has the fields of the other services in time if %s is stopped, and if it hangs',
    async (service) => {
      const running = platform.running(service);
      await running.stop();
      await expectTheOthers(service);
      const hanging = await startHangingServer(running.port);
      try {
        await expectTheOthers(service);
      } finally {
        await hanging.close();
      }
      await platform.restart(service);
      await answersAgain(service);
    },
    120_000,
  );
});

describe('a field that the caller may not read', () => {
  it.each([
    ['{ workouts(first: 1) { nodes { title } } sessions { id } }', 'workouts', 'sessions'],
    ['{ gyms { name } users { nodes { id } } }', 'gyms', 'users'],
    ['{ muscles { name } onlineUsers { since } }', 'muscles', 'onlineUsers'],
    ['{ exercises(first: 1) { nodes { name } } locations { name } }', 'exercises', 'locations'],
    ['{ products(first: 1) { nodes { name } } nutritionGoals { calories } }', 'products', 'nutritionGoals'],
    ['{ foods(first: 1) { nodes { name } } wizardSessions { nodes { id } } }', 'foods', 'wizardSessions'],
  ])('does not make a public field null: %s', async (query, open, refused) => {
    const { status, data, errors } = await platform.graph('gateway', query);
    expect(status).toBe(200);
    expect(data[open]).not.toBeNull();
    expect(data[refused]).toBeNull();
    expect(errors).toMatchObject([{ path: [refused], extensions: { code: 'UNAUTHENTICATED' } }]);
  });
});

/** Waits until the fields of the service have values again: the breaker closes after the next probe is answered. */
async function answersAgain(service: ServiceName): Promise<void> {
  const until = Date.now() + 60_000;
  while (Date.now() < until) {
    const { data } = await platform.graph('gateway', HOME, {}, { token });
    if (lostWithout(service).every((path) => path.split('.').reduce((value, key) => value?.[key], data)))
      return;
    await new Promise((resolve) => {
      setTimeout(resolve, 200);
    });
  }
  throw new Error(`the gateway sends ${service} no more requests`);
}

/** A server that accepts connections and never answers. */
async function startHangingServer(port: number): Promise<{ close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
  });
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
