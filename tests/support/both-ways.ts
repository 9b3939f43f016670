import { isDeepStrictEqual } from 'node:util';
import { pino } from 'pino';
import type { ServiceName } from '#server/settings.ts';
import { eventually } from './eventually.ts';
import type { TestPlatform } from './platform.ts';
import { exchanged, type WireResponse } from './raw-exchange.ts';

/** One request, or several in one packet, as bytes on the wire. */
export interface SentRequest {
  readonly name: string;
  readonly bytes: Buffer;
  /** The methods of the requests in the bytes. */
  readonly methods: readonly string[];
  /** Whether the client closes the connection before the answer. */
  readonly leaves?: boolean;
}

interface RequestParts {
  method: string;
  target: string;
  headers?: readonly (readonly [name: string, value: string])[];
  /** Its `Content-Length` is sent, unless the headers say how the body is framed. */
  body?: string | Buffer | undefined;
  version?: '1.0' | '1.1';
}

export function wireRequest({ method, target, headers = [], body, version = '1.1' }: RequestParts): Buffer {
  const isFramed = headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name));
  const lines = [
    `${method} ${target} HTTP/${version}`,
    'Host: localhost',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body !== undefined && !isFramed ? [`Content-Length: ${Buffer.byteLength(body)}`] : []),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body ?? '')]);
}

type LogLine = Record<string, unknown>;

/** One of the two replicas, with the lines of its log. */
interface Way {
  readonly url: string;
  readonly lines: LogLine[];
}

const OWN_ID = /^X-Request-Id: (case-.*)/;

/** Two replicas of one service: one serves the usual requests without Express, the other one serves all with Express. */
export class BothWays {
  private readonly fast: Way;
  private readonly express: Way;
  private sent = 0;
  /** The ids of the requests that are logged. */
  private readonly ids = new Set<string>();

  private constructor(fast: Way, express: Way) {
    this.fast = fast;
    this.express = express;
  }

  static async of(platform: TestPlatform, service: ServiceName, rateLimits = false): Promise<BothWays> {
    const start = async (usesFastPath: boolean): Promise<Way> => {
      const lines: LogLine[] = [];
      const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
      const settings = {
        rateLimits,
        // The files of squad's journals belong to one process.
        ...(service === 'squad' && { dataDir: `${platform.dataDir}/${usesFastPath ? 'fast' : 'express'}` }),
      };
      const { url } = await platform.replica(service, undefined, { log, usesFastPath, settings });
      return { url, lines };
    };
    return new BothWays(await start(true), await start(false));
  }

  /** Sends the request both ways. Returns a description of each difference of the responses. */
  async differences(request: SentRequest): Promise<{ differences: string[]; responses: WireResponse[] }> {
    const id = `case-${(this.sent += 1)}`;
    const bytes = withRequestId(request.bytes, id);
    const send = ({ url }: Way, letter: string) =>
      exchanged(url, withLetter(bytes, letter), request.methods, { leaves: request.leaves ?? false });
    const fast = await send(this.fast, 'f');
    const express = await send(this.express, 'e');
    for (const header of express.flatMap(({ headers }) => headers)) {
      const own = OWN_ID.exec(header)?.[1];
      if (own) this.ids.add(own);
    }
    if (request.leaves) this.ids.add(id);
    return {
      differences: areEqual(fast, express) ? [] : [`${request.name} (${id})${described(fast, express)}`],
      responses: express,
    };
  }

  /** Differences of the log lines and metrics of all requests so far. */
  async recorded(): Promise<string[]> {
    const [fast, express] = [this.fast, this.express];
    const logged: string[] = [];
    for (const id of this.ids) {
      const lines = await Promise.all([lineOf(fast, id), lineOf(express, id)]);
      if (!isDeepStrictEqual(...lines)) logged.push(`log: ${JSON.stringify(lines)}`);
    }
    const [errors, expected] = [errorsIn(fast), errorsIn(express)];
    if (!isDeepStrictEqual(errors, expected)) logged.push(`errors: ${JSON.stringify({ errors, expected })}`);
    const counts = await Promise.all([countsOf(fast), countsOf(express)]);
    const [ours = [], theirs = []] = counts.map((one) => [...one].map((entry) => entry.join(' ')));
    logged.push(...ours.filter((line) => !theirs.includes(line)).map((line) => `metrics: ${line}, fast`));
    logged.push(...theirs.filter((line) => !ours.includes(line)).map((line) => `metrics: ${line}, express`));
    return logged;
  }
}

