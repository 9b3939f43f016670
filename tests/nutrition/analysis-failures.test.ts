import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { analysisService, EGG, json, says } from './analysis-service.ts';

const service = analysisService();
const { standIn, analyze, entries } = service;

const quota = (retryDelay: string) =>
  json(429, {
    error: {
      code: 429,
      message: 'Quota exceeded',
      status: 'RESOURCE_EXHAUSTED',
      details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }],
    },
  });
const begins = (text: string) => (res: ServerResponse) =>
  void res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '5000' }).write(text);
const breaksAfter = (text: string) => (res: ServerResponse) => {
  begins(text)(res);
  setTimeout(() => res.destroy(), 50);
};
const ended = (finishReason: string) =>
  json(200, { candidates: [{ finishReason, content: { parts: [{ text: '{"items": []}' }] } }] });
test('an overloaded provider is asked again if it states a short time', async () => {
  let asked = 0;
  standIn.answer = (res) => (++asked === 1 ? quota('0.1s')(res) : says({ items: [EGG], questions: [] })(res));
  expect(await analyze('an egg')).toMatchObject({ status: 200, body: { total: { calories: 78 } } });
  expect(asked).toBe(2);
});

test.each<[string, (res: ServerResponse) => void, number, string]>([
  ['429 with a long RetryInfo', quota('7s'), 503, 'AI_UNAVAILABLE'],
  ['500', json(500, { error: { code: 500, message: 'Internal' } }), 503, 'AI_UNAVAILABLE'],
  [
    '503 with an HTML page',
    (res) => void res.writeHead(503, { 'Content-Type': 'text/html' }).end('<h1>down</h1>'),
    503,
    'AI_UNAVAILABLE',
  ],
  [
    'a key that is refused',
    json(400, {
      error: {
        code: 400,
        message: 'API key not valid.',
        status: 'INVALID_ARGUMENT',
        details: [{ reason: 'API_KEY_INVALID' }],
      },
    }),
    503,
    'AI_UNAVAILABLE',
  ],
  ['silence', () => undefined, 504, 'AI_TIMEOUT'],
  ['a connection that breaks', (res) => void res.destroy(), 503, 'AI_UNAVAILABLE'],
  ['200 without JSON', (res) => void res.writeHead(200).end('not json'), 503, 'AI_UNAVAILABLE'],
  [
    '200 with an HTML page',
    (res) => void res.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>hello</h1>'),
    503,
    'AI_UNAVAILABLE',
  ],
  ['silence after half of the body', begins('{"candidates": [{"content": {"par'), 504, 'AI_TIMEOUT'],
  [
    'a connection that breaks in the body',
    breaksAfter('{"candidates": [{"content": {"par'),
    503,
    'AI_UNAVAILABLE',
  ],
  [
    'JSON that is cut',
    (res) => void res.writeHead(200).end('{"candidates": [{"content": {"par'),
    503,
    'AI_UNAVAILABLE',
  ],
  ['an answer that is cut', says('{"items": [{"name": "Egg", "gra'), 503, 'AI_UNAVAILABLE'],
  ['an answer that reached its limit', ended('MAX_TOKENS'), 422, 'AI_UNUSABLE_ANSWER'],
  ['a text that is no JSON', says('sorry, I cannot'), 503, 'AI_UNAVAILABLE'],
  [
    'a prompt that was blocked',
    json(200, { promptFeedback: { blockReason: 'SAFETY' } }),
    422,
    'AI_UNUSABLE_ANSWER',
  ],
  [
    'an answer that was blocked',
    json(200, { candidates: [{ finishReason: 'SAFETY', content: { parts: [] } }] }),
    422,
    'AI_UNUSABLE_ANSWER',
  ],
  ['no candidates', json(200, {}), 503, 'AI_UNAVAILABLE'],
  ['no items', says({ questions: [] }), 503, 'AI_UNAVAILABLE'],
  ['items that are no list', says({ items: 'an egg' }), 503, 'AI_UNAVAILABLE'],
])(
  'the failure "%s" has its error code; no number is invented, and nothing is logged',
  async (_what, answer, status, code) => {
    standIn.answer = answer;
    const before = await entries();
    const rest = await analyze('an egg');
    expect(rest).toMatchObject({ status, body: { code, status } });
    expect(rest.body.detail).not.toMatch(/key|google|quota/i);
    const graph = await service.graph(
      'mutation { analyzeFood(input: { prompt: "an egg" }) { total { calories } } }',
    );
    expect(graph).toMatchObject({
      data: { analyzeFood: null },
      errors: [{ extensions: { code, http: { status } } }],
    });
    expect(await entries()).toBe(before);
  },
);

