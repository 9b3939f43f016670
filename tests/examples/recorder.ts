import type { RestRoute } from '#server/rest/route.ts';
import type { ApiExample } from '#server/rest/examples.ts';
import { SERVICE_NAMES, type ServiceName } from '#server/settings.ts';
import { subgraphs } from '../../subgraphs/index.ts';
import type { TestPlatform, Untyped } from '../support/platform.ts';
import type { DemoEmail } from '../support/platform/test-accounts.ts';
import { normaliser } from './normalise.ts';

/** A demo account, a service, nobody, or the sender of another token. */
export type Caller = DemoEmail | ServiceName | 'nobody' | { token: string };

export interface ExampleCall {
  /** Default: Maya, a member. */
  as?: Caller;
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  /** The fields of a multipart form. */
  form?: Record<string, string | Buffer>;
  headers?: Record<string, string>;
  /** The media type of a text body. */
  type?: string;
}

/** Sends the requests of the examples to a running platform. */
export interface Recorder {
  platform: TestPlatform;
  /** Sends a request of an operation and keeps it as the operation's example. Returns the body of the answer. */
  record(operationId: string, call?: ExampleCall): Promise<Untyped>;
  /** Sends a request that is no example. */
  send(operationId: string, call?: ExampleCall): Promise<Untyped>;
}

const LONGEST_LIST = 2;
const LONGEST_TEXT = 1_500;

export interface Recording {
  service: ServiceName;
  examples: Record<string, ApiExample>;
  recorder: Recorder;
}

/** @param spelt how the ids of each request are written; default: as the platform writes them, in lower case */
export function recordingOf(
  platform: TestPlatform,
  service: ServiceName,
  now: Date,
  spelt: (call: ExampleCall) => ExampleCall = (call) => call,
): Recording {
  const routes = new Map(
    (subgraphs.find(({ name }) => name === service)?.rest ?? []).map((route) => [route.operationId, route]),
  );
  const normalise = normaliser(now);
  const examples: Record<string, ApiExample> = {};
  const send = async (operationId: string, asked: ExampleCall = {}) => {
    const call = spelt(asked);
    const route = routes.get(operationId);
    if (!route) throw new Error(`${service} has no operation ${operationId}`);
    const token = await tokenOf(platform, call.as ?? 'maya@iron.test');
    const { status, headers, body } = await platform.rest(service, route.method, pathOf(route, call), {
      ...(token && { token }),
      headers: { ...call.headers, ...(call.type && { 'Content-Type': call.type }) },
      ...((call.form ?? call.body) !== undefined && { body: call.form ? formOf(call.form) : call.body }),
    });
    if (status >= 300) throw new Error(`${operationId}: ${status} ${JSON.stringify(body)}`);
    return { route, status, body, type: headers.get('content-type')?.split(';', 1)[0] };
  };
  return {
    service,
    examples,
    recorder: {
      platform,
      send: async (id, call) => (await send(id, call)).body,
      async record(id, call = {}) {
        const { route, status, body, type } = await send(id, call);
        if (id in examples) throw new Error(`${id} is recorded twice`);
        examples[id] = normalise({
          request: {
            ...(call.params && { params: call.params }),
            ...(call.query && { query: call.query }),
            ...bodyOf(call),
          },
          answer: { status, ...(route.success.status !== 204 && answerOf(type, body)) },
        });
        return body;
      },
    },
  };
}

function pathOf({ path }: RestRoute<never>, { params = {}, query = {} }: ExampleCall): string {
  const filled = path.replaceAll(/:(\w+)/g, (_all, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`${path} needs ${name}`);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams(
    Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
  );
  return search.size > 0 ? `${filled}?${search.toString()}` : filled;
}

async function tokenOf(platform: TestPlatform, caller: Caller): Promise<string | undefined> {
  if (caller === 'nobody') return undefined;
  if (typeof caller === 'object') return caller.token;
  return (SERVICE_NAMES as readonly string[]).includes(caller)
    ? platform.serviceToken(caller as ServiceName)
    : platform.demo(caller as DemoEmail);
}

function formOf(fields: Record<string, string | Buffer>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([new Uint8Array(value)], { type: 'image/png' }), 'picture.png');
  return form;
}

function bodyOf({ form, body, type }: ExampleCall): Partial<ApiExample['request']> {
  if (form)
    return {
      type: 'multipart/form-data',
      body: Object.fromEntries(
        Object.entries(form).map(([name, value]) => [
          name,
          typeof value === 'string' ? value : 'picture.png',
        ]),
      ),
    };
  return body === undefined ? {} : { type: type ?? 'application/json', body };
}

function answerOf(type: string | undefined, body: unknown): Partial<ApiExample['answer']> {
  if (type === undefined) return {};
  const isShown = type.includes('json') || (typeof body === 'string' && body.length <= LONGEST_TEXT);
  return { type, ...(isShown && { body: shortened(body) }) };
}

/** Keeps only the first items of each list. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, LONGEST_LIST).map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortened(inner)]));
}
