import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startOtherGraph, type OtherGraph } from '../support/other-graph.ts';

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@external", "@requires"])';
/** More representations than a merged request may have (250). */
const MANY = 300;

const person = (id: string) => ({ id });
let graph: OtherGraph;
beforeAll(async () => {
  graph = await startOtherGraph({
    boards: {
      typeDefs: `${LINK}
        type Query { board(guests: Int = 2, isOpen: Boolean = true): Board }
        type Board { owner: Person guests: [Person!]! tool: Tool }
        type Person @key(fields: "id") { id: ID! }
        type Tool @key(fields: "id") { id: ID! weight: Int! }`,
      resolvers: {
        Query: {
          board: (_: unknown, { guests, isOpen }: { guests: number; isOpen: boolean }) => ({
            owner: isOpen ? person('owner') : null,
            guests: Array.from({ length: guests }, (__, index) => person(`g${index}`)),
            tool: isOpen ? { id: 'saw', weight: 3 } : null,
          }),
        },
      },
    },
    facts: {
      typeDefs: `${LINK}
        type Query { unused: Int }
        type Person @key(fields: "id") { id: ID! score(times: Int = 1): Int friend: Person }
        type Tool @key(fields: "id") { id: ID! weight: Int! @external load: Int @requires(fields: "weight") }`,
      resolvers: {
        Person: {
          __resolveReference: ({ id }: { id: string }) => person(id),
          score({ id }: { id: string }, { times }: { times: number }) {
            if (id === 'g1') throw new Error('no score');
            return id.length * times;
          },
          friend: () => person('friend'),
        },
        Tool: {
          __resolveReference: (given: object) => given,
          load: ({ weight }: { weight: number }) => weight * 10,
        },
      },
    },
  });
});
afterAll(() => graph.stop());
afterEach(() => {
  graph.subgraph('facts').instead = undefined;
});

/** The number of requests that `facts` gets while `run` runs. */
async function requestsOf(run: () => Promise<unknown>): Promise<number> {
  const before = graph.subgraph('facts').requests;
  await run();
  return graph.subgraph('facts').requests - before;
}

/** Lets `answer` answer the requests to `facts`. @returns the list of their bodies, to which each request is added */
function answeredBy(answer: (body: Body) => object | undefined): Body[] {
  const bodies: Body[] = [];
  graph.subgraph('facts').instead = (req: IncomingMessage, res: ServerResponse) => {
    let text = '';
    req.on('data', (chunk) => (text += String(chunk)));
    req.on('end', () => {
      const body = JSON.parse(text) as Body;
      bodies.push(body);
      const answered = answer(body);
      if (answered) res.setHeader('content-type', 'application/json').end(JSON.stringify(answered));
      else res.destroy();
    });
  };
  return bodies;
}

interface Body {
  query: string;
  variables: Record<string, { id: string }[]>;
}

const isMerged = ({ query }: Body): boolean => query.includes('_entities0');
/** The answer to a fetch that is sent alone. */
const answerAlone = ({ variables }: Body): object => ({
  data: { _entities: (variables['representations'] ?? []).map(() => ({ score: 7, load: 8 })) },
});

describe('fetches of entities from one subgraph that start at the same time', () => {
  it('are one request, with the variables of each', async () => {
    const query =
      'query ($times: Int) { board { owner { score(times: $times) } guests { id twice: score(times: 2) } tool { load } } }';
    let answered: Awaited<ReturnType<OtherGraph['ask']>> | undefined;
    const requests = await requestsOf(async () => {
      answered = await graph.ask(query, { times: 3 });
    });
    expect(requests).toBe(1);
    expect(answered?.body).toMatchObject({
      data: {
        board: {
          owner: { score: 15 },
          guests: [
            { id: 'g0', twice: 4 },
            { id: 'g1', twice: null },
          ],
          tool: { load: 30 },
        },
      },
      errors: [{ path: ['board', 'guests', 1, 'twice'] }],
    });
    expect(answered?.body.errors).toHaveLength(1);
  });

  it('are not merged if only one of them has entities', async () => {
    const bodies = answeredBy(answerAlone);
    const { body } = await graph.ask(
      '{ board(isOpen: false, guests: 1) { owner { score } guests { score } tool { load } } }',
    );
    expect(body).toEqual({ data: { board: { owner: null, guests: [{ score: 7 }], tool: null } } });
    expect(bodies).toHaveLength(1);
    expect(bodies[0]?.query).not.toContain('_entities0');
  });

  it('are sent alone if together they have more than 250 entities', async () => {
    const query = `{ board(guests: ${MANY}) { owner { score(times: 2) } guests { score } } }`;
    expect(await requestsOf(() => graph.ask(query))).toBe(2);
  });

  it('are followed by the fetches that depend on them', async () => {
    const { body } = await graph.ask('{ board { owner { friend { id score } } tool { load } } }');
    expect(body).toEqual({
      data: { board: { owner: { friend: { id: 'friend', score: 6 } }, tool: { load: 30 } } },
    });
  });
});

describe('if the subgraph refuses a merged request', () => {
  const query = '{ board(guests: 1) { guests { score } owner { score } tool { load } } }';
  const complete = {
    data: { board: { guests: [{ score: 7 }], owner: { score: 7 }, tool: { load: 8 } } },
  };

  it('each fetch is sent alone, and after three refusals the fetches are no longer merged', async () => {
    const bodies = answeredBy((body) =>
      isMerged(body) ? { errors: [{ message: 'too many aliases' }] } : answerAlone(body),
    );
    for (let time = 0; time < 5; time += 1) expect((await graph.ask(query)).body).toEqual(complete);
    expect(bodies.filter(isMerged)).toHaveLength(3);
    expect(bodies.filter((body) => !isMerged(body))).toHaveLength(15);
  });

  it('a fetch fails only if the subgraph also refuses it alone', async () => {
    answeredBy((body) => {
      if (isMerged(body)) return { data: { _entities0: [{ score: 1 }], _entities1: null } };
      return body.variables['representations']?.[0]?.id === 'saw'
        ? { errors: [{ message: 'not tools', extensions: { code: 'FORBIDDEN' } }] }
        : answerAlone(body);
    });
    const { body } = await graph.ask(query.replace('tool', 'hammer: tool'));
    expect(body.data).toEqual({ board: { ...complete.data.board, tool: undefined, hammer: { load: null } } });
    expect(body.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  });
});

it('if the subgraph does not answer a merged request, each fetch has an error, and none is sent alone', async () => {
  const bodies = answeredBy(() => undefined);
  const { body } = await graph.ask('{ board(guests: 1) { guests { id score } owner { score } } }');
  expect(body.data).toEqual({ board: { guests: [{ id: 'g0', score: null }], owner: { score: null } } });
  expect(body.errors).toMatchObject([
    { extensions: { code: 'UPSTREAM_UNAVAILABLE' } },
    { extensions: { code: 'UPSTREAM_UNAVAILABLE' } },
  ]);
  expect(bodies.length).toBeLessThanOrEqual(2); // the request and its one retry
  expect(bodies.every(isMerged)).toBe(true);
});
