import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import type http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { StartError } from '#server/start-error.ts';
import { readRouterFile } from '../../gateway/router-file/router-file.ts';
import { startOtherGraph, type OtherGraph } from '../support/other-graph.ts';
import { withinOnThisMachine } from '../support/slow-machine.ts';

const TYPE_DEFS = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
  type Query { now: Int }`;
const THINGS = { things: { typeDefs: TYPE_DEFS, resolvers: { Query: { now: () => 1 } } } };

const folder = await mkdtemp(path.join(os.tmpdir(), 'router-file-'));
let files = 0;
async function written(text: string): Promise<string> {
  const file = path.join(folder, `router-${(files += 1)}.yaml`);
  await writeFile(file, text);
  return file;
}
async function problemOf(text: string): Promise<string> {
  const error: unknown = await readRouterFile(await written(text)).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StartError);
  return (error as StartError).message;
}

describe('ROUTER_FILE', () => {
  it.each([
    [
      'subgraphs:\n  gym:\n    timeoutMillis: 0',
      'line 3, subgraphs.gym.timeoutMillis: expected 1 to 600000 milliseconds',
    ],
    ['subgraphs:\n  gym:\n\n    timeout: 1', 'line 4, subgraphs.gym.timeout: there is no such field'],
    [
      '{"subgraphs": {"gym":\n {"retries": "many"}}}',
      'line 2, subgraphs.gym.retries: expected a number of retries, 0 to 5',
    ],
    [
      'subgraphs:\n  gym:\n    tls:\n      certFile: a.pem',
      'line 3, subgraphs.gym.tls: expected certFile and keyFile together',
    ],
    [
      'subgraphs:\n  gym:\n    headers:\n      allow: [x-a, Cookie]',
      'line 4, subgraphs.gym.headers.allow.1: the gateway writes this header itself',
    ],
    [
      'subgraphs:\n  gym:\n    headers:\n      set:\n        x-key: ${NOT_SET_ANYWHERE}',
      'line 5, subgraphs.gym.headers.set.x-key: the environment variable NOT_SET_ANYWHERE is not set',
    ],
    ['subgraphs:\n  a: {retries: 1}\n  a: {retries: 2}', 'line 3: Map keys must be unique'],
    ['contracts:\n  - name: Public', 'line 2, contracts.0.name: expected lower-case letters'],
    [
      'contracts:\n  - name: a\n    include: [x]\n  - name: a\n    include: [y]',
      'line 4, contracts.1.name: there is another contract "a"',
    ],
    ['cost: {budgetPerMinute: 1.5}', 'line 1, cost.budgetPerMinute: expected a cost, 1 to 1000000000'],
  ])('is refused with the line and the field: %j', async (text, problem) => {
    expect(await problemOf(text)).toContain(problem);
  });

  it('is refused if it is missing', async () => {
    await expect(readRouterFile('/nowhere.yaml')).rejects.toThrow(
      'ROUTER_FILE: the file /nowhere.yaml cannot be read',
    );
  });
});

describe('the rules of a subgraph', () => {
  it('decide which headers the subgraph gets; clients whose headers differ share no answer', async () => {
    process.env.ROUTER_TEST_KEY = 'from the environment';
    const file = await written(`
subgraphs:
  all:
    headers: {allow: [X-Tenant], set: {x-api-key: "\${ROUTER_TEST_KEY}"}}
  things:
    headers: {rename: {x-locale: x-language}, set: {x-fixed: "1"}}
