import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  buildClientSchema,
  getIntrospectionQuery,
  type GraphQLSchema,
  type IntrospectionQuery,
} from 'graphql';
import { DEMO_GYMS, DEMO_PASSWORD, DEMO_PEOPLE } from '#server/demo-ids.ts';
import { randomFrom } from '../support/graph-doubles/random.ts';
import { ANY_PORTS, startProcess, type StartedProcess } from '../support/process.ts';
import { graphRequest, rootFields } from './fuzz/graph-operations.ts';
import {
  resolverOf,
  restOperations,
  restRequest,
  type FuzzRequest,
  type OpenApiDocument,
} from './fuzz/rest-operations.ts';

/**
 * Calls random operations of the OpenAPI documents and random root fields of the graph with well-formed and hostile
 * input, as users of every role and without a token. `FUZZ_SECONDS` is the duration; with the same
 * `FUZZ_SEED` the random numbers are the same, but the requests also depend on the times of earlier answers and the ids in
 * them. A long run: FUZZ_SECONDS=600 npm test -- tests/system/fuzz.test.ts
 */
const SECONDS = Number(process.env.FUZZ_SECONDS ?? 15);
const SEED = process.env.FUZZ_SEED ?? String(Date.now());
const AT_ONCE = 8;
/** The gateway's time limit of 10 s for a service, plus time for a busy machine. Uploads may take 60 s, but these are small. */
const LONGEST_MILLIS = 25_000;
/** 503 and 504 mean that a dependency does not answer; 507 that a disk is full. */
const ALLOWED_5XX = new Set([503, 504, 507]);
/** Statuses that an operation need not declare: unknown path, wrong method, time-out, too long a URL or headers. */
const OF_HTTP = new Set([404, 405, 408, 414, 431]);
/**
 * The highest allowed ratio of the memory at the end to the memory after the first part of the run. The heap of a
 * process grows to its usual size in the first minutes; a leak shows in a long run.
 */
const MAX_GROWTH = SECONDS >= 120 ? 1.3 : 2;

