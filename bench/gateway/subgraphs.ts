/**
 * The subgraphs of one workload in one process, and the keys of identity that a gateway needs. Each answer is made once and
 * cached. When the program is ready, it prints one line of JSON: its port and a token.
 *
 *     node bench/gateway/subgraphs.ts <workload>
 */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { GatewayContext } from '../../gateway/context/gateway-context.ts';
import { MadeUpSubgraph } from '../../tests/support/graph-doubles/made-up-subgraph.ts';
import { MessageReader } from './message-reader.ts';
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

/** The bytes of complete HTTP responses. */
const kept = new Map<string, Buffer>();

async function make(path: string, body: string): Promise<Buffer> {
  const made = await subgraphs.get(path)?.send({ body, kind: 'query', context });
  const text = JSON.stringify(made ?? IDENTITY[path.split('?')[0] ?? ''] ?? {});
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n`;
  return Buffer.from(head + text);
}

async function makeAndWrite(path: string, body: string, socket: Socket): Promise<void> {
  const response = await make(path, body);
  // The cache is bounded, because operations that are sent once would fill the memory.
  if (kept.size < 20_000) kept.set(path + body, response);
  socket.write(response);
}

const server = createServer({ noDelay: true }, (socket) => {
  const answer = (path: string, body: string): void => {
    const known = kept.get(path + body);
    if (known) socket.write(known);
    else void makeAndWrite(path, body, socket);
  };
  const messages = new MessageReader(answer);
  socket.on('data', (chunk: Buffer) => messages.push(chunk));
  socket.on('error', () => undefined); // the connection ends with an error if a measured program is stopped
});
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port, token }));
});
