import type { Measured } from './figures.ts';

const [WIDTH, BAR, GAP, LABELS, TITLE] = [860, 22, 6, 170, 40];

/** A bar chart of the CPU milliseconds a request; each workload has its own scale. */
export function chartOf(all: readonly Measured[]): string {
  let top = 10;
  const parts: string[] = [];
  for (const { workload, figures } of all) {
    parts.push(text(10, top + 20, `${workload}: CPU ms a request`, 'font-weight="bold"'));
    top += TITLE - 8;
    const most = Math.max(...figures.map(({ cpuMillis }) => cpuMillis));
    for (const { name, cpuMillis } of figures) {
      const length = Math.max(2, (cpuMillis / most) * (WIDTH - LABELS - 90));
      const colour = name === 'this gateway' ? '#7c3aed' : name === 'limit' ? '#94a3b8' : '#64748b';
      parts.push(
        text(LABELS - 10, top + 15, name, 'text-anchor="end"'),
        `<rect x="${LABELS}" y="${top}" width="${length.toFixed(1)}" height="${BAR}" rx="3" fill="${colour}"/>`,
        text(LABELS + length + 8, top + 15, cpuMillis.toFixed(2)),
      );
      top += BAR + GAP;
    }
    top += 14;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" font-family="system-ui, sans-serif" font-size="13">`,
    `<title>CPU of a request</title>`,
    `<rect width="${WIDTH}" height="${top}" fill="#ffffff"/>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}

const text = (x: number, y: number, content: string, more = ''): string =>
  `<text x="${x.toFixed(1)}" y="${y}" fill="#0f172a" ${more}>${content}</text>`;
