import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { DEMO_PASSWORD } from '#server/demo-ids.ts';
import { SERVICE_NAMES } from '#server/settings.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { selectsDuring } from '../support/statements.ts';

let platform: TestPlatform;
let maya: string;
beforeAll(async () => {
  platform = await startPlatform({ services: SERVICE_NAMES, gateway: true });
  maya = await platform.demo('maya@iron.test');
});
afterAll(() => platform.stop());

const graph = (query: string, token?: string, variables = {}) =>
  platform.graph('gateway', query, variables, token ? { token } : {});

describe('the graph at the gateway', () => {
  it('answers one operation from five services', async () => {
    const { data, errors } = await graph(
      '{ me { displayName role gym { name config { features } locations { name occupancy { people } } } nutritionDay { totals { calories } } presence { online } nextWorkout { title durationMinutes } trainingSummary(days: 7) { count minutes volumeKg streakWeeks } } workouts(first: 3) { nodes { title difficulty } } }',
      maya,
    );
    expect(errors).toBeUndefined();
    expect(data.me).toMatchObject({
      displayName: 'Maya',
      role: 'MEMBER',
      gym: { name: 'Iron Temple', locations: [{ name: 'Anvil' }, { name: 'Forge' }] },
      presence: { online: false },
      nextWorkout: { title: expect.any(String), durationMinutes: expect.any(Number) },
      trainingSummary: { count: expect.any(Number), streakWeeks: expect.any(Number) },
    });
    expect(data.me.trainingSummary.volumeKg).toBeGreaterThan(0);
    expect(data.workouts.nodes).toHaveLength(3);
  });

  it('runs mutations of four services in one operation, with the rights of the caller', async () => {
    const { data, errors } = await graph(
      `mutation {
        login(input: { email: "maya@iron.test", password: "${DEMO_PASSWORD}" }) { tokenType user { displayName } }
        createWizardSession(input: { kind: MEMBER_ONBOARDING }) { status createdBy }
        goOnline { online }
        createPost(input: { text: "Through the gateway" }) { author { displayName } }
      }`,
      maya,
    );
    expect(errors).toBeUndefined();
    expect(data).toMatchObject({
      login: { tokenType: 'Bearer', user: { displayName: 'Maya' } },
      createWizardSession: { status: 'DRAFT' },
      createPost: { author: { displayName: 'Maya' } },
    });
  });

  it('returns the error codes of services with the paths of the fields, and no addresses of services', async () => {
    const answer = await graph('mutation { updateGymConfig(input: { gymId: "x" }) { version } }', maya);
    expect(answer.errors).toMatchObject([
      { path: ['updateGymConfig'], extensions: { code: 'FORBIDDEN', http: { status: 403 } } },
    ]);
    const nested = await graph('{ gyms { slug locations { name } } }', maya);
    expect(
      nested.data.gyms.find(({ slug }: { slug: string }) => slug === 'iron-temple').locations,
    ).not.toBeNull();
    expect(nested.errors).toMatchObject([
      { path: ['gyms', 0, 'locations'], extensions: { code: 'FORBIDDEN' } },
    ]);
    expect(JSON.stringify(nested)).not.toMatch(/127\.0\.0\.1|node_modules|serviceName/);
  });

  it.each([
    ['a forged token', { authorization: 'Bearer a.b.c' }, '{ gyms { id } }', 401, 'UNAUTHENTICATED'],
    [
      'an operation that is too deep',
      {},
      `{ ${'gyms { locations { '.repeat(8)} id ${'}}'.repeat(8)} }`,
      400,
      'OPERATION_LIMIT_EXCEEDED',
    ],
    ['a syntax error', {}, '{ gyms', 400, 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', {}, '{ nothing }', 400, 'GRAPHQL_VALIDATION_FAILED'],
  ])('refuses %s', async (_what, headers, query, status, code) => {
    const answer = await platform.graph('gateway', query, {}, { headers });
    expect(answer).toMatchObject({ status, errors: [{ extensions: { code } }] });
  });

  it('returns the data of the other services while one is down, and all data when it is up again', async () => {
    const query = '{ me { displayName presence { online } } workouts(first: 1) { nodes { title } } }';
    const { port } = platform.running('squad');
    await platform.running('squad').stop();
    const partial = await graph(query, maya);
    expect(partial).toMatchObject({
      data: { me: { displayName: 'Maya', presence: null }, workouts: { nodes: [{}] } },
      errors: [{ message: expect.stringContaining('squad'), extensions: { code: 'UPSTREAM_UNAVAILABLE' } }],
    });
    expect(JSON.stringify(partial)).not.toContain(String(port));
    await platform.restart('squad');
    expect((await graph(query, maya)).errors).toBeUndefined();
  });

  it('reads a page of routines with their exercises in as many statements for 50 as for 5', async () => {
    const superAdmin = await platform.demo('super@demo.test');
    const { body: library } = await platform.rest('content', 'GET', '/exercises?limit=100');
    const lifts = library.filter(({ modality }: { modality: string }) => modality === 'WEIGHT_REPS');
    for (let i = 0; i < 50; i += 1) {
      const entries = [{ exerciseId: lifts[i % lifts.length].id, sets: [{ reps: 5 }] }];
      const body = {
        title: `Routine ${i}`,
        difficulty: 'Beginner',
        category: 'Page',
        exercises: [{ entries }],
      };
      await platform.rest('content', 'POST', '/workouts', { token: superAdmin, body });
    }
    const query =
      'query ($first: Int) { workouts(first: $first, category: "Page") { nodes { title exerciseList { name } } } }';
    const statements = async (first: number) => {
      const sent = await selectsDuring(async () => {
        const { data } = await graph(query, maya, { first });
        expect(data.workouts.nodes).toHaveLength(first);
        expect(data.workouts.nodes[0].exerciseList).toHaveLength(1);
      });
      return sent.filter((statement) => /workout|exercise/.test(statement)).length;
    };
    const five = await statements(5);
    expect(await statements(50)).toBe(five);
    expect(five).toBeLessThanOrEqual(3);
  });

  it('forwards the user agent of a log-in to identity', async () => {
    const login = `mutation { login(input: { email: "zoe@aqua.test", password: "${DEMO_PASSWORD}" }) { token } }`;
    const { data } = await platform.graph(
      'gateway',
      login,
      {},
      { headers: { 'user-agent': 'fitness-app/7' } },
    );
    const { body } = await platform.rest('identity', 'GET', '/auth/sessions', { token: data.login.token });
    expect(JSON.stringify(body)).toContain('fitness-app/7');
  });

  it('reads a page of posts with authors, gyms, likes and comments in as many statements for 50 as for 5', async () => {
    const leo = await platform.demo('leo@iron.test');
    for (let i = 0; i < 50; i += 1) {
      const { body: post } = await platform.rest('gym', 'POST', '/posts', {
        token: i % 2 ? maya : leo,
        body: { text: `Post ${i}` },
      });
      await platform.rest('gym', 'POST', `/posts/${post.id}/comments`, {
        token: i % 3 ? maya : leo,
        body: { text: 'Nice' },
      });
      await platform.rest('gym', 'PUT', `/posts/${post.id}/like`, { token: maya });
    }
    const query =
      'query ($first: Int) { posts(first: $first) { nodes { text author { displayName gym { name } } likes(first: 3) { displayName } comments(first: 2) { nodes { text author { displayName } } } } } }';
    const statements = async (first: number) => {
      const sent = await selectsDuring(async () => {
        const { data, errors } = await graph(query, maya, { first });
        expect(errors).toBeUndefined();
        expect(data.posts.nodes).toHaveLength(first);
        expect(data.posts.nodes[0]).toMatchObject({
          author: { displayName: expect.any(String), gym: { name: 'Iron Temple' } },
          comments: { nodes: [{ author: { displayName: expect.any(String) } }] },
        });
      });
      // Jobs of the services, which run in this process, send other statements meanwhile.
      return sent.filter((statement) => /\bpost|user_account/.test(statement)).length;
    };
    const five = await statements(5);
    expect(await statements(50)).toBe(five);
    expect(five).toBeGreaterThan(3);
    expect(five).toBeLessThanOrEqual(10);
  });
});

describe('REST at the gateway', () => {
  it.each(SERVICE_NAMES)('is the REST interface of %s, under its name', async (service) => {
    const direct = await platform.rest(service, 'GET', '/openapi.json');
    const through = await platform.rest('gateway', 'GET', `/${service}/openapi.json`);
    expect(through.body.components.schemas).toEqual(direct.body.components.schemas);
    expect(Object.keys(through.body.paths)).toEqual(Object.keys(direct.body.paths));
    expect(await platform.rest('gateway', 'GET', `/${service}/no/such/path`)).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
  });

  it('forwards bodies, tokens and request ids, and returns links with the prefix of the service', async () => {
    const { body } = await platform.rest('gateway', 'POST', '/identity/auth/login', {
      body: { email: 'maya@iron.test', password: DEMO_PASSWORD },
    });
    const answer = await platform.rest('gateway', 'GET', '/gym/posts?limit=1', {
      token: body.token,
      headers: { 'x-request-id': 'through-the-gateway' },
    });
    expect(answer.headers.get('x-request-id')).toBe('through-the-gateway');
    const next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1] ?? '';
    expect(next).toMatch(/^\/gym\/posts\?/);
    expect((await platform.rest('gateway', 'GET', next, { token: body.token })).status).toBe(200);
    expect(
      await platform.rest('gateway', 'POST', '/identity/auth/login', {
        body: '{bad',
        headers: { 'content-type': 'application/json' },
      }),
    ).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    expect(
      await platform.rest('gateway', 'POST', '/identity/auth/login', {
        body: `{"email":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
        headers: { 'content-type': 'application/json' },
      }),
    ).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', detail: expect.stringContaining('less nesting') },
    });
    expect(await platform.rest('gateway', 'GET', '/gym/locations')).toMatchObject({
      status: 401,
      body: { code: 'UNAUTHENTICATED' },
    });
  });

  it('answers 503 if a service is down', async () => {
    await platform.running('content').stop();
    expect(await platform.rest('gateway', 'GET', '/content/workouts')).toMatchObject({
      status: 503,
      body: { code: 'UPSTREAM_UNAVAILABLE' },
    });
    await platform.restart('content');
    expect((await platform.rest('gateway', 'GET', '/content/workouts')).status).toBe(200);
  });

  it('answers 404 for an unknown path that belongs to no service', async () => {
    expect(await platform.rest('gateway', 'GET', '/nothing')).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
  });

  it('forwards the raw socket of squad', async () => {
    const socket = new WebSocket(
      `${platform.url('gateway').replace('http', 'ws')}/squad/socket`,
      'squad.v1',
      { headers: { authorization: `Bearer ${maya}` } },
    );
    await new Promise((resolve, reject) => {
      socket.once('open', resolve).once('error', reject);
    });
    const acknowledged = new Promise<string>((resolve) => {
      socket.on('message', (data) => {
        const frame = JSON.parse((data as Buffer).toString()) as { event: string; id?: number };
        if (frame.id === 1) resolve(frame.event);
      });
    });
    socket.send(JSON.stringify({ event: 'user_online', data: {}, id: 1 }));
    expect(await acknowledged).toBe('ack');
    socket.close();
  });
});

describe('the pages of the gateway', () => {
  it('link the documents of all services, and show a demo account', async () => {
    const { body } = await platform.rest('gateway', 'GET', '/');
    for (const service of SERVICE_NAMES) expect(body).toContain(`href="${service}/docs"`);
    expect(body).toContain('maya@iron.test');
    expect(body).not.toMatch(/(src|href)="(https?:)?\/\//);
  });

  it('include the explorer, which loads nothing from other hosts', async () => {
    const { status, body } = await platform.rest('gateway', 'GET', '/explorer');
    expect(status).toBe(200);
    expect(body).not.toMatch(/(src|href)="?(https?:)?\/\//);
    const redirected = await fetch(`${platform.url('gateway')}/graphql`, {
      headers: { accept: 'text/html' },
      redirect: 'manual',
    });
    expect(redirected.headers.get('location')).toBe('/explorer');
  });
});
