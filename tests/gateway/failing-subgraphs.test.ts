import type http from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startOtherGraph, type OtherGraph } from '../support/other-graph.ts';
import { onThisMachine, withinOnThisMachine } from '../support/slow-machine.ts';

const LINK = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])';

let graph: OtherGraph;
beforeAll(async () => {
  graph = await startOtherGraph(
    {
      people: {
        typeDefs: `${LINK} type Query { person: Person } type Mutation { rename: Person } type Person @key(fields: "id") { id: ID! name: String }`,
        resolvers: {
          Query: { person: () => ({ id: '1', name: 'Ann' }) },
          Mutation: { rename: () => ({ id: '1', name: 'Ann' }) },
        },
      },
      visits: {
        typeDefs: `${LINK} type Query { doors: Int } type Mutation { open: Int } type Person @key(fields: "id") { id: ID! visits: Int }`,
        resolvers: {
          Query: { doors: () => 3 },
          Mutation: { open: () => 1 },
          Person: { __resolveReference: () => ({ visits: 7 }) },
        },
      },
    },
    { SUBGRAPH_TIMEOUT_MILLIS: String(onThisMachine(400)) },
  );
});
afterAll(() => graph.stop());
beforeEach(async () => {
  // If the breaker is open, the next probe that the subgraph answers closes it, after 1.5 to 2.5 s.
  graph.subgraph('visits').instead = undefined;
  await healthy();
});

const QUERY = '{ person { name visits } }';
const kept: http.ServerResponse[] = [];

async function healthy(): Promise<void> {
  const until = Date.now() + 10_000;
  while (Date.now() < until) {
    const { body } = await graph.ask('{ doors }');
    if (body.data?.doors === 3) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  }
  throw new Error('the gateway sends the subgraph no more requests');
}

const FAULTS: [string, (req: http.IncomingMessage, res: http.ServerResponse) => void, string][] = [
  ['hangs', (_req, res) => void kept.push(res), 'UPSTREAM_TIMEOUT'],
  [
    'sends its answer without end',
    (_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      const drip = setInterval(() => res.write(' '), 50);
      res.once('close', () => clearInterval(drip));
    },
    'UPSTREAM_TIMEOUT',
  ],
  [
    'answers with a text that is not JSON',
    (_req, res) => void res.end('<html>secret-host</html>'),
    'UPSTREAM_UNAVAILABLE',
  ],
  [
    'answers with JSON that is not a GraphQL result',
    (_req, res) => void res.end('{"ok":true}'),
    'UPSTREAM_UNAVAILABLE',
  ],
  ['answers with data that is no object', (_req, res) => void res.end('{"data":5}'), 'UPSTREAM_UNAVAILABLE'],
  [
    'answers 500',
    (_req, res) => void res.writeHead(500).end('Error: at secret.js:1'),
    'UPSTREAM_UNAVAILABLE',
  ],
  [
    'closes in the middle of its answer',
    (_req, res) => {
      res.writeHead(200, { 'content-length': '1000' });
      res.write('{"data":');
      setImmediate(() => res.destroy());
    },
    'UPSTREAM_UNAVAILABLE',
  ],
  ['closes without an answer', (req) => void req.socket.destroy(), 'UPSTREAM_UNAVAILABLE'],
];

