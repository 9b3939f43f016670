import { readFile, writeFile } from 'node:fs/promises';
import { barChart, COLOURS, type BarGroup } from '../gateway/chart.ts';
import { DAY_SECONDS, PEAK, REQUESTS, ROWS_PER_MEMBER, ROWS_PER_MEMBER_AND_DAY } from './model.ts';

const PAGE = new URL('../../docs/scaling.md', import.meta.url);
const CHART = new URL('../../docs/scaling.svg', import.meta.url);
const MEMBERS = 1_000_000; // of the chart and the table of growth

/** Bytes of one row of a table: `data` without indexes, `total` with its share of them. */
export interface RowSize {
  table: string;
  rows: number;
  data: number;
  total: number;
}

/** Writes the measured figures, and what follows from them, into docs/scaling.md and its chart. */
export async function writeReport(sizes: readonly RowSize[], partitions: string): Promise<void> {
  const growth = growthOf(sizes);
  await put('rows', rowsTable(sizes));
  await put('growth', growthTable(growth));
  await put('processors', processorsTable());
  await put('partitions', partitions.trim());
  await writeFile(
    CHART,
    barChart('Growth and processors of one million members', [growthBars(growth), processorBars()]),
  );
}

const rowsTable = (sizes: readonly RowSize[]): string =>
  [
    '| table | rows measured | bytes per row | with its indexes |',
    '|---|---|---|---|',
    ...sizes.map(
      ({ table, rows, data, total }) =>
        `| \`${table}\` | ${rows.toLocaleString('en')} | ${data} | ${total} |`,
    ),
  ].join('\n');

interface Growth {
  table: string;
  rowsPerDay: number;
  gigabytesPerYear: number;
  /** The gigabytes that are stored after five years. */
  afterFiveYears: number;
}

function growthOf(sizes: readonly RowSize[]): Growth[] {
  return Object.entries(ROWS_PER_MEMBER_AND_DAY)
    .map(([table, { rows, keptDays }]) => {
      const bytes = sizes.find((size) => size.table === table)?.total ?? Number.NaN;
      const days = keptDays === 'for ever' ? 5 * 365 : Math.min(keptDays, 5 * 365);
      return {
        table,
        rowsPerDay: rows * MEMBERS,
        gigabytesPerYear: (rows * MEMBERS * bytes * Math.min(days, 365)) / 1e9,
        afterFiveYears: (rows * MEMBERS * bytes * days) / 1e9,
      };
    })
    .toSorted((one, other) => other.afterFiveYears - one.afterFiveYears);
}

const growthTable = (growth: readonly Growth[]): string =>
  [
    '| table | rows per member and day (assumed) | why | kept | GB after a year | GB after five years |',
    '|---|---|---|---|---|---|',
    ...growth.map(({ table, gigabytesPerYear, afterFiveYears }) => {
      const { rows, keptDays, why } = ROWS_PER_MEMBER_AND_DAY[table]!;
      return `| \`${table}\` | ${rows} | ${why} | ${keptDays === 'for ever' ? keptDays : `${keptDays} days`} | ${gigabytesPerYear.toFixed(1)} | ${afterFiveYears.toFixed(0)} |`;
    }),
    `| together | | | | ${sum(growth.map((one) => one.gigabytesPerYear)).toFixed(0)} | ${sum(growth.map((one) => one.afterFiveYears)).toFixed(0)} |`,
    '',
    `In addition, each member has one row in ${ROWS_PER_MEMBER.map((table) => `\`${table}\``).join(' and ')}.`,
  ].join('\n');

/** Processors in use at the peak for a number of members. */
function processorsFor(members: number) {
  const peakRequests = ({ perMemberAndDay }: { perMemberAndDay: number }) =>
    (members * perMemberAndDay * PEAK) / DAY_SECONDS;
  const all = Object.values(REQUESTS);
  const of = (part: 'gateway' | 'services' | 'database') =>
    sum(all.map((one) => (peakRequests(one) * one[part]) / 1_000));
  return {
    requests: sum(all.map(peakRequests)),
    gateway: of('gateway'),
    services: of('services'),
    database: of('database'),
  };
}

const processorsTable = (): string =>
  [
    '| members | requests per second at the peak | processors: gateway | services | PostgreSQL | together |',
    '|---|---|---|---|---|---|',
    ...[10_000, 100_000, 1_000_000, 10_000_000].map((members) => {
      const { requests, gateway, services, database } = processorsFor(members);
      const shown = [gateway, services, database, gateway + services + database].map((value) =>
        value.toFixed(2),
      );
      return `| ${members.toLocaleString('en')} | ${requests.toFixed(requests < 100 ? 1 : 0)} | ${shown.join(' | ')} |`;
    }),
  ].join('\n');

const growthBars = (growth: readonly Growth[]): BarGroup => ({
  title: 'One million members: GB stored after five years, with indexes',
  digits: 1,
  bars: growth.map(({ table, afterFiveYears }, index) => ({
    name: table,
    value: afterFiveYears,
    colour: index < 2 ? COLOURS.main : COLOURS.other,
  })),
});

function processorBars(): BarGroup {
  const { gateway, services, database } = processorsFor(MEMBERS);
  return {
    title: 'One million members: processors in use at the peak of a day',
    digits: 2,
    bars: [
      { name: 'gateway', value: gateway, colour: COLOURS.main },
      { name: 'services', value: services, colour: COLOURS.other },
      { name: 'PostgreSQL', value: database, colour: COLOURS.light },
    ],
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Replaces the text between `<!-- name -->` and `<!-- end of name -->`. */
async function put(name: string, content: string): Promise<void> {
  const page = await readFile(PAGE, 'utf8');
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/scaling.md has no place for ${name}`);
  await writeFile(PAGE, `${page.slice(0, from + begin.length)}\n\n${content}\n\n${page.slice(to)}`);
}