/** The tokens of new members. */
const callers = async (count: number) =>
  (await Promise.all(Array.from({ length: count }, () => service.platform().register()))).map(
    ({ token }) => token,
  );

test.each<[string, (res: ServerResponse) => void]>([
  ['silence after half of the body', begins('{"candidates"')],
  ['an answer that is cut', says('{"items": [{')],
])('%s counts as a failure of the provider, but only once for each caller', async (_what, answer) => {
  const [ana, ben, ...others] = await callers(6);
  standIn.answer = answer;
  for (let failure = 0; failure < 6; failure++)
    expect((await analyze('an egg', {}, ana)).status).toBeGreaterThan(500);
  expect(standIn.requests).toHaveLength(6);
  for (const other of others) await analyze('an egg', {}, other);
  expect(standIn.requests).toHaveLength(10);
  expect((await analyze('an egg', {}, ben)).status).toBe(503);
  expect(standIn.requests).toHaveLength(10);
  // While the breaker is open, the time-out of the same caller in a trial request does not prolong it for the others.
  await delay(450);
  await analyze('an egg', {}, ana);
  expect(standIn.requests).toHaveLength(11);
  standIn.answer = says({ items: [EGG], questions: [] });
  expect((await analyze('an egg', {}, ben)).status).toBe(200);
});

test('one caller whose meals have too many foods does not stop the analyses of the others', async () => {
  const [ana, ben] = await callers(2);
  standIn.answer = ended('MAX_TOKENS');
  for (let time = 0; time < 6; time++)
    expect(await analyze('egg, '.repeat(500), {}, ana)).toMatchObject({
      status: 422,
      body: { code: 'AI_UNUSABLE_ANSWER', detail: expect.stringContaining('fewer foods') },
    });
  standIn.answer = says({ items: [EGG], questions: [] });
  expect((await analyze('an egg', {}, ben)).status).toBe(200);
});

test('a response that is not of the provider counts as a failure whoever the caller is', async () => {
  standIn.answer = (res) => void res.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>');
  for (let failure = 0; failure < 5; failure++) await analyze('an egg');
  expect((await analyze('an egg')).status).toBe(503);
  expect(standIn.requests).toHaveLength(5);
});

test('after five failures the provider gets no requests for a time, then one trial request, then all', async () => {
  standIn.answer = json(401, {});
  for (let failure = 0; failure < 5; failure++) expect((await analyze('an egg')).status).toBe(503);
  expect(standIn.requests).toHaveLength(5);
  const refused = await analyze('an egg');
  expect(refused).toMatchObject({ status: 503, body: { code: 'AI_UNAVAILABLE' } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(standIn.requests).toHaveLength(5);
  standIn.answer = says({ items: [EGG], questions: [] });
  let last = await analyze('an egg');
  while (last.status !== 200) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    last = await analyze('an egg');
  }
  expect(standIn.requests).toHaveLength(6);
  expect((await analyze('an egg')).status).toBe(200);
});

test('if the provider cannot be reached, the answer is 503', async () => {
  await standIn.stop();
  expect(await analyze('an egg')).toMatchObject({ status: 503, body: { code: 'AI_UNAVAILABLE' } });
});
