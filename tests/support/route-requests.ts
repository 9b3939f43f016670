import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { MAX_JSON_BYTES } from '#server/http/json-body.ts';
import type { RestRoute } from '#server/rest/route.ts';
import { OF_THE_WAY, wireRequest, type SentRequest } from './both-ways.ts';
import { OBJECTS, objectIn } from './stored-objects.ts';

type Header = readonly [name: string, value: string];

const JSON_TYPE: Header = ['Content-Type', 'application/json'];
/** The values of path parameters that are no ids of unknown objects. */
const PARAMETERS: Readonly<Record<string, string>> = {
  gymId: DEMO_GYMS.ironTemple.id,
  category: 'Strength',
  code: '4000417025005',
  typeName: 'Workout',
};

/** A path of the route. A GET names stored objects; other methods name unknown ones, so that they change nothing. */
function pathOf(route: RestRoute<never>): string {
  const object = route.method === 'GET' ? objectIn(route) : undefined;
  const path = object
    ? route.path.replace(object, object.replace(/:\w+/, OBJECTS[object] ?? ''))
    : route.path;
  return path.replaceAll(/:(\w+)/g, (_all, name: string) => PARAMETERS[name] ?? randomUUID());
}

/**
 * Whether the requests below change nothing. A write changes data of the caller if its path has no parameter and its body
 * has no required field.
 */
const isHarmless = ({ method, path, body, upload }: RestRoute<never>): boolean =>
  method === 'GET' ||
  path.includes(':') ||
  (body !== undefined && !['/auth/logout', '/profile'].includes(path)) ||
  upload !== undefined;

/** Requests to one route, usual and unusual ones, which change nothing. */
export function requestsTo(route: RestRoute<never>, authorization: string): SentRequest[] {
  const { method } = route;
  const path = pathOf(route);
  const name = `${method} ${route.path}`;
  const own: Header = ['Authorization', authorization];
  const sent = (
    what: string,
    headers: readonly Header[] = [],
    { target = path, body, as = method }: Other = {},
  ): SentRequest => ({
    name: `${name}, ${what}`,
    bytes: wireRequest({ method: as, target, headers, body }),
    methods: [as],
  });
  const empty = route.body ? { body: '{}' } : {};
  const typed = route.body ? [JSON_TYPE] : [];
  const requests = [
    sent('no token', typed, empty),
    sent('malformed token', [['Authorization', 'Basic abc'], ...typed], empty),
    sent('wrong token', [['Authorization', 'Bearer a.b.c'], ...typed], empty),
    sent('unknown method', [own], { as: 'PATCH' }),
    sent(
      'preflight',
      [
        ['Origin', 'http://localhost:5173'],
        ['Access-Control-Request-Method', method],
      ],
      {
        as: 'OPTIONS',
      },
    ),
  ];
  if (!isHarmless(route)) return requests;
  requests.push(
    sent('unknown parameter', [own, ...typed], { ...empty, target: `${path}?nope=1` }),
    sent('repeated and encoded parameters', [own, ...typed], {
      ...empty,
      target: `${path}?limit=%31&limit=2&a=%zz`,
    }),
    sent('an allowed origin', [own, ['Origin', 'http://localhost:5173'], ...typed], empty),
    sent('a foreign origin', [own, ['Origin', 'https://evil.example'], ...typed], empty),
    sent('If-Match', [own, ['If-Match', 'abc'], ...typed], empty),
    sent('percent-encoding', [own, ...typed], { ...empty, target: path.replace(/[a-z](?=[^/]*$)/, '%61') }),
    sent('a slash at the end', [own, ...typed], { ...empty, target: `${path}/` }),
    sent('a doubled slash', [own, ...typed], { ...empty, target: `/${path}` }),
    sent('capital letters', [own, ...typed], { ...empty, target: path.toUpperCase() }),
    sent('a capital letter in the last part', [own, ...typed], {
      ...empty,
      target: path.replace(/[^/]*$/, (last) => last.toUpperCase()),
    }),
  );
  if (method === 'GET') requests.push(...reads(sent, own, path));
  if (method === 'POST') requests.push(...keyed(sent, [own, ...typed], empty));
  if (route.body) requests.push(...hostileBodies(sent, own));
  return requests;
}

