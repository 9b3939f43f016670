import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { chartOf } from './chart.ts';
import { APOLLO, HIVE_ROUTER, LIMIT, OURS } from './contenders.ts';

export interface Figures {
  readonly name: string;
  /** Of processor time, for a request. */
  readonly cpuMillis: number;
  /** Requests, at most. */
  readonly perSecond: number;
  readonly failures: number;
  /** Milliseconds that a request takes at half of that rate. */
  readonly p50: number;
  readonly p99: number;
  readonly memoryMib: number;
}

export interface Measured {
  readonly workload: string;
  readonly sharing: boolean;
  readonly bytes: number;
  readonly fetches: number;
  readonly figures: readonly Figures[];
}

const PAGE = new URL('../../docs/performance.md', import.meta.url);
const CHART = new URL('../../docs/performance.svg', import.meta.url);
/** One workload as text for the terminal. */
export const printed = (measured: Measured): string =>
  [`\n${titleOf(measured)}`, tableOf(measured)].join('\n');

/** Puts the figures of a run in their place on the page, and draws them. */
export async function writeReport(all: readonly Measured[]): Promise<void> {
  const sections = all.map((measured) => `### ${titleOf(measured)}\n\n${tableOf(measured)}`);
  await put('figures', [circumstances(), ratiosOf(all), ...sections].join('\n\n'));
  await writeFile(CHART, chartOf(all.filter(({ sharing }) => !sharing)));
}

/** Puts what a long run took of memory in its place on the page. */
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

/** Replaces a part of the page that is between comments of its name. */
async function put(name: string, content: string): Promise<void> {
  const page = await readFile(PAGE, 'utf8');
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to === -1) throw new Error(`docs/performance.md has no place for ${name}`);
  await writeFile(PAGE, `${page.slice(0, from + begin.length)}\n\n${content}\n\n${page.slice(to)}`);
}

const titleOf = ({ workload, fetches, bytes, sharing }: Measured): string =>
  `${workload}: ${fetches} fetches, ${(bytes / 1000).toFixed(1)} KB, sharing of equal requests in flight ${sharing ? 'on' : 'off'}`;

function tableOf({ figures }: Measured): string {
  const ours = figures.find(({ name }) => name === OURS);
  return [
    '| | CPU ms a request | ours is | requests a second | p50 ms at half | p99 ms at half | memory MiB |',
    '|---|---|---|---|---|---|---|',
    ...figures.map(
      (one) =>
        `| ${one.name}${one.failures ? ` (${one.failures} failed)` : ''} | ${one.cpuMillis.toFixed(3)} | ${times(ours, one)} | ${Math.round(one.perSecond)} | ${one.p50.toFixed(1)} | ${one.p99.toFixed(1)} | ${Math.round(one.memoryMib)} |`,
    ),
  ].join('\n');
}

const times = (ours: Figures | undefined, other: Figures): string =>
  ours ? `${(ours.cpuMillis / other.cpuMillis).toFixed(2)}x` : '';

/** The line that the bar is held against. */
function ratiosOf(all: readonly Measured[]): string {
  const rows = all
    .filter(({ sharing }) => !sharing)
    .map(({ workload, figures }) => {
      const of = (name: string) => figures.find((one) => one.name === name);
      const against = (name: string) => {
        const other = of(name);
        return other ? times(of(OURS), other) : '';
      };
      return `| ${workload} | ${against(APOLLO)} | ${against(HIVE_ROUTER)} | ${against(LIMIT)} |`;
    });
  return [
    `CPU of a request, of this gateway to others:`,
    '',
    `| | ${APOLLO} | ${HIVE_ROUTER} | ${LIMIT} |`,
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function circumstances(): string {
  const versions = JSON.parse(readFileSync(new URL('../peers/package.json', import.meta.url), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const peers = Object.entries(versions.dependencies).map(([name, version]) => `${name} ${version}`);
  return `Measured on ${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${os.cpus().length} cores (${os.cpus()[0]?.model.trim() ?? ''}); ${peers.join(', ')}.`;
}
