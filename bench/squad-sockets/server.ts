/**
 * The squad service in a process of its own. A small server in place of identity publishes the key that signs the tokens.
 */
import { createServer } from 'node:http';
import { generateKeyPairSync } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import jwt from 'jsonwebtoken';
import { settingsOf } from '#server/run.ts';
import { startSubgraph } from '#server/start-subgraph.ts';
import { squad } from '../../subgraphs/squad/subgraph.ts';

const count = Number(process.argv[2]);
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwks = JSON.stringify({
  keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'bench', alg: 'ES256', use: 'sig' }],
});
const identity = createServer(
  (_req, res) => void res.setHeader('Content-Type', 'application/json').end(jwks),
).listen(0);
const gymId = crypto.randomUUID();
const tokens = Array.from({ length: count }, () =>
  jwt.sign({ role: 'MEMBER', gymId, sid: 'bench' }, privateKey, {
    algorithm: 'ES256',
    keyid: 'bench',
    issuer: 'fitness-platform',
    audience: 'fitness-platform',
    subject: crypto.randomUUID(),
    expiresIn: 900,
  }),
);
const { settings } = settingsOf(squad, {
  DATA_DIR: process.argv[3],
  LOG_LEVEL: 'silent',
  RATE_LIMITS: 'off',
  IDENTITY_URL: `http://127.0.0.1:${(identity.address() as AddressInfo).port}`,
});
const { url } = await startSubgraph(squad, { settings, port: 0 });
process.send?.({ url, tokens });
/** The largest number of bytes that wait for one client, because it does not read. */
const waitingBytes = (): number => {
  // Node documents no other way to the sockets of a server that was started elsewhere.
  const { _getActiveHandles: handles } = process as unknown as {
    _getActiveHandles(): { writableLength?: number }[];
  };
  return Math.max(0, ...handles.call(process).map(({ writableLength = 0 }) => writableLength));
};
process.on('message', () =>
  process.send?.({
    waitingBytes: waitingBytes(),
    rssMib: Math.round(process.memoryUsage().rss / 1_048_576),
    cpuSeconds: (process.cpuUsage().user + process.cpuUsage().system) / 1e6,
  }),
);
process.on('disconnect', () => process.exit(0));
