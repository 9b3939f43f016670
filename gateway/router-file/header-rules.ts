import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';

/**
 * Headers that the gateway writes itself, or that decide how a message is read. A rule for one of them could make a
 * subgraph trust a value of the client, or break the connection.
 */
const RESERVED = new Set([
  'accept',
  'accept-encoding',
  'apollo-require-preflight',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  // The gateway identifies callers by Authorization only, so a GET has no protection against CSRF. A subgraph that identified
  // callers by a cookie would need one.
  'cookie',
  'expect',
  'forwarded',
  'host',
  'idempotency-key',
  'idempotency-scope',
  'keep-alive',
  'te',
  'traceparent',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'x-on-behalf-of',
  'x-real-ip',
  'x-request-id',
  'x-time-limit-millis',
]);

const isReserved = (name: string): boolean =>
  RESERVED.has(name) || name.startsWith('x-forwarded-') || name.startsWith('proxy-');

const MAX_RULES = 50;

const headerName = z
  .string('expected the name of a header')
  .regex(/^[!#$%&'*+.^_`|~\w-]{1,100}$/, 'expected the name of a header (RFC 9110)')
  .transform((name) => name.toLowerCase())
  .refine((name) => !isReserved(name), 'the gateway writes this header itself; expected another one');

/** `${NAME}` is replaced by the environment variable, so that the file contains no secret. */
const headerValue = z.string('expected a text').transform((text, context) => {
  const value = text.replaceAll(/\$\{(\w+)\}/g, (_whole, name: string) => {
    const found = process.env[name];
    if (found === undefined)
      context.addIssue({ code: 'custom', message: `the environment variable ${name} is not set` });
    return found ?? '';
  });
  if (/[^\t\u0020-\u007e\u0080-\u00ff]/.test(value))
    context.addIssue({
      code: 'custom',
      message: 'expected visible characters of Latin-1, without line breaks',
    });
  return value;
});

const few = (count: number): boolean => count <= MAX_RULES;
const TOO_MANY = `expected at most ${MAX_RULES}`;

/** Which headers of the client's request a subgraph gets, in addition to those of docs/gateway.md. */
export const headerRules = z.strictObject({
  /** Sent on under their own names. */
  allow: z.array(headerName, 'expected a list of header names').max(MAX_RULES, TOO_MANY).default([]),
  /** Sent on under another name: the client's name, then the subgraph's. */
  rename: z
    .record(headerName, headerName)
    .refine((names) => few(Object.keys(names).length), TOO_MANY)
    .default({}),
  /** Added to every request, with this value. */
  set: z
    .record(headerName, headerValue)
    .refine((values) => few(Object.keys(values).length), TOO_MANY)
    .default({}),
});
export type HeaderRules = z.output<typeof headerRules>;

/** The names of a client's headers that some subgraph gets. */
export const forwardedNames = (rules: readonly (HeaderRules | undefined)[]): readonly string[] => [
  ...new Set(rules.flatMap((one) => (one ? [...one.allow, ...Object.keys(one.rename)] : []))),
];

/** The headers of these names in a request; undefined if it has none of them, as most requests. */
export function chosenHeaders(
  names: readonly string[],
  headers: IncomingHttpHeaders,
): ReadonlyMap<string, string> | undefined {
  let chosen: Map<string, string> | undefined;
  for (const name of names) {
    const value = headers[name];
    if (value !== undefined)
      (chosen ??= new Map()).set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return chosen;
}

/** The client's headers under the names that the rules give them; each name is followed by its value. */
export function headersBy(rules: HeaderRules, chosen: ReadonlyMap<string, string>): string[] {
  const headers: string[] = [];
  const add = (from: string, to: string): void => {
    const value = chosen.get(from);
    // A value that the operator sets takes precedence over the client's.
    if (value !== undefined && !Object.hasOwn(rules.set, to)) headers.push(to, value);
  };
  for (const name of rules.allow) if (!Object.hasOwn(rules.rename, name)) add(name, name);
  for (const [from, to] of Object.entries(rules.rename)) add(from, to);
  return headers;
}