/** Adds the header that connects requests with their log lines. */
function withRequestId(bytes: Buffer, id: string): Buffer {
  if (bytes.includes('\r\nX-Request-Id: ')) return bytes;
  const end = bytes.indexOf('\r\n');
  return Buffer.concat([bytes.subarray(0, end), Buffer.from(`\r\nX-Request-Id: ${id}`), bytes.subarray(end)]);
}

/** A placeholder in a request. It is replaced by a different text for each way, so that they share no idempotency key. */
export const OF_THE_WAY = '@way@';

function withLetter(bytes: Buffer, letter: string): Buffer {
  const at = bytes.indexOf(OF_THE_WAY);
  if (at < 0) return bytes;
  const rest = withLetter(bytes.subarray(at + OF_THE_WAY.length), letter);
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(letter), rest]);
}

function described(fast: readonly WireResponse[], express: readonly WireResponse[]): string {
  const partsOf = (responses: readonly WireResponse[]) =>
    responses.flatMap(({ status, headers, body }) => [String(status), ...headers, body]);
  const only = (some: readonly string[], others: readonly string[]) =>
    some.filter((part) => !others.includes(part)).map((part) => part.slice(0, 1_000));
  const [ofFast, ofExpress] = [partsOf(fast), partsOf(express)];
  return `\n fast    ${JSON.stringify(only(ofFast, ofExpress))}\n express ${JSON.stringify(only(ofExpress, ofFast))}`;
}

/** The parts of the log line of a request that do not depend on time. */
const lineOf = ({ lines }: Way, id: string): Promise<LogLine> =>
  eventually(async () => {
    const line = lines.find(({ msg, requestId }) => msg === 'request' && requestId === id);
    const { level, operation, status, aborted } = line ?? {};
    return line && { id, level, operation, status, aborted };
  });

const errorsIn = ({ lines }: Way): unknown[] =>
  lines
    .filter(({ level, requestId }) => Number(level) >= 40 && requestId !== undefined)
    .map(({ level, msg, requestId }) => JSON.stringify([level, msg, requestId]))
    .toSorted();

/** The number of requests by door, operation and status. */
async function countsOf({ url }: Way): Promise<Map<string, string>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return new Map(
    [...text.matchAll(/^http_request_duration_seconds_count\{(.*)\} (\d+)$/gm)]
      .map(([, labels = '', count = '']): [string, string] => [labels, count])
      .filter(([labels]) => !labels.includes('GET /metrics')),
  );
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)/g;
const SECRET =
  /(?:eyJ[\w-]+\.[\w-]+\.[\w-]+|FIT1\.[\w-]+|"(?:refreshToken|resumeToken|qrCode|secret)":"[^"]*")/g;

/** Each way has its own window of a rate limit, which began some milliseconds before or after that of the other. */
const SECONDS_LEFT = /(try again in )\d+(?= s\.)/;

const NOT_STORED = /^Cache-Control: .*no-store/;

/** Whether the responses are equal, apart from what no two requests have in common. */
const areEqual = (fast: readonly WireResponse[], express: readonly WireResponse[]): boolean =>
  fast.length === express.length &&
  fast.every((one, at) => {
    const other = express[at];
    // An ETag that is a checksum of the body differs if the bodies differ. An answer without a body, such as one to HEAD,
    // does not show whether they differ; therefore the tags of answers with `no-store` are never compared.
    const isChanging = one.body !== other?.body || one.headers.some((line) => NOT_STORED.test(line));
    return other && isDeepStrictEqual(comparable(one, isChanging), comparable(other, isChanging));
  });

function comparable({ status, headers, body }: WireResponse, isChanging: boolean): unknown {
  const isCompressed = headers.some((line) => line.startsWith('Content-Encoding'));
  return {
    status,
    body: body
      .replaceAll(TIME, 'TIME')
      .replaceAll(UUID, 'ID')
      .replaceAll(SECRET, 'SECRET')
      .replace(SECONDS_LEFT, '$1'),
    headers: headers
      // The package `compression` does not know the length of what it compresses.
      .filter((line) => !(isCompressed && /^(Content-Length|Transfer-Encoding):/.test(line)))
      .map((line) => line.replace(/^(Date: ).*/, '$1'))
      .map((line) => line.replace(/; t=\d+$/, '').replace(/^(Retry-After: )\d+$/, '$1'))
      .map((line) => (OWN_ID.test(line) ? line : line.replace(/^(X-Request-Id: ).*/, '$1')))
      .map((line) => (isChanging ? line.replace(/^(ETag: W\/).*/, '$1').replace(UUID, 'ID') : line)),
  };
}
