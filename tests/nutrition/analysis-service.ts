import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import sharp from 'sharp';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { onThisMachine } from '../support/slow-machine.ts';

/** A server in place of the AI provider, with the parts of its protocol that the service uses. Tests set its answer. */
interface StandIn {
  url: string;
  requests: {
    url: string;
    key: string;
    body: {
      contents: { parts: { text?: string; inlineData?: { mimeType: string; data: string } }[] }[];
      generationConfig: { responseSchema: object; maxOutputTokens: number; thinkingConfig: object };
    };
  }[];
  answer: (res: ServerResponse) => void;
  stop(): Promise<void>;
}

export const json = (status: number, body: unknown) => (res: ServerResponse) =>
  void res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
export const says = (content: unknown) =>
  json(200, {
    candidates: [
      {
        content: {
          role: 'model',
          parts: [{ text: typeof content === 'string' ? content : JSON.stringify(content) }],
        },
        finishReason: 'STOP',
      },
    ],
  });
export const EGG = {
  name: 'Egg',
  grams: 50,
  calories: 78,
  protein: 6.3,
  carbs: 0.6,
  fats: 5.3,
  confidence: 0.9,
};

/** Starts the server, and sets the properties of `standIn`. The answer is one egg until a test sets another one. */
async function startStandIn(standIn: StandIn): Promise<void> {
  standIn.requests = [];
  standIn.answer = says({ items: [EGG], questions: [] });
  const server: Server = createServer((req: IncomingMessage, res: ServerResponse) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      standIn.requests.push({
        url: req.url ?? '',
        key: String(req.headers['x-goog-api-key']),
        body: JSON.parse(Buffer.concat(chunks).toString()),
      });
      standIn.answer(res);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  standIn.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  standIn.stop = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
}

/** The service with a stand-in for its AI provider, for all tests of a file. Before each test its circuit breaker is closed. */
export function analysisService(env: Record<string, string> = {}, options: { gateway?: boolean } = {}) {
  let platform: TestPlatform;
  let token: string;
  const standIn = {} as StandIn;
  const analyze = (prompt: string, headers: Record<string, string> = {}, caller = token) =>
    platform.rest('nutrition', 'POST', '/analyze', { token: caller, body: { prompt }, headers });
  beforeAll(async () => {
    await startStandIn(standIn);
    platform = await startPlatform({
      services: ['identity', 'nutrition'],
      ...options,
      env: {
        GEMINI_API_KEY: 'test-key',
        GEMINI_BASE_URL: standIn.url,
        GEMINI_TIMEOUT_MILLIS: String(onThisMachine(300)),
        GEMINI_RETRIES: '1',
        GEMINI_MAX_RETRY_WAIT_MILLIS: '300',
        GEMINI_BREAKER_MILLIS: '400',
        ...env,
      },
    });
    token = await platform.demo('leo@iron.test');
  });
  afterAll(async () => {
    await platform.stop();
    await standIn.stop();
  });
  beforeEach(async () => {
    // A success closes the breaker. While the breaker is open, requests fail, so they are repeated until it allows one.
    standIn.answer = says({ items: [], questions: [] });
    for (let { status } = await analyze('nothing'); status !== 200; { status } = await analyze('nothing'))
      await new Promise((resolve) => setTimeout(resolve, 20));
    standIn.requests = [];
  });
  afterEach(() => {
    standIn.answer = says({ items: [EGG], questions: [] });
  });
  return {
    standIn,
    analyze,
    rest: (method: string, path: string, body?: unknown) =>
      platform.rest('nutrition', method, path, { token, ...(body !== undefined && { body }) }),
    graph: (query: string, service: 'nutrition' | 'gateway' = 'nutrition') =>
      platform.graph(service, query, {}, { token }),
    entries: async () =>
      (await platform.rest('nutrition', 'GET', '/history/me?limit=200', { token })).body.length as number,
    platform: () => platform,
    token: () => token,
  };
}

export const picture = (width = 1_600, height = 1_200) =>
  sharp({ create: { width, height, channels: 3, background: '#a33' } })
    .jpeg()
    .toBuffer();

export const formOf = (files: Buffer[], fields: Record<string, string> = {}) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const file of files) form.append('image', new Blob([new Uint8Array(file)]), 'meal.jpg');
  return form;
};
