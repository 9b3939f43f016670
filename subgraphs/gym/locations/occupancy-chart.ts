import type { LocationShape, OccupancySampleShape } from './locations.shapes.ts';

const WIDTH = 760;
const HEIGHT = 260;
const PLOT = { left: 48, right: 16, top: 40, bottom: 36 };
const HALF_LABEL = 44; // pixels: half of "22 Nov, 17:00" at 12 px, with some room
const escaped = (text: string): string => text.replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The peak of each hour as an SVG picture, readable on light and dark backgrounds; times are the location's own. */
export function occupancyChart(location: LocationShape, samples: readonly OccupancySampleShape[]): string {
  const top = Math.max(location.capacity, ...samples.map(({ peak }) => peak), 1);
  const plotWidth = WIDTH - PLOT.left - PLOT.right;
  const plotHeight = HEIGHT - PLOT.top - PLOT.bottom;
  const y = (people: number) => PLOT.top + plotHeight * (1 - people / top);
  const step = plotWidth / Math.max(samples.length, 1);
  const bars = samples.map(({ from, peak }, index) => {
    const height = (plotHeight * peak) / top;
    const x = PLOT.left + index * step + step * 0.1;
    return `<rect x="${x.toFixed(1)}" y="${y(peak).toFixed(1)}" width="${(step * 0.8).toFixed(1)}" height="${height.toFixed(1)}" class="${peak >= location.capacity ? 'full' : 'bar'}"><title>${hourIn(location, from)}: ${peak}</title></rect>`;
  });
  const every = Math.max(1, Math.ceil(samples.length / 8));
  // Keeps the label of a late hour inside of the picture.
  const labelX = (index: number) => Math.min(PLOT.left + (index + 0.5) * step, WIDTH - HALF_LABEL);
  const labels = samples.flatMap(({ from }, index) =>
    index % every === 0
      ? [
          `<text x="${labelX(index).toFixed(1)}" y="${HEIGHT - 12}" text-anchor="middle">${hourIn(location, from)}</text>`,
        ]
      : [],
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" font-family="system-ui, sans-serif" font-size="12">
<title>Most people at once in ${escaped(location.name)}, hour by hour</title>
<style>text{fill:#475569}.bar{fill:#0284c7}.full{fill:#dc2626}.line{stroke:#dc2626;stroke-dasharray:4 3}.axis{stroke:#94a3b8}@media(prefers-color-scheme:dark){text{fill:#cbd5e1}.bar{fill:#38bdf8}}</style>
<text x="${PLOT.left}" y="22" font-size="14" font-weight="600">${escaped(location.name)}: most people at once</text>
<line class="axis" x1="${PLOT.left}" x2="${WIDTH - PLOT.right}" y1="${HEIGHT - PLOT.bottom}" y2="${HEIGHT - PLOT.bottom}"/>
<line class="line" x1="${PLOT.left}" x2="${WIDTH - PLOT.right}" y1="${y(location.capacity).toFixed(1)}" y2="${y(location.capacity).toFixed(1)}"/>
<text x="${PLOT.left - 6}" y="${(y(location.capacity) + 4).toFixed(1)}" text-anchor="end">${location.capacity}</text>
<text x="${PLOT.left - 6}" y="${HEIGHT - PLOT.bottom + 4}" text-anchor="end">0</text>
${bars.join('\n')}
${labels.join('\n')}
</svg>
`;
}

const hourIn = ({ timezone }: LocationShape, from: string): string =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    day: '2-digit',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  }).format(new Date(from));
