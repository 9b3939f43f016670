import type { Measured } from './figures.ts';

/** Lengths in pixels. */
const [CHART_WIDTH, BAR_HEIGHT, BAR_GAP, LABEL_WIDTH, TITLE_HEIGHT] = [860, 22, 6, 170, 40];

/** A bar chart (SVG) of the CPU milliseconds per request; each workload has its own scale. */
export function chartOf(all: readonly Measured[]): string {
  let top = 10;
  const parts: string[] = [];
  for (const { workload, figures } of all) {
    parts.push(text(10, top + 20, `${workload}: CPU ms per request`, 'font-weight="bold"'));
    top += TITLE_HEIGHT - 8;
    const longest = Math.max(...figures.map(({ cpuMillis }) => cpuMillis));
    for (const { name, cpuMillis } of figures) {
      const length = Math.max(2, (cpuMillis / longest) * (CHART_WIDTH - LABEL_WIDTH - 90));
      const colour = name === 'this gateway' ? '#7c3aed' : name === 'baseline' ? '#94a3b8' : '#64748b';
      parts.push(
        text(LABEL_WIDTH - 10, top + 15, name, 'text-anchor="end"'),
        `<rect x="${LABEL_WIDTH}" y="${top}" width="${length.toFixed(1)}" height="${BAR_HEIGHT}" rx="3" fill="${colour}"/>`,
        text(LABEL_WIDTH + length + 8, top + 15, cpuMillis.toFixed(2)),
      );
      top += BAR_HEIGHT + BAR_GAP;
    }
    top += 14;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${CHART_WIDTH} ${top}" font-family="system-ui, sans-serif" font-size="13">`,
    `<title>CPU per request</title>`,
    `<rect width="${CHART_WIDTH}" height="${top}" fill="#ffffff"/>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}

const text = (x: number, y: number, content: string, more = ''): string =>
  `<text x="${x.toFixed(1)}" y="${y}" fill="#0f172a" ${more}>${content}</text>`;
