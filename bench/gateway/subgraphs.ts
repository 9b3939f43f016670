/**
 * The subgraphs of one workload in one process, each answer made once and kept, and identity's part that a gateway
 * needs: `node bench/gateway/subgraphs.ts <workload>`. Prints one line of JSON when it is ready: its port and a token.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { GatewayContext } from '../../gateway/graph/context.ts';
import { MadeUpSubgraph } from '../../tests/support/graph-doubles/made-up-subgraph.ts';
import { WORKLOADS } from './workloads.ts';

const workload = WORKLOADS.find(({ name }) => name === process.argv[2]);
if (!workload) throw new Error(`no workload "${process.argv[2]}"`);
const { scenario, sdls } = workload;
const scenarios = new Map([[scenario.seed, scenario]]);
const context = { requestId: scenario.seed } as GatewayContext;
const subgraphs = new Map(
  Object.entries(sdls).map(([name, sdl]) => [`/${name}`, new MadeUpSubgraph(name, sdl, scenarios)]),
);

const { publicKey, privateKey } = await generateKeyPair('ES256');
const jwk = { ...(await exportJWK(publicKey)), kid: 'bench', alg: 'ES256', use: 'sig' };
const token = await new SignJWT({ role: 'MEMBER', gymId: 'gym', sid: 'session' })
  .setProtectedHeader({ alg: 'ES256', kid: 'bench' })
  .setSubject('member')
  .setIssuer('fitness-platform')
  .setAudience('fitness-platform')
  .setIssuedAt()
  .setExpirationTime('2h')
  .sign(privateKey);

const IDENTITY: Readonly<Record<string, object>> = {
  '/.well-known/jwks.json': { keys: [jwk] },
  '/auth/token': { access_token: token, expires_in: 3600, token_type: 'Bearer' },
  '/auth/ended-sessions': { sessions: [], next: 'none', more: false },
};

const kept = new Map<string, Buffer>();

async function answer(path: string, body: string): Promise<Buffer> {
  const key = path + body;
  const known = kept.get(key);
  if (known) return known;
  const made = await subgraphs.get(path)?.send({ body, kind: 'query', context });
  const text = Buffer.from(JSON.stringify(made ?? IDENTITY[path.split('?')[0] ?? ''] ?? {}));
  // Beyond a bound an answer is made anew: operations that come once would fill the memory.
  if (kept.size < 20_000) kept.set(key, text);
  return text;
}

const server = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    void answer(req.url ?? '', Buffer.concat(chunks).toString()).then((text) => {
      res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': text.length });
      res.end(text);
    });
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port, token }));
});
