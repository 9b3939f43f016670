import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildSchema } from 'graphql';
import { createLogger } from '#server/observability/logger.ts';
import { SERVICE_NAMES } from '#server/settings.ts';
import { ANONYMOUS } from '#server/auth/viewer.ts';
import { toolDocument } from '../../gateway/agents/tool-documents.ts';
import { Tools } from '../../gateway/agents/tools.ts';
import { startPlatform, type TestPlatform, type Untyped } from '../support/platform.ts';
import { connectAgent, textOf, type Agent } from './support.ts';

/** How many calls with random arguments are made of each tool. */
const FUZZ_CALLS = Number(process.env.AGENT_FUZZ_CALLS ?? 3);

let platform: TestPlatform;
let maya: string;
let agent: Agent;
beforeAll(async () => {
  platform = await startPlatform({ services: SERVICE_NAMES, gateway: true });
  maya = await platform.demo('maya@iron.test');
  agent = await connectAgent(platform, maya);
});
afterAll(async () => {
  await agent.close();
  await platform.stop();
});

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

function send(init: { method?: string; body?: string; headers?: Record<string, string> } = {}) {
  return fetch(new URL('/mcp', platform.url('gateway')), {
    method: 'POST',
    body: init.method === 'GET' || init.method === 'DELETE' ? null : JSON.stringify(LIST),
    ...init,
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...init.headers,
    },
  });
}

describe('the endpoint', () => {
  it('answers a message with JSON, opens no session, and accepts only POST', async () => {
    const response = await send();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.headers.get('mcp-session-id')).toBeNull();
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const refused = await send({ method });
      expect(refused.status).toBe(405);
      expect(refused.headers.get('allow')).toBe('POST');
    }
  });

  it('refuses an invalid token, and says how to authenticate', async () => {
    const refused = await send({ headers: { Authorization: 'Bearer x.y.z' } });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBe('Bearer');
    expect(await refused.json()).toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('refuses pages of foreign origins', async () => {
    expect((await send({ headers: { Origin: 'https://evil.example' } })).status).toBe(403);
    expect((await send({ headers: { Origin: 'http://localhost:3000' } })).status).toBe(200);
  });

  it.each([
    ['a batch', JSON.stringify([LIST, LIST]), 400],
    ['text that is not JSON', '{', 400],
    ['JSON that is no message', '{"a": 1}', 400],
    ['a large body', JSON.stringify({ ...LIST, params: { text: 'x'.repeat(2_000_000) } }), 413],
  ])('refuses %s', async (_what, body, status) => {
    expect((await send({ body })).status).toBe(status);
  });

  it('refuses a client that does not accept the two media types of the protocol', async () => {
    expect((await send({ headers: { Accept: 'text/html' } })).status).toBe(406);
  });

  it('refuses an invalid Idempotency-Key', async () => {
    const refused = await send({ headers: { 'Idempotency-Key': 'k'.repeat(300) } });
    expect({ status: refused.status, body: await refused.json() }).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', detail: expect.stringContaining('Idempotency-Key') },
    });
  });
});

describe('a tool', () => {
  it('is listed with hints, and with a schema of its arguments and of their fields', async () => {
    const { tools } = await agent.client.listTools();
    expect(tools.length).toBeGreaterThanOrEqual(20);
    const book = tools.find(({ name }) => name === 'book_class');
    expect(book).toMatchObject({
      inputSchema: {
        type: 'object',
        properties: { sessionId: { type: 'string' } },
        required: ['sessionId'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
    });
    const log = tools.find(({ name }) => name === 'log_training') as Untyped;
    expect(log.inputSchema.properties.entries).toMatchObject({
      type: 'array',
      items: { properties: { sets: { items: { properties: { reps: { type: 'integer' } } } } } },
    });
    expect(log.inputSchema.properties.minutes.description).toEqual(expect.any(String));
  });

  it('refuses unknown and missing arguments with an error that an agent can act on', async () => {
    const unknown = await agent.client.callTool({ name: 'book_class', arguments: { session: '1' } });
    expect(unknown.isError).toBe(true);
    expect(JSON.parse(textOf(unknown))).toMatchObject({
      errors: [{ code: 'VALIDATION_FAILED', message: expect.stringContaining('sessionId') }],
    });
    const missing = await agent.client.callTool({ name: 'book_class', arguments: {} });
    expect(missing.isError).toBe(true);
    expect(textOf(missing)).toContain('sessionId');
  });

  it('that does not exist is refused with an error of the protocol', async () => {
    await expect(agent.client.callTool({ name: 'drop_tables' })).rejects.toThrow(
      'There is no tool "drop_tables".',
    );
  });

  it('runs a mutation once for two calls with one Idempotency-Key', async () => {
    const key = crypto.randomUUID();
    const call = async () => {
      const response = await send({
        headers: { Authorization: `Bearer ${maya}`, 'Idempotency-Key': key },
        body: JSON.stringify({
          ...LIST,
          method: 'tools/call',
          params: { name: 'log_food', arguments: { foodName: 'Egg', calories: 78 } },
        }),
      });
      return ((await response.json()) as Untyped).result.structuredContent.logFood.id as string;
    };
    expect(await call()).toBe(await call());
  });

  it('answers random arguments with data or an error, never with the error INTERNAL', async () => {
    const { tools } = await agent.client.listTools();
    for (const { name, inputSchema } of tools)
      for (let call = 0; call < FUZZ_CALLS; call += 1) {
        const args = randomArguments(Object.keys(inputSchema.properties ?? {}));
        const result = await agent.client.callTool({ name, arguments: args });
        expect({ name, args, text: textOf(result) }).not.toMatchObject({
          text: expect.stringContaining('INTERNAL'),
        });
      }
  });
});

const VALUES: readonly unknown[] = [
  null,
  '',
  'x',
  '\u0000',
  'a'.repeat(5_000),
  -1,
  1e308,
  0.5,
  true,
  [],
  {},
  [[]],
  { a: { b: {} } },
  '2026-02-30',
  'null',
];

const randomArguments = (names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    names
      .filter(() => Math.random() < 0.8)
      .map((name) => [name, VALUES[Math.floor(Math.random() * VALUES.length)]]),
  );

it('if a new graph lacks the fields of a tool, the tool is neither listed nor found', () => {
  const document = toolDocument('gyms', '# Lists gyms.\n#\n# Audience: anybody\nquery gyms { gyms }\n');
  const tools = new Tools([document], createLogger('test', 'silent'));
  tools.load(buildSchema('type Query { gyms: Int }'));
  expect(tools.listFor(ANONYMOUS)).toMatchObject([{ name: 'gyms', description: 'Lists gyms.' }]);
  tools.load(buildSchema('type Query { other: Int }'));
  expect(tools.listFor(ANONYMOUS)).toEqual([]);
  expect(tools.find('gyms')).toBeUndefined();
});

it.each([
  ['# Lists gyms.\nquery gyms { gyms }', 'expected an "Audience:"'],
  ['# Audience: anybody\nquery gyms { gyms }', 'Audience'],
  ['# Lists gyms.\n#\n# Audience: nobody\nquery gyms { gyms }', 'expected an audience of anybody'],
  ['# Lists gyms.\n#\n# Audience: anybody\nquery other { gyms }', 'with the name gyms'],
  ['# Lists gyms.\n#\n# Audience: anybody\nsubscription gyms { gyms }', 'a subscription is no tool'],
])('a file with this text is refused: %j', (text, reason) => {
  expect(() => toolDocument('gyms', text)).toThrow(reason);
});
