import http from 'node:http';
import https from 'node:https';
import type { EventShape } from '#server/events/events.shapes.ts';
import { Webhook as Signer } from 'standardwebhooks';
import { lookupFor, targetProblem } from './target.ts';

/** The time limit of an attempt, from the search for the address to the end of the answer. */
const TIMEOUT_MILLIS = 10_000; // 10 s
const MAX_ANSWER_BYTES = 1_024; // 1 KiB

export interface SentTo {
  url: string;
  /** The request has one signature by each secret. */
  secrets: readonly string[];
  /** Whether the URL may be http to this machine; only with demo data. */
  allowsLoopback: boolean;
}

export interface SendResult {
  /** Null if there was no answer. */
  statusCode: number | null;
  answer: string | null;
  /** Undefined if the event was received. */
  error: string | undefined;
  /** `Retry-After` of the answer, in milliseconds from now. */
  retryAfterMillis: number | undefined;
}

/**
 * Sends an event by the Standard Webhooks specification. Redirects are not followed. Never rejects.
 * @param stopped aborts if the server stops
 */
export async function send(event: EventShape, to: SentTo, stopped: AbortSignal): Promise<SendResult> {
  const problem = targetProblem(to.url, to.allowsLoopback);
  if (problem) return failure(`the URL is refused: ${problem}`);
  const late = AbortSignal.timeout(TIMEOUT_MILLIS);
  try {
    const { statusCode, headers, answer } = await post(event, to, AbortSignal.any([late, stopped]));
    const isReceived = statusCode >= 200 && statusCode < 300;
    return {
      statusCode,
      answer,
      error: isReceived ? undefined : errorOf(statusCode),
      retryAfterMillis: isReceived ? undefined : retryAfterOf(headers['retry-after']),
    };
  } catch (error) {
    return failure(
      late.aborted ? `no complete answer within ${TIMEOUT_MILLIS / 1_000} s` : (error as Error).message,
    );
  }
}

const failure = (error: string): SendResult => ({
  statusCode: null,
  answer: null,
  error: error.slice(0, 500),
  retryAfterMillis: undefined,
});

const errorOf = (statusCode: number): string =>
  statusCode >= 300 && statusCode < 400
    ? `answered ${statusCode}; redirects are not followed`
    : `answered ${statusCode}`;

interface Answer {
  statusCode: number;
  headers: http.IncomingHttpHeaders;
  answer: string;
}

function post(event: EventShape, { url: text, secrets }: SentTo, signal: AbortSignal): Promise<Answer> {
  const url = new URL(text);
  const body = JSON.stringify(event);
  const now = new Date();
  const signatures = secrets.map((secret) => new Signer(secret).sign(event.id, now, body));
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const request = (url.protocol === 'https:' ? https : http).request(
    url,
    {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'fitness-platform-webhooks/1',
        accept: '*/*',
        'webhook-id': event.id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
        'webhook-signature': signatures.join(' '),
      },
      agent: false, // a connection of its own for each attempt, so that its address is checked
      lookup: lookupFor(url, signal),
      signal,
    },
    (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      const end = (): void => {
        resolve({
          statusCode: response.statusCode ?? 0,
          headers: response.headers,
          answer: textOf(Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES)),
        });
        request.destroy();
      };
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes >= MAX_ANSWER_BYTES) end(); // the rest is not read
      });
      response.once('end', end);
      response.once('error', reject);
      response.once('aborted', () =>
        reject(new Error('the connection was closed in the middle of the answer')),
      );
    },
  );
  request.once('error', reject);
  request.end(body);
  return promise;
}

/** Replaces NUL characters, which PostgreSQL cannot store. */
const textOf = (bytes: Buffer): string => bytes.toString('utf8').replaceAll('\0', '\uFFFD');

const MAX_RETRY_AFTER_MILLIS = 86_400_000; // 24 h

/**
 * The milliseconds from now that `Retry-After` asks for, in seconds or as an HTTP date (RFC 9110, 10.2.3); undefined if it is
 * absent, invalid or over.
 */
function retryAfterOf(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const millis = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(millis) && millis > 0 ? Math.min(millis, MAX_RETRY_AFTER_MILLIS) : undefined;
}
