import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Migration } from '@mikro-orm/migrations';
import { buildSchema, graphql } from 'graphql';
import { ANONYMOUS } from '#server/auth/viewer.ts';
import { openDatabase, type DatabaseDeclaration } from '#server/database/database.ts';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import {
  answerOnce,
  resolveKeyedFieldsInSavepoints,
  inSavepointOf,
} from '#server/graphql/keyed-mutations.ts';
import { createLogger } from '#server/observability/logger.ts';
import { databaseIdempotency, keyedRequestLimiter } from '#server/rest/idempotency.database.ts';
import { NO_ORIGIN, UnitOfWork } from '#server/unit-of-work.ts';
import { eventually } from '../support/eventually.ts';
import { cloneDatabase } from '../support/database.ts';
import { pictures } from '../support/pictures.ts';
import { startPlatform, type RestAnswer, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({
    services: ['identity', 'gym', 'nutrition'],
    gateway: true,
    // Nothing listens there, so a request that needs the AI provider gets a 5xx.
    env: { GEMINI_API_KEY: 'none', GEMINI_BASE_URL: 'http://127.0.0.1:9', GEMINI_RETRIES: '0' },
  });
});
afterAll(() => platform.stop());

const LOG = 'mutation Log($input: LogFoodInput!) { logFood(input: $input) { id foodName } }';
const egg = (change: object = {}) => ({ input: { foodName: 'Egg', calories: 78, ...change } });
const newcomer = () => platform.register(DEMO_GYMS.ironTemple.id);
const entriesOf = async (userId: string): Promise<string[]> =>
  (
    await platform.sql('nutrition', 'select food_name from food_log where user_id = $1 order by food_name', [
      userId,
    ])
  ).map(({ food_name }) => food_name as string);
const isReplay = ({ headers }: RestAnswer): boolean => headers.get('idempotency-replayed') === 'true';
const codesOf = ({ body }: RestAnswer): string[] =>
  (body.errors ?? []).map(({ extensions }: { extensions: { code: string } }) => extensions.code);

describe.each(['nutrition', 'gateway'] as const)('a mutation with an Idempotency-Key to %s', (server) => {
  const send = (token: string | undefined, key: string, query: string, variables: object = {}) =>
    platform.rest(server, 'POST', '/graphql', {
      ...(token && { token }),
      headers: { 'idempotency-key': key },
      body: { query, variables },
    });

  it('is carried out once, and gets the same answer each time', async () => {
    const [{ id, token }, key] = [await newcomer(), randomUUID()];
    const first = await send(token, key, LOG, egg());
    expect(first).toMatchObject({ status: 200, body: { data: { logFood: { foodName: 'Egg' } } } });
    expect(isReplay(first)).toBe(false);
    // The third request uses the gateway's fast path, because the operation is prepared by then.
    for (const again of [await send(token, key, LOG, egg()), await send(token, key, LOG, egg())]) {
      expect(again).toMatchObject({ status: 200, body: first.body });
      expect(isReplay(again)).toBe(true);
      expect(again.headers.get('content-type')).toMatch(/^application\/json/);
    }
    expect(await entriesOf(id)).toEqual(['Egg']);
    const other = await send(token, randomUUID(), LOG, egg());
    expect(isReplay(other)).toBe(false);
    expect(await entriesOf(id)).toEqual(['Egg', 'Egg']);
  });

  it('is carried out once for any number of simultaneous requests', async () => {
    const [{ id, token }, key] = [await newcomer(), randomUUID()];
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(token, key, LOG, egg())));
    expect(new Set(answers.map(({ body }) => body.data.logFood.id)).size).toBe(1);
    expect(answers.filter(isReplay)).toHaveLength(19);
    expect(await entriesOf(id)).toEqual(['Egg']);
  });

  it('is refused with other variables, or another document', async () => {
    const [{ id, token }, key] = [await newcomer(), randomUUID()];
    await send(token, key, LOG, egg());
    for (const other of [
      await send(token, key, LOG, egg({ calories: 79 })),
      await send(token, key, LOG.replace('foodName', 'calories'), egg()),
      await send(token, key, 'mutation { deleteNutritionGoal(input: {}) }'),
    ])
      expect(codesOf(other)).toEqual(['IDEMPOTENCY_KEY_REUSED']);
    expect(await entriesOf(id)).toEqual(['Egg']);
  });

  it('can have the same key as a mutation of another caller', async () => {
    const [one, other, key] = [await newcomer(), await newcomer(), randomUUID()];
    await send(one.token, key, LOG, egg());
    expect(isReplay(await send(other.token, key, LOG, egg()))).toBe(false);
    expect(await entriesOf(other.id)).toEqual(['Egg']);
  });

  it('has the same answer again if the rules refused it, but not if it was UNAUTHENTICATED', async () => {
    const [{ token }, key] = [await newcomer(), randomUUID()];
    const missing = 'mutation { deleteFoodLog(input: { id: "01900000-0000-7000-8000-00000000dead" }) }';
    const refused = await send(token, key, missing);
    expect(codesOf(refused)).toEqual(['NOT_FOUND']);
    const again = await send(token, key, missing);
    expect(again.body).toEqual(refused.body);
    expect(isReplay(again)).toBe(true);
    const anonymous = randomUUID();
    for (const answer of [
      await send(undefined, anonymous, LOG, egg()),
      await send(undefined, anonymous, LOG, egg()),
    ])
      expect(isReplay(answer)).toBe(false);
  });

  it('carries out its other fields once if one is refused', async () => {
    const [{ id, token }, key] = [await newcomer(), randomUUID()];
    const query = `mutation { a: logFood(input: { foodName: "A", calories: 1 }) { foodName }
      b: deleteFoodLog(input: { id: "01900000-0000-7000-8000-00000000dead" })
      c: logFood(input: { foodName: "C", calories: 1 }) { foodName } }`;
    const first = await send(token, key, query);
    expect(first.body.data).toEqual({ a: { foodName: 'A' }, b: null, c: { foodName: 'C' } });
    const again = await send(token, key, query);
    expect(again.body).toEqual(first.body);
    expect(isReplay(again)).toBe(true);
    expect(await entriesOf(id)).toEqual(['A', 'C']);
  });

  it('writes nothing if one of its fields fails with a 5xx, and frees the key', async () => {
    const [{ id, token }, key] = [await newcomer(), randomUUID()];
    const query = `mutation { a: logFood(input: { foodName: "A", calories: 1 }) { foodName }
      b: analyzeFood(input: { prompt: "an egg" }) { provider } }`;
    for (const answer of [await send(token, key, query), await send(token, key, query)]) {
      expect(codesOf(answer)).toEqual(['AI_UNAVAILABLE', 'AI_UNAVAILABLE']);
      expect(answer.body.errors[1]).toMatchObject({
        path: ['a'],
        message: expect.stringContaining('undone'),
      });
      expect(answer.body.data?.a ?? null).toBeNull();
      expect(isReplay(answer)).toBe(false);
    }
    expect(await entriesOf(id)).toEqual([]);
  });

  it('refuses a malformed key, and ignores the header for queries', async () => {
    const { id, token } = await newcomer();
    expect(codesOf(await send(token, 'two words', LOG, egg()))).toEqual(['VALIDATION_FAILED']);
    expect(await entriesOf(id)).toEqual([]);
    const key = randomUUID();
    for (const answer of [
      await send(token, key, '{ nutritionGoals { calories } }'),
      await send(token, key, '{ nutritionGoals { version } }'),
    ])
      expect(answer.body).toEqual({ data: { nutritionGoals: [] } });
  });
});