`);
    const graph = await startOtherGraph(THINGS, { ROUTER_FILE: file });
    try {
      const seen: http.IncomingHttpHeaders[] = [];
      graph.subgraph('things').instead = (req, res) => {
        seen.push(req.headers);
        setTimeout(() => res.setHeader('content-type', 'application/json').end('{"data":{"now":2}}'), 50);
      };
      for (let way = 0; way < 2; way += 1)
        // by Express, then on the fast path
        await Promise.all(
          ['a', 'b'].map((tenant) =>
            ask(graph, { 'x-tenant': tenant, 'x-locale': 'de', 'x-fixed': 'client', 'x-other': 'no' }),
          ),
        );
      expect(seen).toHaveLength(4);
      expect(seen.filter((headers) => headers['x-tenant'] === 'a')).toHaveLength(2);
      for (const headers of seen) {
        expect(headers).toMatchObject({
          'x-language': 'de',
          'x-fixed': '1',
          'x-api-key': 'from the environment',
        });
        expect(headers).not.toHaveProperty('x-other');
        expect(headers).not.toHaveProperty('x-locale');
      }
    } finally {
      await graph.stop();
    }
  });

  it('decide how often a query is sent again, and how long it may take', async () => {
    const file = await written('subgraphs: {things: {retries: 3, timeoutMillis: 400}}');
    const graph = await startOtherGraph(THINGS, { ROUTER_FILE: file });
    try {
      let requests = 0;
      graph.subgraph('things').instead = (_req, res) => {
        requests += 1;
        if (requests < 4) res.writeHead(503).end();
        else res.setHeader('content-type', 'application/json').end('{"data":{"now":7}}');
      };
      expect((await graph.ask('{ now }')).body).toEqual({ data: { now: 7 } });
      expect(requests).toBe(4);

      graph.subgraph('things').instead = () => undefined; // never answers
      const late = await graph.ask('{ now }');
      expect(late.body.errors[0].extensions.code).toBe('UPSTREAM_TIMEOUT');
      expect(late.millis).toBeLessThan(withinOnThisMachine(5_000));
    } finally {
      await graph.stop();
    }
  });

  it('make the gateway authenticate with a client certificate', async () => {
    const { ca, cert, key } = certificates();
    const server = https.createServer(
      {
        ca: readFileSync(ca),
        cert: readFileSync(cert),
        key: readFileSync(key),
        requestCert: true,
        rejectUnauthorized: true,
      },
      (_req, res) => res.setHeader('content-type', 'application/json').end('{"data":{"now":9}}'),
    );
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
    const plain = await startOtherGraph(THINGS);
    const supergraph = path.join(folder, 'tls.graphql');
    await writeFile(
      supergraph,
      readFileSync(plain.supergraphFile, 'utf8').replaceAll(/http:\/\/127\.0\.0\.1:\d+\/graphql/g, url),
    );
    await plain.stop();
    const tls = { caFile: ca, certFile: cert, keyFile: key, serverName: 'things.test' };
    const answerWith = async (rules: object) => {
      const file = await written(JSON.stringify({ subgraphs: { things: { tls: rules } } }));
      const graph = await startOtherGraph(THINGS, { SUPERGRAPH: supergraph, ROUTER_FILE: file });
      try {
        return (await graph.ask('{ now }')).body;
      } finally {
        await graph.stop();
      }
    };
    try {
      expect(await answerWith(tls)).toEqual({ data: { now: 9 } });
      const refused = { errors: [{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }] };
      expect(await answerWith({ caFile: ca, serverName: 'things.test' })).toMatchObject(refused);
      expect(await answerWith({ ...tls, serverName: 'other.test' })).toMatchObject(refused);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

const ask = (graph: OtherGraph, headers: Record<string, string>) =>
  fetch(`${graph.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: '{"query":"{ now }"}',
  });

/** A certificate authority, and a certificate that it has signed, which the server and the gateway both use. */
function certificates() {
  const at = (name: string) => path.join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' });
  const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const CA = ['-keyout', at('ca.key'), '-out', at('ca.pem'), '-subj', '/CN=Test authority', '-days', '2'];
  openssl('req', '-x509', ...NEW_KEY, ...CA);
  const OWN = ['-keyout', at('own.key'), '-out', at('own.pem'), '-subj', '/CN=things.test', '-days', '2'];
  const SIGNED = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-addext', 'subjectAltName=DNS:things.test'];
  openssl('req', '-x509', ...NEW_KEY, ...OWN, ...SIGNED, '-addext', 'basicConstraints=critical,CA:FALSE');
  return { ca: at('ca.pem'), cert: at('own.pem'), key: at('own.key') };
}
