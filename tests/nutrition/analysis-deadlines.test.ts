import { expect, test } from '@jest/globals';
import { analysisService, EGG, says } from './analysis-service.ts';

// The time limit of an attempt is long, so that only the client or the gateway can end the wait.
const service = analysisService(
  { GEMINI_TIMEOUT_MILLIS: '20000', SUBGRAPH_MUTATION_TIMEOUT_MILLIS: '1500' },
  { gateway: true },
);
const { standIn, analyze } = service;

/** Makes the provider not answer. @returns a promise that resolves when the connection of its next request is closed */
const silence = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  standIn.answer = (res) => void res.once('close', () => resolve());
  return promise;
};

test('if a client leaves, the request to the provider is aborted, which does not count as a failure', async () => {
  for (let time = 0; time < 6; time++) {
    const providerClosed = silence();
    const controller = new AbortController();
    const asked = standIn.requests.length;
    const call = fetch(`${service.platform().url('nutrition')}/analyze`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.token()}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ prompt: 'an egg' }),
      signal: controller.signal,
    });
    while (standIn.requests.length === asked) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    await expect(call).rejects.toThrow(/abort/i);
    await providerClosed;
  }
  standIn.answer = says({ items: [EGG], questions: [] });
  expect(await analyze('an egg')).toMatchObject({ status: 200 });
});

test('a caller with a shorter time limit gets an answer in that time, also with retries', async () => {
  standIn.answer = () => undefined;
  const answer = await service.graph(
    'mutation { analyzeFood(input: { prompt: "an egg" }) { provider } }',
    'gateway',
  );
  expect(answer.errors).toMatchObject([{ extensions: { code: 'AI_TIMEOUT', http: { status: 504 } } }]);
  // Callers with a short time limit do not open the circuit breaker for the others.
  for (let time = 0; time < 6; time++)
    expect(await analyze('an egg', { 'X-Time-Limit-Millis': '200' })).toMatchObject({
      status: 504,
      body: { code: 'AI_TIMEOUT' },
    });
  standIn.answer = says({ items: [EGG], questions: [] });
  expect(
    await service
      .platform()
      .rest('gateway', 'POST', '/nutrition/analyze', { token: service.token(), body: { prompt: 'an egg' } }),
  ).toMatchObject({ status: 200 });
});
