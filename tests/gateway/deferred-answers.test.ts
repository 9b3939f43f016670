import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import express, { type Response } from 'express';
import { buildSchema, type GraphQLError } from 'graphql';
import { TokenVerifier } from '#server/auth/token-verifier.ts';
import { RequestOrigins } from '#server/http/request-origin.ts';
import { requestContext } from '#server/http/request-context.ts';
import { createLogger } from '#server/observability/logger.ts';
import { createMetrics } from '#server/observability/metrics.ts';
import { PushIterator } from '#server/push-iterator.ts';
import { AnswerInParts } from '../../gateway/defer/answers-in-parts.ts';
import type { Delivery, DeferredRun } from '../../gateway/defer/deferred-run.ts';
import { DocumentCache } from '../../gateway/operations/document-cache.ts';
import { gatewaySettingsOf } from '../../gateway/settings.ts';
import { deferredAnswers } from '../../gateway/streams/deferred-answers.ts';
import { OpenStreams } from '../../gateway/streams/open-streams.ts';
import { ACCEPT_PARTS } from '../support/parts.ts';

const schema = buildSchema(
  'directive @defer(if: Boolean, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT type Query { now: Int }',
);
const URL_OF_QUERY = `/graphql?query=${encodeURIComponent('{ ... @defer { now } }')}`;

let server: http.Server;
let streams: OpenStreams;
/** Where the request waits until its client has left: before the handler, or while the handler begins the answer. */
let waits: 'before' | 'meanwhile';
let begun: number;
let ended: number;

beforeEach(async () => {
  begun = 0;
  ended = 0;
  const settings = gatewaySettingsOf({ DEMO: 'on' });
  const verifier = new TokenVerifier({ issuer: 'test', audience: 'test', keys: { get: async () => '' } });
  streams = new OpenStreams({ settings, verifier, metrics: createMetrics('gateway') });
  const app = express();
  const log = createLogger('gateway', 'silent');
  app.use(requestContext(log, new RequestOrigins([])));
  const untilLeft = async (res: http.ServerResponse): Promise<void> => {
    if (res.closed) return;
    const closed = once(res, 'close');
    server.emit('waiting');
    await closed;
  };
  let latest: Response;
  app.use('/graphql', async (_req, res, next) => {
    latest = res;
    if (waits === 'before') await untilLeft(res);
    next();
  });
  const handler = deferredAnswers(
    {
      documents: new DocumentCache(() => schema),
      shown: (error) => error as GraphQLError,
      async beginInParts() {
        begun += 1;
        await untilLeft(latest);
        const run = new PushIterator<Delivery>();
        run.add({ primary: { data: {}, errors: [] }, pending: [], parts: [], hasNext: true });
        return new AnswerInParts(run as unknown as DeferredRun, {
          context: {} as never,
          shown: ({ hasNext }) => ({ data: {}, hasNext }),
          onEnd: () => (ended += 1),
        });
      },
    },
    streams,
    [],
  );
  app.use('/graphql', async (req, res, next) => {
    await handler(req, res, next);
    server.emit('handled');
  });
  server = http.createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  await streams.close();
  server.close();
});

/** Sends the request, leaves when it waits, and returns when the handler is done. */
async function leave(): Promise<void> {
  const { port } = server.address() as AddressInfo;
  const waiting = once(server, 'waiting');
  const handled = once(server, 'handled');
  const leaving = http.get({ port, path: URL_OF_QUERY, headers: { accept: ACCEPT_PARTS['v0.2'] } });
  leaving.on('error', () => undefined);
  await waiting;
  leaving.destroy();
  await handled;
}

it('an answer in parts ends if its client has left while the answer began', async () => {
  waits = 'meanwhile';
  await leave();
  expect({ begun, ended }).toEqual({ begun: 1, ended: 1 });
});

it('an answer in parts does not begin if its client has left already', async () => {
  waits = 'before';
  await leave();
  expect({ begun, ended }).toEqual({ begun: 0, ended: 0 });
});
