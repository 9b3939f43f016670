import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { start, type Started } from './processes.ts';

/** The settings of a contender. */
export interface Stage {
  readonly supergraphFile: string;
  /** The same supergraph without authorization directives. */
  readonly plainFile: string;
  readonly planFile: string;
  /** The origin of the subgraphs, and of identity. */
  readonly origin: string;
  readonly port: number;
  readonly dataDir: string;
  /** Whether equal concurrent requests may share one answer of a subgraph. */
  readonly sharing: boolean;
  /** The command prefix that gives the contender a processor of its own. */
  readonly through: readonly string[];
}

export interface Contender {
  readonly name: string;
  start(stage: Stage): Promise<Started>;
}

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const PEERS = file('../peers/');

export const hasPeers = existsSync(`${PEERS}node_modules/@apollo/server`);

export const HOW_TO_HAVE_PEERS =
  'Without its peers, as they are not installed: `npm install --prefix bench/peers` fetches them.';

export const OURS = 'this gateway';
export const APOLLO = 'Apollo';
const HIVE = 'Hive';
export const HIVE_ROUTER = 'Hive, router runtime';
export const LIMIT = 'limit';

const ours: Contender = {
  name: OURS,
  start: ({ supergraphFile, origin, port, dataDir, sharing, through }) =>
    start([file('../../main.ts'), 'gateway', '--supergraph', supergraphFile, '--port', String(port)], {
      env: {
        IDENTITY_URL: origin,
        DATA_DIR: dataDir,
        HOST: '127.0.0.1',
        RATE_LIMITS: 'off',
        COST_LIMIT: '1000000',
        SHARE_IN_FLIGHT: sharing ? 'on' : 'off',
      },
      ready: /ready/i,
      through,
    }),
};

const apollo: Contender = {
  name: APOLLO,
  start: ({ plainFile, port, through }) =>
    start([`${PEERS}apollo.mjs`, plainFile, String(port)], {
      env: { APOLLO_TELEMETRY_DISABLED: '1' },
      ready: /ready/,
      through,
    }),
};

const hive = (name: string, more: readonly string[]): Contender => ({
  name,
  start: ({ plainFile, port, sharing, through }) =>
    start(
      [
        `${PEERS}node_modules/@graphql-hive/gateway/dist/bin.js`,
        'supergraph',
        plainFile,
        '--port',
        String(port),
        '--host',
        '127.0.0.1',
        '--config-path',
        `${PEERS}hive.config.mjs`,
        ...more,
      ],
      { env: { HIVE_SHARING: sharing ? 'on' : 'off' }, cwd: PEERS, through },
    ),
});

const limit: Contender = {
  name: LIMIT,
  start: ({ planFile, origin, port, through }) =>
    start([file('limit.ts'), planFile, origin, String(port)], { ready: /ready/, through }),
};

export const CONTENDERS: readonly Contender[] = [
  ours,
  ...(hasPeers ? [apollo, hive(HIVE, []), hive(HIVE_ROUTER, ['--hive-router-runtime'])] : []),
  limit,
];
