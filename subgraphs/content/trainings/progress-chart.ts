import {
  CHART_FONT,
  chartNumber as number,
  dayLabel,
  escapedText,
  niceStep,
  shortened,
  thousands,
} from '#server/charts.ts';
import type { ProgressMetric, ProgressShape, SummaryBucket } from './progress.shapes.ts';

const WIDTH = 800;
const HEIGHT = 360;
const PLOT = { left: 56, right: 24, top: 48, bottom: 40 };
const DIGIT_WIDTH = 7;
/** The maximum length of the title. */
const MOST_CHARACTERS = 80;
const MOST_LABELS = 8;
const MOST_DOTS = 200;
const TITLES: Readonly<Record<ProgressMetric, string>> = {
  E1RM: 'estimated one-repetition maximum, kg',
  MAX_WEIGHT: 'heaviest set, kg',
  VOLUME: 'volume of a training, kg',
  REPS: 'most repetitions in a set',
};

/** What a point is, alone and several of them. */
const NOUNS = {
  TRAINING: ['training', 'trainings'],
  DAY: ['day', 'days'],
  WEEK: ['week', 'weeks'],
  MONTH: ['month', 'months'],
} as const;

/**
 * An SVG picture with a line over time and a dot for each point. The colours follow the viewer's light or dark scheme.
 * The best value has a ring and a label, so that no meaning depends on colour alone.
 */
export function progressChart(
  exercise: string,
  { metric, points }: ProgressShape,
  bucket: SummaryBucket | undefined,
): string {
  const title = `${escapedText(exercise)}: ${TITLES[metric]}`;
  const shown = `${escapedText(shortened(exercise, MOST_CHARACTERS - TITLES[metric].length - 2))}: ${TITLES[metric]}`;
  const dates = points.map(({ date }) => Date.parse(date));
  const [first = 0, last = 0] = [dates[0], dates.at(-1)];
  const values = points.map(({ value }) => value);
  const highest = values.reduce((most, value) => Math.max(most, value), 0);
  const lowest = values.reduce((least, value) => Math.min(least, value), highest);
  const step = niceStep(Math.max((highest - lowest) / 4, highest / 40, 1));
  const bottom = Math.max(0, Math.floor((lowest - step / 2) / step) * step);
  const top = Math.max(bottom + step, Math.ceil((highest + step / 4) / step) * step);
  const left = Math.max(PLOT.left, 20 + DIGIT_WIDTH * thousands(number(top)).length);
  const plotWidth = WIDTH - left - PLOT.right;
  const plotHeight = HEIGHT - PLOT.top - PLOT.bottom;
  const y = (value: number) => number(PLOT.top + plotHeight * (1 - (value - bottom) / (top - bottom)));
  const xAt = (time: number) =>
    number(left + plotWidth * (last > first ? (time - first) / (last - first) : 0.5));
  const ticks = Array.from({ length: Math.round((top - bottom) / step) + 1 }, (_unused, index) =>
    number(bottom + index * step),
  );
  const best = values.indexOf(highest);
  const bestX = xAt(dates[best] ?? 0);
  const [from, to] = [points[0]?.date ?? '', points.at(-1)?.date ?? ''];

  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-labelledby="title" aria-describedby="description">
<title id="title">${title}${from && `, ${from} to ${to}`}</title>
<desc id="description">${points.length === 0 ? 'Nothing was logged.' : `From ${number(values[0] ?? 0)} to ${number(values.at(-1) ?? 0)} in ${points.length} ${NOUNS[bucket ?? 'TRAINING'][points.length === 1 ? 0 : 1]}; the best is ${number(highest)}.`}</desc>
<style>
svg{font:${CHART_FONT};--paper:#fff;--ink:#1f2937;--soft:#6b7280;--grid:#e5e7eb;--line:#0f766e;--best:#b45309}
@media (prefers-color-scheme:dark){svg{--paper:#111827;--ink:#f3f4f6;--soft:#9ca3af;--grid:#374151;--line:#2dd4bf;--best:#fbbf24}}
.paper{fill:var(--paper)}.title{fill:var(--ink);font-size:15px;font-weight:600}.soft{fill:var(--soft)}.grid{stroke:var(--grid)}.line{stroke:var(--line);stroke-width:2;fill:none;stroke-linejoin:round}.dot{fill:var(--line)}.best{fill:none;stroke:var(--best);stroke-width:2}.best-name{fill:var(--best);font-weight:600}
</style>
<rect class="paper" width="${WIDTH}" height="${HEIGHT}" rx="8"/>
<text class="title" x="${left}" y="26">${shown}</text>
${points.length === 0 ? `<text class="soft" x="${WIDTH / 2}" y="${HEIGHT / 2}" text-anchor="middle">Nothing was logged.</text>` : ''}
${points.length === 0 ? '' : ticks.map((tick) => `<line class="grid" x1="${left}" x2="${WIDTH - PLOT.right}" y1="${y(tick)}" y2="${y(tick)}"/><text class="soft" x="${left - 12}" y="${y(tick) + 4}" text-anchor="end">${thousands(tick)}</text>`).join('\n')}
${labelDays(first, last)
  .map(
    (time) =>
      `<text class="soft" x="${xAt(time)}" y="${HEIGHT - PLOT.bottom + 18}" text-anchor="${time === last && last > first ? 'end' : 'middle'}">${dateLabel(time, first, last)}</text>`,
  )
  .join('\n')}
${points.length > 1 ? `<path class="line" d="${points.map(({ value }, index) => `${index === 0 ? 'M' : 'L'}${xAt(dates[index] ?? 0)} ${y(value)}`).join('')}"/>` : ''}
${
  points.length > MOST_DOTS
    ? ''
    : points
        .map(
          ({ date, value }, index) =>
            `<circle class="dot" cx="${xAt(dates[index] ?? 0)}" cy="${y(value)}" r="3.5"><title>${date}: ${thousands(number(value))}</title></circle>`,
        )
        .join('\n')
}
${points.length === 0 ? '' : `<circle class="best" cx="${bestX}" cy="${y(highest)}" r="7"/><text class="best-name" x="${bestX}" y="${y(highest) - 12}" text-anchor="${bestX > WIDTH - 90 ? 'end' : bestX < left + 40 ? 'start' : 'middle'}">best ${thousands(number(highest))}</text>`}
</svg>
`;
}

const DAY = 86_400_000; // milliseconds

/** The days with a label on the axis, at equal distances, from the first day to the last one. */
function labelDays(first: number, last: number): number[] {
  if (first === 0) return [];
  const days = (last - first) / DAY;
  const count = Math.min(MOST_LABELS, days + 1);
  return [
    ...new Set(
      Array.from({ length: count }, (_unused, index) =>
        count === 1 ? first : first + Math.round((days * index) / (count - 1)) * DAY,
      ),
    ),
  ];
}

/** Over more than a year, a label needs the year. */
const dateLabel = (time: number, first: number, last: number): string => {
  const date = new Date(time).toISOString().slice(0, 10);
  return last - first > 365 * DAY ? `${dayLabel(date).split(' ')[1]} ${date.slice(0, 4)}` : dayLabel(date);
};