let folder: string;
let platform: StartedProcess;
let gateway: string;
const tokensByEmail = new Map<string, string>();
/** Ids for requests: five that stay, then ids of earlier answers. */
const ids: string[] = [
  DEMO_GYMS.ironTemple.id,
  DEMO_GYMS.aquaClub.id,
  'iron-temple',
  'me',
  crypto.randomUUID(),
];
const problems: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'platform-fuzz-'));
  platform = startProcess([], {
    HOST: '127.0.0.1',
    DATA_DIR: folder,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'error',
    ...ANY_PORTS,
  });
  await platform.printed(/Ready after/);
  gateway = (await platform.printed(/^ {2}gateway +(http:\S+)/m))[1] ?? '';
});
afterAll(async () => {
  await platform.end('SIGKILL');
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

async function logIn(email: string): Promise<void> {
  const response = await fetch(`${gateway}/identity/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: DEMO_PASSWORD }),
  });
  const { token } = (await response.json()) as { token?: string };
  if (token !== undefined) tokensByEmail.set(email, token);
}

/** Resident memory of the platform's process in MiB, without PostgreSQL; undefined if the system does not report it. */
async function residentMebibytes(): Promise<number | undefined> {
  try {
    const status = await readFile(`/proc/${platform.child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  } catch {
    return undefined;
  }
}

/** Collects the ids in an answer for later requests, so that these reach existing objects. */
function rememberIds(text: string): void {
  for (const [id] of text
    .slice(0, 20_000)
    .matchAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g)) {
    if (ids.length < 400) ids.push(id);
    // A new id replaces one of the 395 ids of earlier answers, chosen by its last three digits.
    else ids[5 + ((id.charCodeAt(35) * 7 + id.charCodeAt(34) * 131 + id.charCodeAt(33)) % 395)] = id;
  }
}

/** @param email the account whose token is sent; empty: no token */
async function send(request: FuzzRequest, email: string): Promise<void> {
  const token = tokensByEmail.get(email);
  const startedAt = performance.now();
  let status: number;
  let text: string;
  try {
    const response = await fetch(`${gateway}${request.path}`, {
      method: request.method,
      headers: { ...request.headers, ...(token && { authorization: `Bearer ${token}` }) },
      ...(request.body !== undefined && { body: request.body }),
      redirect: 'manual',
      signal: AbortSignal.timeout(LONGEST_MILLIS),
    });
    status = response.status;
    text = await response.text();
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    problem(request, `no answer after ${Math.round(performance.now() - startedAt)} ms: ${String(cause)}`);
    return;
  }
  const isDeclared = request.declared.has(status) || OF_HTTP.has(status);
  if (status >= 500 && !ALLOWED_5XX.has(status)) problem(request, `${status}: ${text.slice(0, 300)}`);
  else if (!isDeclared && !ALLOWED_5XX.has(status))
    problem(request, `undeclared ${status}: ${text.slice(0, 300)}`);
  if (/"code":"INTERNAL"/.test(text)) problem(request, `an internal error: ${text.slice(0, 300)}`);
  if (status < 300) rememberIds(text);
  if (status === 401 && email !== '') await logIn(email);
}

function problem({ name, path: address, body, headers }: FuzzRequest, what: string): void {
  if (problems.length < 1_000)
    problems.push(
      `${name} -> ${what}\n    ${address.slice(0, 300)} ${JSON.stringify(headers)} ${body?.slice(0, 600) ?? ''}`,
    );
}

async function introspected(): Promise<GraphQLSchema> {
  const response = await fetch(`${gateway}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: getIntrospectionQuery() }),
  });
  return buildClientSchema(((await response.json()) as { data: IntrospectionQuery }).data);
}

it(
  `answers ${SECONDS} seconds of hostile input of the seed ${SEED} as declared, with no 5xx except 503, 504 and 507, and its memory at the end is at most ${MAX_GROWTH} times that after the first part`,
  async () => {
    const document = (await (await fetch(`${gateway}/openapi.json`)).json()) as OpenApiDocument;
    const schema = await introspected();
    const operations = restOperations(document);
    const fields = rootFields(schema);
    const resolve = resolverOf(document);
    for (const { email } of DEMO_PEOPLE) await logIn(email);
    const emails = ['', ...DEMO_PEOPLE.map(({ email }) => email)];
    const until = Date.now() + SECONDS * 1_000;
    const settledAt = Date.now() + Math.min(60_000, SECONDS * 400);
    let sent = 0;
    let settled: number | undefined;
    const counts = new Map<string, number>();
    const work = async (worker: number): Promise<void> => {
      const random = randomFrom(`${SEED} ${worker}`);
      while (Date.now() < until) {
        const turn = sent++;
        const email = random.pick([...emails, 'super@demo.test', 'maya@iron.test']);
        const request: FuzzRequest =
          turn % 3 === 0
            ? asFuzzRequest(graphRequest(random, schema, fields[random.below(fields.length)]!, ids))
            : restRequest(random, operations[random.below(operations.length)]!, { resolve, ids });
        counts.set(request.name, (counts.get(request.name) ?? 0) + 1);
        await send(request, email);
        if (settled === undefined && Date.now() > settledAt) settled = (await residentMebibytes()) ?? 0;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, (_unused, worker) => work(worker)));
    const after = (await residentMebibytes()) ?? 0;
    const summary = [...Map.groupBy(problems, (line) => line.split('\n')[0]?.slice(0, 140))].map(
      ([line, all]) => `${all.length} x ${line}\n${all[0]?.split('\n')[1] ?? ''}`,
    );
    console.log(
      `${sent} requests of ${counts.size} operations in ${SECONDS} s, ${problems.length} problems; resident memory ${Math.round(settled ?? 0)} MiB, at the end ${Math.round(after)} MiB`,
    );
    expect(summary.slice(0, 40)).toEqual([]);
    expect(platform.child.exitCode).toBeNull();
    // If the system does not report the memory of a process, both are 0.
    expect(after).toBeLessThanOrEqual((settled ?? 0) * MAX_GROWTH);
    expect(sent).toBeGreaterThan(SECONDS * 3);
  },
  (SECONDS + 90) * 1_000,
);

/** The statuses that an operation of the graph may have, besides OF_HTTP and ALLOWED_5XX. */
const GRAPH_STATUSES = new Set([200, 400, 401, 403, 404, 409, 412, 413, 415, 429]);

function asFuzzRequest({ name, query, variables }: ReturnType<typeof graphRequest>): FuzzRequest {
  return {
    name,
    method: 'POST',
    path: '/graphql',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
    declared: GRAPH_STATUSES,
  };
}