describe('a subgraph that', () => {
  it.each(FAULTS)('%s makes only its own fields null, within 3 s', async (_what, instead, code) => {
    graph.subgraph('visits').instead = instead;
    const { status, body, millis } = await graph.ask(QUERY);
    expect(status).toBe(200);
    expect(body.data).toEqual({ person: { name: 'Ann', visits: null } });
    expect(body.errors).toMatchObject([
      { message: expect.stringContaining('visits'), extensions: { code, retryAfterSeconds: 1 } },
    ]);
    expect(JSON.stringify(body)).not.toMatch(/secret|127\.0\.0\.1|stack|ECONN/);
    expect(millis).toBeLessThan(withinOnThisMachine(3_000));
  });

  it('fails once gets a query again, but not a mutation', async () => {
    const visits = graph.subgraph('visits');
    const failFirst = () => {
      const before = visits.requests;
      visits.instead = (req, res) => {
        if (visits.requests === before + 1) req.socket.destroy();
        else res.end('{"data":{"doors":3,"open":1}}');
      };
    };
    failFirst();
    expect((await graph.ask('{ doors }')).body).toEqual({ data: { doors: 3 } });
    failFirst();
    const before = visits.requests;
    expect((await graph.ask('mutation { open }')).body).toMatchObject({
      errors: [{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }],
    });
    expect(visits.requests).toBe(before + 1);
  });

  it('fails repeatedly gets no requests of clients until it answers a probe', async () => {
    const visits = graph.subgraph('visits');
    visits.instead = (req) => void req.socket.destroy();
    for (let i = 0; i < 12; i += 1) await graph.ask(QUERY);
    const before = visits.requests;
    const { body } = await graph.ask(QUERY);
    expect(visits.requests).toBe(before);
    expect(body).toMatchObject({
      data: { person: { name: 'Ann' } },
      errors: [{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }],
    });
    expect(await graph.metrics()).toMatch(
      /subgraph_requests_total\{[^}]*subgraph="visits",outcome="refused"[^}]*\} [1-9]/,
    );
    visits.instead = undefined;
    await healthy();
    expect((await graph.ask(QUERY)).body).toEqual({ data: { person: { name: 'Ann', visits: 7 } } });
  });

  it('does not answer 15 queries in time still gets the next one', async () => {
    const visits = graph.subgraph('visits');
    // The gateway's own probe is answered, so that it does not matter how long the machine needs for the 15 queries.
    visits.instead = (req, res) =>
      void text(req).then((body) =>
        body.includes('"{__typename}"') ? res.end('{"data":{"__typename":"Query"}}') : kept.push(res),
      );
    await Promise.all(
      Array.from({ length: 15 }, async (_, index) => {
        const { body } = await graph.ask(`query Slow${index} { doors }`);
        expect(body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
      }),
    );
    visits.instead = undefined;
    expect((await graph.ask('{ doors }')).body).toEqual({ data: { doors: 3 } });
  });

  it('answers 500 repeatedly gets no further requests', async () => {
    const visits = graph.subgraph('visits');
    visits.instead = (_req, res) => void res.writeHead(500).end('Error');
    for (let i = 0; i < 12; i += 1) await graph.ask(QUERY);
    const before = visits.requests;
    await graph.ask(QUERY);
    expect(visits.requests).toBe(before);
  });

  it('hangs does not delay the fields of other subgraphs', async () => {
    const medianMillis = async (): Promise<number> => {
      const answerMillis: number[] = [];
      for (let i = 0; i < 40; i += 1) answerMillis.push((await graph.ask('{ person { name } }')).millis);
      return answerMillis.toSorted((x, y) => x - y)[20] ?? 0;
    };
    const calm = await medianMillis();
    graph.subgraph('visits').instead = (_req, res) => void kept.push(res);
    let isOver = false;
    const hanging = Promise.all(Array.from({ length: 50 }, () => graph.ask(QUERY))).finally(() => {
      isOver = true;
    });
    const [first] = await Promise.all([graph.ask('{ person { name } }'), graph.ask('{ person { name } }')]);
    expect(first.body).toEqual({ data: { person: { name: 'Ann' } } });
    expect(isOver).toBe(false);
    if (process.env.SHOW_FIGURES)
      console.log(`calm ${calm.toFixed(1)} ms, beside 50 that hang ${(await medianMillis()).toFixed(1)} ms`);
    for (const { body } of await hanging) expect(body.data.person.name).toBe('Ann');
  });
});

describe('equal queries of one caller at the same time', () => {
  it('are sent once, and separately for another user agent', async () => {
    const visits = graph.subgraph('visits');
    const waiting: http.ServerResponse[] = [];
    let isReleased = false;
    const arrived = new Promise<void>((resolve) => {
      visits.instead = (_req, res) => {
        if (isReleased) return void res.end('{"data":{"doors":3}}');
        if (waiting.push(res) === 2) resolve();
      };
    });
    const before = visits.requests;
    const asked = Array.from({ length: 20 }, () => graph.ask('{ doors }'));
    const other = fetch(`${graph.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'another program' },
      body: '{"query":"{ doors }"}',
    });
    await arrived;
    isReleased = true;
    for (const res of waiting) res.end('{"data":{"doors":3}}');
    for (const { body } of await Promise.all(asked)) expect(body).toEqual({ data: { doors: 3 } });
    await other;
    // One request for each user agent, and perhaps one more for queries that began after the answer.
    expect(visits.requests - before).toBeGreaterThanOrEqual(2);
    expect(visits.requests - before).toBeLessThanOrEqual(4);
  });
});
