import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { WebSocket } from 'ws';
import { SERVICE_NAMES, type ServiceName } from '#server/settings.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { subscribe } from '../support/subscribe.ts';

// oxlint-disable-next-line no-explicit-any -- the expectations check its shape
type Document = any;

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: SERVICE_NAMES, gateway: true });
});
afterAll(() => platform.stop());

const read = async (path: string): Promise<Document> => {
  const { status, body } = await platform.rest('gateway', 'GET', path);
  expect(status).toBe(200);
  return body;
};

const referencesIn = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : referencesIn(inner),
  );
};

const at = (document: Document, reference: string): unknown =>
  reference
    .replace(/^#\//, '')
    .split('/')
    .reduce((value, key) => value?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);

const brokenReferencesIn = (document: Document): string[] =>
  referencesIn(document).filter((reference) => at(document, reference) === undefined);

/** Returns a function that compiles a schema of the document by its JSON pointer. References are resolved in the document. */
const validatorFor = (document: Document) => {
  const ajv = addFormats.default(new Ajv2020({ strict: false }));
  ajv.addSchema({ $id: 'https://document.test/', ...document });
  return (pointer: string) => {
    const validate = ajv.getSchema(`https://document.test/${pointer}`);
    if (!validate) throw new Error(`the document has no ${pointer}`);
    return validate;
  };
};

const operationsOf = (document: Document) =>
  Object.entries<Document>(document.paths).flatMap(([path, item]) =>
    Object.entries<Document>(item).map(([method, operation]) => ({ path, method, operation })),
  );

describe('the merged OpenAPI document', () => {
  it('contains every operation of every service once, under its prefix', async () => {
    const merged = await read('/openapi.json');
    expect(merged).toMatchObject({ openapi: '3.1.0', servers: [{ url: platform.url('gateway') }] });
    expect(merged['x-services']).toEqual(SERVICE_NAMES.map((name) => ({ name, state: 'current' })));
    const there = new Set(operationsOf(merged).map(({ path, method }) => `${method} ${path}`));
    for (const service of SERVICE_NAMES) {
      const { body: own } = await platform.rest(service, 'GET', '/openapi.json');
      for (const { path, method } of operationsOf(own))
        expect(there).toContain(`${method} /${service}${path === '/' ? '' : path}`);
    }
    const ids = operationsOf(merged).map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const tags = merged.tags.map(({ name }: { name: string }) => name);
    expect(new Set(operationsOf(merged).flatMap(({ operation }) => operation.tags))).toEqual(new Set(tags));
    const grouped = merged['x-tagGroups'].flatMap((group: { tags: string[] }) => group.tags);
    expect(grouped.toSorted()).toEqual(tags.toSorted());
  });

  it('names the address of the request, also in its samples, as trusted proxies report it', async () => {
    const samples = (document: Document, path: string) =>
      document.paths[path].get['x-codeSamples'].map(({ source }: { source: string }) => source);
    const { host } = new URL(platform.url('gateway'));
    const [merged, proxied, direct, through] = await Promise.all([
      read('/openapi.json'),
      platform.rest('gateway', 'GET', '/openapi.json', {
        headers: {
          'x-forwarded-host': 'api.test',
          'x-forwarded-proto': 'https',
          'x-forwarded-prefix': '/v1',
        },
      }),
      platform.rest('gym', 'GET', '/openapi.json'),
      platform.rest('gateway', 'GET', '/gym/openapi.json'),
    ]);
    expect(proxied.body.servers).toEqual([{ url: 'https://api.test/v1' }]);
    expect(samples(proxied.body, '/gym/gyms')[0]).toBe("curl 'https://api.test/v1/gym/gyms'");
    expect(direct.body.servers).toEqual([{ url: platform.url('gym') }]);
    expect(through.body.servers).toEqual([{ url: `http://${host}/gym` }]);
    expect(samples(merged, '/gym/gyms')).toEqual([
      `curl 'http://${host}/gym/gyms'`,
      expect.stringContaining(`fetch('http://${host}/gym/gyms')`),
    ]);
    expect(samples(through.body, '/gyms')).toEqual(samples(merged, '/gym/gyms'));
    const tokenUrl = (document: Document) =>
      document.components.securitySchemes.machineClient.flows.clientCredentials.tokenUrl;
    expect(tokenUrl(merged)).toBe(`http://${host}/identity/auth/token`);
    expect(tokenUrl(through.body)).toBe(tokenUrl(merged));
    expect(tokenUrl(direct.body)).toBe(`${platform.url('identity')}/auth/token`);
  });

  it("has examples of the gateway's own operations, except for three, and the answers contain them", async () => {
    const merged = await read('/openapi.json');
    const own = operationsOf(merged).filter(({ operation }) =>
      ['Graph', 'Operation'].includes(operation.tags[0]),
    );
    const exampleOf = ({ operation }: (typeof own)[number]) =>
      operation.responses[200].content['application/json']?.example;
    for (const { path, method, operation } of own.filter((one) => exampleOf(one) !== undefined)) {
      const body = operation.requestBody?.content['application/json'].example;
      const answer = await platform.rest('gateway', method.toUpperCase(), path, body && { body });
      expect(answer).toMatchObject({ status: 200, body: exampleOf({ path, method, operation }) });
    }
    const withoutExample = own.filter((one) => exampleOf(one) === undefined).map(({ path }) => path);
    // Their answers are a text for Prometheus, this document, and the AsyncAPI document.
    expect(withoutExample).toEqual(['/metrics', '/openapi.json', '/asyncapi.json']);
  });

  it('has no broken reference, and only valid schemas that are used', async () => {
    const merged = await read('/openapi.json');
    expect(brokenReferencesIn(merged)).toEqual([]);
    const validator = validatorFor(merged);
    for (const name of Object.keys(merged.components.schemas))
      expect(typeof validator(`#/components/schemas/${name}`)).toBe('function');
    const used = new Set(referencesIn(merged));
    const unused = Object.keys(merged.components.schemas).filter(
      (name) => !used.has(`#/components/schemas/${name}`),
    );
    expect(unused).toEqual([]);
  });

  it('contains only operations that the gateway serves, with the status that an anonymous caller gets', async () => {
    const merged = await read('/openapi.json');
    const wrong: string[] = [];
    const ask = async ({ path, method, operation }: ReturnType<typeof operationsOf>[number]) => {
      const { status, body } = await platform.rest(
        'gateway',
        method.toUpperCase(),
        path.replaceAll(/\{\w+\}/g, randomUUID()),
        ['post', 'put', 'patch'].includes(method) && operation.requestBody?.content['application/json']
          ? { body: {} }
          : {},
      );
      const isServed = !String(body?.detail).startsWith('Nothing is served') && status !== 405;
      if (!isServed || !(status in operation.responses)) wrong.push(`${method} ${path}: ${status}`);
    };
    await Promise.all(operationsOf(merged).map(ask));
    expect(wrong).toEqual([]);
  });

  it('renames different components that have the same name', async () => {
    const { mergeOpenApi } = await import('../../gateway/api-documents/merge-openapi.ts');
    const documentOf = (service: ServiceName, schemas: object) => ({
      service,
      state: 'current' as const,
      document: {
        info: { title: service, description: '' },
        tags: [{ name: 'Things', description: 'Things of a service.' }],
        paths: {
          '/things': {
            get: {
              operationId: 'getThings',
              tags: ['Things'],
              responses: { 200: { schema: { $ref: '#/components/schemas/Outer' } } },
            },
          },
        },
        components: { schemas },
      },
    });
    const outer = { properties: { inner: { $ref: '#/components/schemas/Inner' } } };
    const merged: Document = mergeOpenApi({ info: { description: '' }, tags: [], paths: {} }, [
      documentOf('gym', { Outer: outer, Inner: { type: 'string' }, Same: { type: 'null' } }),
      documentOf('squad', { Outer: outer, Inner: { type: 'number' }, Same: { type: 'null' } }),
    ]);
    expect(Object.keys(merged.components.schemas).toSorted()).toEqual(
      ['Same', 'gym.Inner', 'gym.Outer', 'squad.Inner', 'squad.Outer'].toSorted(),
    );
    expect(merged.paths['/squad/things'].get).toMatchObject({
      operationId: 'squadGetThings',
      tags: ['Things'],
      responses: { 200: { schema: { $ref: '#/components/schemas/squad.Outer' } } },
    });
    expect(merged['x-tagGroups']).toEqual([{ name: 'All services', tags: ['Things'] }]);
    expect(brokenReferencesIn(merged)).toEqual([]);
  });

  it('uses the last known document of a service that is down', async () => {
    const before = await read('/openapi.json');
    await platform.running('squad').stop();
    const now = Date.now;
    const later = jest.spyOn(Date, 'now').mockImplementation(() => now() + 31_000); // after the documents have expired
    const during = await read('/openapi.json').finally(() => later.mockRestore());
    await platform.restart('squad');
    expect(during.paths).toEqual(before.paths);
    expect(during['x-services']).toContainEqual({
      name: 'squad',
      state: 'last known',
      readAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(during.info.description).toMatch(/the squad service does not answer/i);
  });
});

describe('the merged AsyncAPI document', () => {
  it('has the right address and protocol for every channel', async () => {
    const merged = await read('/asyncapi.json');
    expect(brokenReferencesIn(merged)).toEqual([]);
    const { host, protocol } = merged.servers.gateway;
    expect(`http://${host}`).toBe(platform.url('gateway'));
    const channels = Object.values<Document>(merged.channels);
    expect(channels.map(({ address }) => address)).toEqual(['/graphql', '/squad/socket']);
    for (const { address, bindings } of channels) {
      const expected = bindings.ws.headers.properties['Sec-WebSocket-Protocol'].const;
      const socket = new WebSocket(`${protocol}://${host}${address}`, expected);
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
      expect(socket.protocol).toBe(expected);
      socket.terminate();
    }
  });

  it('has an operation for every subscription, and the shape of the events of onlineUsersUpdated', async () => {
    const merged = await read('/asyncapi.json');
    const { data } = await platform.graph(
      'gateway',
      '{ schema: __schema { subscriptionType { fields { name } } } }',
    );
    for (const { name } of data.schema.subscriptionType.fields)
      expect(merged.operations).toHaveProperty(`graph_${name}`);
    const validate = validatorFor(merged)('#/components/messages/graph_next_onlineUsersUpdated/payload');
    const subscription = subscribe(
      platform.url('gateway'),
      'subscription { onlineUsersUpdated { seq users { since status user { displayName } } } }',
      {},
      await platform.demo('maya@iron.test'),
    );
    const payload = await subscription.next();
    await subscription.close();
    await validate({ type: 'next', id: '1', payload });
    expect(validate.errors).toBeNull();
  });

  it('has the shape of an error at the raw socket', async () => {
    const merged = await read('/asyncapi.json');
    const validate = validatorFor(merged)('#/components/messages/squad_error/payload');
    const socket = new WebSocket(`${platform.url('gateway').replace('http', 'ws')}/squad/socket`, 'squad.v1');
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send(JSON.stringify({ event: 'user_online', data: {}, id: 1 }));
    const frame = await new Promise<Buffer>((resolve) => socket.once('message', resolve));
    socket.terminate();
    await validate(JSON.parse(frame.toString()));
    expect(validate.errors).toBeNull();
  });

  it('is shown as an HTML page, and so is the OpenAPI document', async () => {
    const sockets = await platform.rest('gateway', 'GET', '/asyncapi');
    expect(sockets.body).toContain('squadInviteReceived');
    expect(sockets.body).toContain('send_squad_invite');
    expect(await platform.rest('gateway', 'GET', '/docs')).toMatchObject({ status: 200 });
  });
});
