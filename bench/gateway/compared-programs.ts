import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { start, type Started } from './processes.ts';

/** The settings of a compared program. */
export interface ProgramSettings {
  readonly supergraphFile: string;
  /** The supergraph without the purpose SECURITY of its authorization directives, for gateways that do not enforce them. */
  readonly plainFile: string;
  /** The query plan of the workload, for the baseline. */
  readonly planFile: string;
  /** The origin of the subgraphs, and of identity. */
  readonly origin: string;
  readonly port: number;
  readonly dataDir: string;
  /** Whether equal concurrent requests may share one answer of a subgraph. */
  readonly sharing: boolean;
  /** The beginning of the command that starts the program; see `StartOptions.commandPrefix`. Empty if there is none. */
  readonly commandPrefix: readonly string[];
}

/** A gateway that is measured, or the baseline. */
export interface ComparedProgram {
  readonly name: string;
  start(settings: ProgramSettings): Promise<Started>;
}

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const OTHERS_FOLDER = file('../peers/');

export const hasOtherGateways = existsSync(`${OTHERS_FOLDER}node_modules/@apollo/server`);

export const HOW_TO_INSTALL_OTHERS =
  'The other gateways are not installed, so this gateway is compared with the baseline only. `npm install --prefix bench/peers` installs them.';

export const OURS = 'this gateway';
export const APOLLO = 'Apollo';
const HIVE = 'Hive';
export const HIVE_ROUTER = 'Hive, router runtime';
export const BASELINE = 'baseline';

/** The gateway of a checkout of this repository. @param more options of Node */
export const gatewayOf = (name: string, main: string, more: readonly string[] = []): ComparedProgram => ({
  name,
  start: ({ supergraphFile, origin, port, dataDir, sharing, commandPrefix }) =>
    start([...more, main, 'gateway', '--supergraph', supergraphFile, '--port', String(port)], {
      env: {
        IDENTITY_URL: origin,
        DATA_DIR: dataDir,
        HOST: '127.0.0.1',
        RATE_LIMITS: 'off',
        COST_LIMIT: '1000000',
        SHARE_IN_FLIGHT: sharing ? 'on' : 'off',
      },
      ready: /ready/i,
      commandPrefix,
    }),
});

export const OWN_MAIN = file('../../main.ts');
const ours = gatewayOf(OURS, OWN_MAIN);

const apollo: ComparedProgram = {
  name: APOLLO,
  start: ({ plainFile, port, commandPrefix }) =>
    start([`${OTHERS_FOLDER}apollo.mjs`, plainFile, String(port)], {
      env: { APOLLO_TELEMETRY_DISABLED: '1' },
      ready: /ready/,
      commandPrefix,
    }),
};

const hive = (name: string, more: readonly string[]): ComparedProgram => ({
  name,
  start: ({ plainFile, port, sharing, commandPrefix }) =>
    start(
      [
        `${OTHERS_FOLDER}node_modules/@graphql-hive/gateway/dist/bin.js`,
        'supergraph',
        plainFile,
        '--port',
        String(port),
        '--host',
        '127.0.0.1',
        '--config-path',
        `${OTHERS_FOLDER}hive.config.mjs`,
        ...more,
      ],
      { env: { HIVE_SHARING: sharing ? 'on' : 'off' }, cwd: OTHERS_FOLDER, commandPrefix },
    ),
});

const baseline: ComparedProgram = {
  name: BASELINE,
  start: ({ planFile, origin, port, commandPrefix }) =>
    start([file('baseline.ts'), planFile, origin, String(port)], { ready: /ready/, commandPrefix }),
};

export const COMPARED_PROGRAMS: readonly ComparedProgram[] = [
  ours,
  ...(hasOtherGateways ? [apollo, hive(HIVE, []), hive(HIVE_ROUTER, ['--hive-router-runtime'])] : []),
  baseline,
];