interface Other {
  target?: string;
  body?: string | Buffer;
  /** Another method than that of the route. */
  as?: string;
}

type Sent = (what: string, headers: readonly Header[], other?: Other) => SentRequest;

const reads = (sent: Sent, own: Header, path: string): SentRequest[] => [
  sent('a token', [own]),
  sent('HEAD', [own], { as: 'HEAD' }),
  sent('one item', [own], { target: `${path}?limit=1` }),
  sent('gzip', [own, ['Accept-Encoding', 'gzip']]),
  sent('br', [own, ['Accept-Encoding', 'gzip, deflate, br']]),
  sent('no encoding accepted', [own, ['Accept-Encoding', 'identity;q=0, *;q=0']]),
  sent('any tag', [own, ['If-None-Match', '*']]),
  sent('another tag', [own, ['If-None-Match', '"x"']]),
  sent('no cache', [own, ['If-None-Match', '*'], ['Cache-Control', 'no-cache']]),
  sent('a body', [own, JSON_TYPE], { body: '{"a":1}' }),
];

const keyed = (sent: Sent, headers: readonly Header[], other: { body?: string }): SentRequest[] => {
  const key: Header = ['Idempotency-Key', `${randomUUID()}${OF_THE_WAY}`];
  return [
    sent('a malformed key', [...headers, ['Idempotency-Key', 'a b']], other),
    sent('a key', [...headers, key], other),
    sent('the key again', [...headers, key], other),
    sent('the key with another request', [...headers, key], { ...other, body: '{"x":1}' }),
    sent('two keys', [...headers, key, key], other),
  ];
};

const deep = `${'{"a":'.repeat(120)}1${'}'.repeat(120)}`;
const nope = '{"nope":"ä"}';

const hostileBodies = (sent: Sent, own: Header): SentRequest[] => [
  sent('no body', [own]),
  sent('no body, typed', [own, JSON_TYPE]),
  sent('an empty body', [own, JSON_TYPE, ['Content-Length', '0']]),
  sent('an empty body without type', [own, ['Content-Length', '0']]),
  ...[
    '{"a":',
    '"text"',
    '[]',
    'null',
    ' ',
    '{"__proto__":{"a":1},"a":1,"a":2}',
    deep,
    nope,
    `\uFEFF${nope}`,
  ].map((body) => sent(`the body ${body.slice(0, 40)}`, [own, JSON_TYPE], { body })),
  sent('bytes that are no UTF-8', [own, JSON_TYPE], { body: Buffer.from('7b22c3223a22e282227d', 'hex') }),
  sent('a large body', [own, JSON_TYPE], { body: `{"a":"${'x'.repeat(MAX_JSON_BYTES - 8)}"}` }),
  sent('a too large body', [own, JSON_TYPE], { body: `{"a":"${'x'.repeat(MAX_JSON_BYTES)}"}` }),
  sent('a chunked body', [own, JSON_TYPE, ['Transfer-Encoding', 'chunked']], {
    body: '2\r\n{}\r\n0\r\n\r\n',
  }),
  sent('a compressed body', [own, JSON_TYPE, ['Content-Encoding', 'gzip']], { body: gzipSync(nope) }),
  sent('a body that is not gzip', [own, JSON_TYPE, ['Content-Encoding', 'gzip']], { body: nope }),
  sent('an unknown encoding', [own, JSON_TYPE, ['Content-Encoding', 'zip']], { body: nope }),
  sent('the type twice', [own, JSON_TYPE, ['Content-Type', 'text/plain']], { body: nope }),
  sent('Expect', [own, JSON_TYPE, ['Expect', '100-continue']], { body: nope }),
  ...[
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON',
    'application/json; charset=utf-16',
    'application/json; charset=latin1',
    'application/merge-patch+json',
    'application/x-www-form-urlencoded',
    'text/plain',
    'nonsense',
  ].map((type) => sent(type, [own, ['Content-Type', type]], { body: nope })),
  sent('no type', [own], { body: nope }),
];