describe('through the gateway, an Idempotency-Key', () => {
  const send = (token: string, key: string, query: string) =>
    platform.rest('gateway', 'POST', '/graphql', {
      token,
      headers: { 'idempotency-key': key },
      body: { query },
    });
  const BOTH = (post: string) => `mutation {
    a: logFood(input: { foodName: "A", calories: 1 }) { id }
    p: createPost(input: { text: "${post}" }) { id }
    b: logFood(input: { foodName: "B", calories: 1 }) { id }
    q: createPost(input: { text: "${post}" }) { id } }`;
  const postsOf = async (text: string): Promise<number> =>
    (await platform.sql('gym', 'select 1 from post where text = $1', [text])).length;

  it('counts for each field separately, also if the fields are of several services', async () => {
    const [{ id, token }, key, text] = [await newcomer(), randomUUID(), `Post ${randomUUID()}`];
    const first = await send(token, key, BOTH(text));
    expect(first.body.errors).toBeUndefined();
    const again = await send(token, key, BOTH(text));
    expect(again.body).toEqual(first.body);
    expect(isReplay(again)).toBe(true);
    expect(
      new Set(Object.values(first.body.data as Record<string, { id: string }>).map((one) => one.id)).size,
    ).toBe(4);
    expect(await entriesOf(id)).toEqual(['A', 'B']);
    expect(await postsOf(text)).toBe(2);
  });

  it('completes the part of a service that was down, and repeats nothing', async () => {
    const [{ id, token }, key, text] = [await newcomer(), randomUUID(), `Post ${randomUUID()}`];
    await platform.running('gym').stop();
    const first = await send(token, key, BOTH(text));
    expect(codesOf(first)).toEqual(['UPSTREAM_UNAVAILABLE', 'UPSTREAM_UNAVAILABLE']);
    await platform.restart('gym');
    const again = await send(token, key, BOTH(text));
    expect(again.body.errors).toBeUndefined();
    expect(again.body.data).toMatchObject({ a: first.body.data.a, b: first.body.data.b });
    expect(isReplay(again)).toBe(false);
    expect(isReplay(await send(token, key, BOTH(text)))).toBe(true);
    expect(await entriesOf(id)).toEqual(['A', 'B']);
    expect(await postsOf(text)).toBe(2);
  });

  it('distinguishes files', async () => {
    const [{ token }, key] = [await newcomer(), randomUUID()];
    const upload = async (file: Buffer) => {
      const form = new FormData();
      form.set(
        'operations',
        JSON.stringify({
          query: 'mutation ($file: Upload!) { uploadAvatar(file: $file) { avatar } }',
          variables: { file: null },
        }),
      );
      form.set('map', '{"0":["variables.file"]}');
      form.set('0', new Blob([new Uint8Array(file)]), 'me.png');
      return platform.rest('gateway', 'POST', '/graphql', {
        token,
        headers: { 'idempotency-key': key, 'apollo-require-preflight': 'true' },
        body: form,
      });
    };
    const [me, you] = [await pictures.normal('png'), await pictures.normal('png', 32, 32)];
    const first = await upload(me);
    expect(first.body.data.uploadAvatar.avatar).toEqual(expect.any(String));
    const again = await upload(me);
    expect(again.body).toEqual(first.body);
    expect(isReplay(again)).toBe(true);
    expect(codesOf(await upload(you))).toEqual(['IDEMPOTENCY_KEY_REUSED']);
  });

  it('is refused for a batch', async () => {
    const { token } = await newcomer();
    const answer = await platform.rest('gateway', 'POST', '/graphql', {
      token,
      headers: { 'idempotency-key': randomUUID() },
      body: [{ query: LOG, variables: egg() }],
    });
    expect(answer.status).toBe(400);
    expect(codesOf(answer)).toEqual(['VALIDATION_FAILED']);
  });

  it('has the same effect with an Idempotency-Scope from a client, because only the gateway sets this header', async () => {
    const [{ id, token }, key] = [await newcomer(), randomUUID()];
    const log = (scope: object) =>
      platform.rest('gateway', 'POST', '/graphql', {
        token,
        headers: { 'idempotency-key': key, ...scope },
        body: { query: LOG, variables: egg() },
      });
    await log({});
    for (const place of [0, 7]) {
      const again = await log({ 'idempotency-scope': `${place};${'0'.repeat(64)}` });
      expect({ status: again.status, replayed: isReplay(again) }).toEqual({ status: 200, replayed: true });
    }
    expect(await entriesOf(id)).toEqual(['Egg']);
  });
});

