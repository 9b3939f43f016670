import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['gym'], gateway: true });
});
afterAll(() => platform.stop());

const problem = (status: number, code: string) => ({
  status,
  body: {
    type: expect.any(String),
    title: expect.any(String),
    status,
    detail: expect.any(String),
    instance: expect.any(String),
    code,
    requestId: expect.any(String),
  },
});

describe('the REST interface of a service', () => {
  it('answers an unknown path with 404 and a problem document', async () => {
    const answer = await platform.rest('gym', 'GET', '/nothing/here');
    expect(answer).toMatchObject(problem(404, 'NOT_FOUND'));
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
  });

  it('answers a wrong method with 405 and the allowed ones', async () => {
    const answer = await platform.rest('gym', 'DELETE', '/gyms');
    expect(answer).toMatchObject(problem(405, 'METHOD_NOT_ALLOWED'));
    expect(answer.headers.get('allow')).toBe('GET, POST, HEAD, OPTIONS');
    const throughPrefix = await platform.rest('gateway', 'DELETE', '/gym/gyms');
    expect(throughPrefix).toMatchObject(problem(405, 'METHOD_NOT_ALLOWED'));
    expect(throughPrefix.headers.get('allow')).toBe('GET, POST, HEAD, OPTIONS');
    expect(throughPrefix.body.instance).toBe('/gym/gyms');
  });

  it.each([101, 5_000, 400_000])('refuses JSON with %d levels', async (depth) => {
    const deep = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`.slice(0, 1_000_000);
    const body = depth > 150_000 ? '['.repeat(depth) : deep;
    const headers = { 'content-type': 'application/json' };
    expect(
      await platform.rest('gym', 'POST', '/graphql', {
        headers,
        body: `{"query":"{ __typename }","variables":${body}}`.slice(0, 1_000_000),
      }),
    ).toMatchObject({ status: 400, body: { errors: [{ extensions: { code: 'VALIDATION_FAILED' } }] } });
  });

  it('answers a request without a token with 401', async () => {
    const answer = await platform.rest('gym', 'GET', '/locations');
    expect(answer).toMatchObject(problem(401, 'UNAUTHENTICATED'));
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it.each(['Basic bWF5YTp4', 'Bearer', 'Bearer not-a-jwt', 'Bearer a.b.c', `Bearer ${'x'.repeat(5_000)}`])(
    'refuses the Authorization %j, even if none is needed',
    async (authorization) => {
      expect(await platform.rest('gym', 'GET', '/gyms', { headers: { authorization } })).toMatchObject(
        problem(401, 'UNAUTHENTICATED'),
      );
      expect(
        await platform.rest('gym', 'POST', '/graphql', {
          headers: { authorization },
          body: { query: '{ __typename }' },
        }),
      ).toMatchObject({ status: 401, body: { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] } });
    },
  );

  it('answers that a token cannot be checked while identity is down, and not that it is wrong', async () => {
    const [header, payload] = [{ alg: 'ES256', kid: 'some-key' }, { sub: 'x' }].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    );
    const answer = await platform.rest('gym', 'GET', '/locations', {
      token: `${header}.${payload}.c2ln`,
      headers: {},
    });
    expect([401, 503]).toContain(answer.status); // 401 if another identity service answers on the default port
    expect(answer.body.code).toBe(answer.status === 503 ? 'UPSTREAM_UNAVAILABLE' : 'UNAUTHENTICATED');
  });

  it('keeps a well-formed request id and replaces any other', async () => {
    expect(
      (await platform.rest('gym', 'GET', '/gyms', { headers: { 'x-request-id': 'abc-123' } })).headers.get(
        'x-request-id',
      ),
    ).toBe('abc-123');
    expect(
      (await platform.rest('gym', 'GET', '/gyms', { headers: { 'x-request-id': 'a b"c' } })).headers.get(
        'x-request-id',
      ),
    ).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('reports its version, its health and its metrics', async () => {
    expect((await platform.rest('gym', 'GET', '/gyms')).headers.get('api-version')).toBe('1');
    expect(await platform.rest('gym', 'GET', '/health/live')).toMatchObject({
      status: 200,
      body: { status: 'ok' },
    });
    expect(await platform.rest('gym', 'GET', '/health/ready')).toMatchObject({
      status: 200,
      body: { status: 'ok', checks: { database: 'ok' } },
    });
    expect((await platform.rest('gym', 'GET', '/metrics')).body).toMatch(
      /http_request_duration_seconds_count\{(?=[^}]*operation="GET \/gyms")(?=[^}]*service="gym")/,
    );
  });

  it('describes itself in OpenAPI 3.1', async () => {
    const { body } = await platform.rest('gym', 'GET', '/openapi.json');
    expect(body).toMatchObject({
      openapi: '3.1.0',
      servers: [{ url: platform.url('gym') }],
      paths: {
        '/gym/config/{gymId}': { get: { parameters: [{ name: 'gymId', in: 'path', required: true }] } },
      },
    });
    expect(Object.keys(body.info).toSorted()).toEqual([
      'contact',
      'description',
      'license',
      'title',
      'version',
    ]);
    expect(body.paths['/locations'].get).toMatchObject({
      operationId: 'listLocations',
      tags: ['Locations'],
      security: [{ accessToken: [] }, { machineClient: ['check-in'] }, { machineClient: ['occupancy:read'] }],
    });
  });

  it.each(['evil"},{"', 'a b', '{{server}}', ''])(
    'does not write the Host %j into its document',
    async (host) => {
      const { port } = new URL(platform.url('gym'));
      const body = await new Promise<string>((resolve, reject) => {
        http
          .get({ port, host: '127.0.0.1', path: '/openapi.json', headers: { host } }, (answer) => {
            let text = '';
            answer
              .setEncoding('utf8')
              .on('data', (part) => (text += part))
              .on('end', () => resolve(text));
          })
          .on('error', reject);
      });
      expect(JSON.parse(body).servers).toEqual([{ url: `http://127.0.0.1:${port}` }]);
    },
  );

  it('has a page that loads nothing from another host', async () => {
    const { body } = await platform.rest('gym', 'GET', '/docs');
    expect(body).not.toMatch(/(src|href)="(https?:)?\/\//);
    const assets = [...String(body).matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, path]) => `/${path}`);
    expect(assets).toEqual(['/docs/app/docs.css', '/docs/scalar.js', '/docs/app/docs.js']);
    for (const asset of assets) expect((await fetch(platform.url('gym') + asset)).status).toBe(200);
  });

  it('with demo data allows calls from pages of this machine, and no others', async () => {
    const allowed = await platform.rest('gym', 'GET', '/gyms', {
      headers: { origin: 'http://localhost:5173' },
    });
    expect(allowed.headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
    const foreign = await platform.rest('gym', 'GET', '/gyms', {
      headers: { origin: 'https://evil.example' },
    });
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('keeps running if a client disconnects in the middle of its body', async () => {
    const { hostname, port } = new URL(platform.url('gym'));
    const answer = await new Promise<number | undefined>((resolve) => {
      const request = http.request(
        {
          hostname,
          port,
          method: 'POST',
          path: '/graphql',
          headers: { 'content-type': 'application/json', 'content-length': '10' },
        },
        (response) => resolve(response.statusCode),
      );
      request.on('error', () => resolve(undefined));
      request.write('{"q');
      request.destroy();
    });
    expect(answer).toBeUndefined();
    expect((await platform.rest('gym', 'GET', '/health/live')).status).toBe(200);
  });
});

describe('the graph of a service', () => {
  it('refuses an operation that is too deep before it runs', async () => {
    const query = `{ gyms ${'{ locations '.repeat(30)} { id } ${'}'.repeat(30)} }`;
    expect(await platform.graph('gym', query)).toMatchObject({
      status: 400,
      errors: [{ extensions: { code: 'OPERATION_LIMIT_EXCEEDED' } }],
    });
  });

  it.each([
    ['{bad', 400],
    ['[]', 400],
    ['null', 400],
    ['"text"', 400],
    ['{"query": 7}', 400],
    ['{"query": "{ nothing }"}', 400],
    ['{}', 400],
  ])('answers the body %s with %i, and without a stack trace', async (body, status) => {
    const answer = await platform.rest('gym', 'POST', '/graphql', {
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.body)).not.toMatch(/node_modules|\.ts:/);
  });
});
