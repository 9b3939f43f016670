import type { Measured } from './figures.ts';

/** Lengths in pixels. */
const [CHART_WIDTH, BAR_HEIGHT, BAR_GAP, LABEL_WIDTH, TITLE_HEIGHT] = [860, 22, 6, 190, 40];

export const COLOURS = { main: '#7c3aed', other: '#64748b', light: '#94a3b8' } as const;

/** Bars with a scale of their own, under a title. */
export interface BarGroup {
  title: string;
  bars: readonly { name: string; value: number; colour: string }[];
  /** Decimal places. */
  digits: number;
}

/** A bar chart (SVG) of the CPU milliseconds per request; each workload has its own scale. */
export const chartOf = (all: readonly Measured[]): string =>
  barChart(
    'CPU per request',
    all.map(({ workload, figures }) => ({
      title: `${workload}: CPU ms per request`,
      digits: 2,
      bars: figures.map(({ name, cpuMillis }) => ({ name, value: cpuMillis, colour: colourOf(name) })),
    })),
  );

const colourOf = (program: string): string =>
  program === 'this gateway' ? COLOURS.main : program === 'baseline' ? COLOURS.light : COLOURS.other;

/** A bar chart as SVG. */
export function barChart(title: string, groups: readonly BarGroup[]): string {
  let top = 10;
  const parts: string[] = [];
  for (const group of groups) {
    parts.push(text(10, top + 20, group.title, 'font-weight="bold"'));
    top += TITLE_HEIGHT - 8;
    const longest = Math.max(...group.bars.map(({ value }) => value));
    for (const { name, value, colour } of group.bars) {
      const length = Math.max(2, (value / longest) * (CHART_WIDTH - LABEL_WIDTH - 90));
      parts.push(
        text(LABEL_WIDTH - 10, top + 15, name, 'text-anchor="end"'),
        `<rect x="${LABEL_WIDTH}" y="${top}" width="${length.toFixed(1)}" height="${BAR_HEIGHT}" rx="3" fill="${colour}"/>`,
        text(LABEL_WIDTH + length + 8, top + 15, value.toFixed(group.digits)),
      );
      top += BAR_HEIGHT + BAR_GAP;
    }
    top += 14;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${CHART_WIDTH} ${top}" font-family="system-ui, sans-serif" font-size="13">`,
    `<title>${title}</title>`,
    `<rect width="${CHART_WIDTH}" height="${top}" fill="#ffffff"/>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}

const text = (x: number, y: number, content: string, more = ''): string =>
  `<text x="${x.toFixed(1)}" y="${y}" fill="#0f172a" ${more}>${content}</text>`;