describe('requests with an Idempotency-Key', () => {
  it('leave database connections for other requests, however many keyed requests wait', async () => {
    const [{ token }, other] = [await newcomer(), await newcomer()];
    // The lock delays writes to food logs by 3 s.
    const held = platform.sql(
      'nutrition',
      'begin; lock table food_log_day in exclusive mode; select pg_sleep(3); commit',
    );
    const writes = Array.from({ length: 30 }, () =>
      platform.rest('nutrition', 'POST', '/log', {
        token,
        headers: { 'idempotency-key': randomUUID() },
        body: egg().input,
      }),
    );
    await eventually(async () => {
      const waiting = await platform.sql(
        'nutrition',
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return waiting.length >= 5;
    });
    const reads = async () => {
      for (let read = 0; read < 20; read++)
        expect((await platform.rest('nutrition', 'GET', '/goals', { token: other.token })).status).toBe(200);
      return 'answered';
    };
    expect(await Promise.race([held.then(() => 'the lock is gone'), reads()])).toBe('answered');
    expect((await Promise.all(writes)).map(({ status }) => status)).toEqual(Array(30).fill(201));
  });
});

describe('a keyed mutation with a field whose SQL statement fails', () => {
  it('writes the other fields, because each can be rolled back by itself', async () => {
    const declaration: DatabaseDeclaration = {
      name: 'platform_words',
      entities: [],
      migrations: [{ name: 'words', class: Words }],
    };
    const { server, name } = await cloneDatabase(declaration);
    const orm = await openDatabase(declaration, { server, name, migrate: false });
    const schema = buildSchema('type Query { nothing: Int } type Mutation { keep(word: String!): String }');
    resolveKeyedFieldsInSavepoints(schema);
    const log = createLogger('words', 'silent');
    const request = { caller: 'somebody', key: 'k', operation: 'POST /graphql', fingerprint: 'f' };
    const run = async () => {
      const unit = new UnitOfWork(orm, ANONYMOUS, log, NO_ORIGIN);
      const contextValue = { inSavepoint: inSavepointOf(unit) };
      const rootValue = {
        keep: async ({ word }: { word: string }) => {
          await unit.em.execute('insert into word values (?)', [word]); // the same word twice is refused
          return word;
        },
      };
      const source = 'mutation { a: keep(word: "one") b: keep(word: "one") c: keep(word: "two") }';
      return answerOnce(databaseIdempotency(unit, keyedRequestLimiter()), request, async () => ({
        status: 200,
        headers: {},
        body: JSON.stringify(await graphql({ schema, source, rootValue, contextValue })),
      }));
    };
    try {
      const first = await run();
      expect(JSON.parse(first.answer.body ?? '')).toMatchObject({ data: { a: 'one', b: null, c: 'two' } });
      const again = await run();
      expect(again).toEqual({ answer: first.answer, replayed: true });
      expect(await orm.em.fork().execute('select text from word order by text')).toEqual([
        { text: 'one' },
        { text: 'two' },
      ]);
    } finally {
      await orm.close(true);
    }
  });
});

class Words extends Migration {
  override up(): void {
    this.addSql('create table word (text text primary key)');
  }
}
