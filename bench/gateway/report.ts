import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { chartOf } from './chart.ts';
import { APOLLO, HIVE_ROUTER, BASELINE } from './compared-programs.ts';
import type { Figures, Measured } from './figures.ts';

const PAGE = new URL('../../docs/performance.md', import.meta.url);
const CHART = new URL('../../docs/performance.svg', import.meta.url);
/** The last figures of each workload, from which page and chart are written. */
const FIGURES = new URL('../../docs/performance.json', import.meta.url);

/** One workload as text for the terminal. */
export const printed = (measured: Measured): string =>
  [`\n${titleOf(measured)}`, tableOf(measured)].join('\n');

/** Replaces the figures of the run's workloads on the page and in the chart. */
export async function writeReport(run: readonly Measured[]): Promise<void> {
  const before = await readFile(FIGURES, 'utf8').then(
    (text) => JSON.parse(text) as Measured[],
    () => [],
  );
  const known = new Map(
    [...before, ...run].map((measured) => [`${measured.sharing} ${measured.workload}`, measured]),
  );
  const all = [...known].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, measured]) => measured);
  await writeFile(FIGURES, `${JSON.stringify(all, undefined, 2)}\n`);
  const sections = all.map((measured) => `### ${titleOf(measured)}\n\n${tableOf(measured)}`);
  await put('figures', [circumstances(), ratiosOf(all), ...sections].join('\n\n'));
  await writeFile(CHART, chartOf(all.filter(({ sharing }) => !sharing)));
}

/** One workload on the real platform. */
export interface PlatformFigures extends Omit<Figures, 'cpuMillis' | 'cpuRatio' | 'steal'> {
  readonly cpuMillis: { readonly gateway: number; readonly services: number; readonly database: number };
}

export async function writePlatform(figures: readonly PlatformFigures[]): Promise<void> {
  const table = [
    '| | CPU of the gateway, ms per request | CPU of the services | CPU of the database | share of the gateway | max requests per second | p50 ms at half of max | p99 ms at half of max |',
    '|---|---|---|---|---|---|---|---|',
    ...figures.map(({ name, cpuMillis: { gateway, services, database }, perSecond, failures, p50, p99 }) => {
      const share = gateway / (gateway + services + database);
      return `| ${name}${failures ? ` (${failures} failed)` : ''} | ${gateway.toFixed(2)} | ${services.toFixed(2)} | ${database.toFixed(2)} | ${(share * 100).toFixed(0)} % | ${Math.round(perSecond)} | ${p50.toFixed(1)} | ${p99.toFixed(1)} |`;
    }),
  ];
  await put(
    'platform',
    [`${new Date().toISOString().slice(0, 10)}. ${circumstances()}`, table.join('\n')].join('\n\n'),
  );
}

/** Writes the memory figures of a long run into the page. */
export async function writeMemory(
  samples: readonly { requests: number; memoryMib: number }[],
  distinct: number,
): Promise<void> {
  const table = [
    `| requests, of ${distinct.toLocaleString('en')} operations | resident memory MiB |`,
    '|---|---|',
    ...samples.map(
      ({ requests, memoryMib }) => `| ${requests.toLocaleString('en')} | ${Math.round(memoryMib)} |`,
    ),
  ];
  await put('memory', [circumstances(), table.join('\n')].join('\n\n'));
}

/** Replaces the part of the page between the comments with its name. */
async function put(name: string, content: string): Promise<void> {
  const page = await readFile(PAGE, 'utf8');
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to === -1) throw new Error(`docs/performance.md has no place for ${name}`);
  await writeFile(PAGE, `${page.slice(0, from + begin.length)}\n\n${content}\n\n${page.slice(to)}`);
}

const titleOf = ({ workload, fetches, bytes, sharing, date }: Measured): string =>
  `${workload}, ${sharing ? 'equal concurrent requests shared' : 'nothing shared'} (${fetches} fetches, ${(bytes / 1000).toFixed(1)} KB, ${date})`;

function tableOf({ figures }: Measured): string {
  return [
    "| | CPU ms per request | CPU of this gateway, as a multiple of the program's | max requests per second | p50 ms at half of max | p99 ms at half of max | steal time | memory MiB |",
    '|---|---|---|---|---|---|---|---|',
    ...figures.map(
      (one) =>
        `| ${one.name}${one.failures ? ` (${one.failures} failed)` : ''} | ${one.cpuMillis.toFixed(3)} | ${times(one)} | ${Math.round(one.perSecond)} | ${one.p50.toFixed(1)} | ${one.p99.toFixed(1)} | ${(one.steal * 100).toFixed(1)} % | ${Math.round(one.memoryMib)} |`,
    ),
  ].join('\n');
}

const times = ({ cpuRatio }: Figures): string => `${cpuRatio.toFixed(2)}x`;

/** The ratios of this gateway's CPU to that of other programs. */
function ratiosOf(all: readonly Measured[]): string {
  const rows = all
    .filter(({ sharing }) => !sharing)
    .map(({ workload, figures }) => {
      const against = (name: string) => {
        const other = figures.find((one) => one.name === name);
        return other ? times(other) : '';
      };
      return `| ${workload} | ${against(APOLLO)} | ${against(HIVE_ROUTER)} | ${against(BASELINE)} |`;
    });
  return [
    'CPU of this gateway, as a multiple of that of another program:',
    '',
    `| | ${APOLLO} | ${HIVE_ROUTER} | ${BASELINE} |`,
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function circumstances(): string {
  const versions = JSON.parse(readFileSync(new URL('../peers/package.json', import.meta.url), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const others = Object.entries(versions.dependencies).map(([name, version]) => `${name} ${version}`);
  return `Node ${process.versions.node}, ${os.cpus().length} cores (${os.cpus()[0]?.model.trim() ?? ''}); ${others.join(', ')}.`;
}
