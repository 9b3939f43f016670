import { CHART_FONT, chartNumber as number, dayLabel, niceStep, thousands } from '#server/charts.ts';
import type { NutrientName } from '../nutrients.ts';
import type { SeriesPointShape } from './days.shapes.ts';

const WIDTH = 800;
const HEIGHT = 360;
const PLOT = { left: 56, right: 16, top: 48, bottom: 40 };
const TITLES: Record<NutrientName, string> = {
  calories: 'Energy, kcal a day',
  protein: 'Protein, g a day',
  carbs: 'Carbohydrates, g a day',
  fats: 'Fat, g a day',
};

/**
 * An SVG picture with bars for the eaten amount and a line for the goal. The colours follow the light or dark scheme of the
 * browser. No meaning depends on colour alone: bars above the goal are hatched, and the goal is dashed and labelled.
 */
export function chartOf(points: readonly SeriesPointShape[], metric: NutrientName): string {
  const bars = points.map((point) => ({ point, value: point.averages[metric], goal: point.goal?.[metric] }));
  const most = Math.max(1, ...bars.map(({ value, goal }) => Math.max(value, goal ?? 0)));
  const step = niceStep(most / 4);
  const top = Math.ceil((most * 1.04) / step) * step;
  const plotWidth = WIDTH - PLOT.left - PLOT.right;
  const plotHeight = HEIGHT - PLOT.top - PLOT.bottom;
  const y = (value: number) => number(PLOT.top + plotHeight * (1 - value / top));
  const slot = plotWidth / Math.max(1, bars.length);
  const x = (index: number) => PLOT.left + slot * index;
  const width = Math.max(1, Math.min(40, slot * 0.7));
  const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_unused, index) => index * step);
  const everyLabel = Math.max(1, Math.ceil(bars.length / 10));
  const logged = bars.filter(({ point }) => point.loggedDays > 0);
  const mean = logged.length === 0 ? 0 : logged.reduce((sum, { value }) => sum + value, 0) / logged.length;
  const [from, to] = [points[0]?.start ?? '', points.at(-1)?.end ?? ''];

  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-labelledby="title description">
<title id="title">${TITLES[metric]}, ${from} to ${to}</title>
<desc id="description">${logged.length === 0 ? 'Nothing was logged.' : `${number(mean)} on average over ${logged.length} of ${bars.length} ${bars.length === 1 ? 'bar' : 'bars'} with entries.`}</desc>
<style>
svg{font:${CHART_FONT};--paper:#fff;--ink:#1f2937;--soft:#6b7280;--grid:#e5e7eb;--bar:#0f766e;--over:#b45309;--goal:#1d4ed8}
@media (prefers-color-scheme:dark){svg{--paper:#111827;--ink:#f3f4f6;--soft:#9ca3af;--grid:#374151;--bar:#2dd4bf;--over:#fbbf24;--goal:#93c5fd}}
.paper{fill:var(--paper)}.title{fill:var(--ink);font-size:15px;font-weight:600}.soft{fill:var(--soft)}.grid{stroke:var(--grid)}.bar{fill:var(--bar)}.over{fill:url(#hatch);stroke:var(--over)}.goal{stroke:var(--goal);stroke-width:2;stroke-dasharray:6 4;fill:none}.goal-name{fill:var(--goal);font-weight:600;stroke:var(--paper);stroke-width:4px;paint-order:stroke}
</style>
<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="6" height="6" style="fill:var(--over);fill-opacity:.35"/><line x1="0" y1="0" x2="0" y2="6" style="stroke:var(--over);stroke-width:4"/></pattern></defs>
<rect class="paper" width="${WIDTH}" height="${HEIGHT}" rx="8"/>
<text class="title" x="${PLOT.left}" y="26">${TITLES[metric]}</text>
<text class="soft" x="${WIDTH - PLOT.right}" y="26" text-anchor="end">${from} to ${to}</text>
${ticks.map((tick) => `<line class="grid" x1="${PLOT.left}" x2="${WIDTH - PLOT.right}" y1="${y(tick)}" y2="${y(tick)}"/><text class="soft" x="${PLOT.left - 8}" y="${y(tick) + 4}" text-anchor="end">${thousands(tick)}</text>`).join('\n')}
${bars
  .map(({ point, value, goal }, index) => {
    const place = number(x(index) + (slot - width) / 2);
    const over = goal !== undefined && value > goal;
    const label =
      index % everyLabel === 0
        ? `<text class="soft" x="${number(x(index) + slot / 2)}" y="${HEIGHT - PLOT.bottom + 18}" text-anchor="middle">${dayLabel(point.start)}</text>`
        : '';
    const bar =
      value > 0
        ? `<rect class="${over ? 'over' : 'bar'}" x="${place}" y="${y(value)}" width="${number(width)}" height="${number(PLOT.top + plotHeight - y(value))}" rx="${number(Math.min(3, width / 3))}"><title>${point.start}: ${thousands(number(value))}${over ? ', above the goal' : ''}</title></rect>`
        : '';
    return `${bar}${label}`;
  })
  .join('\n')}
${goalLine(
  bars.map(({ goal }) => goal),
  (index) => number(x(index)),
  y,
)}
</svg>
`;
}

/** A stepped line of the goals, with gaps for buckets without a goal. */
function goalLine(
  goals: readonly (number | undefined)[],
  x: (index: number) => number,
  y: (value: number) => number,
): string {
  let path = '';
  let last: number | undefined;
  for (const [index, goal] of goals.entries()) {
    if (goal !== undefined)
      path += `${last === undefined ? 'M' : 'L'}${x(index)} ${y(goal)}L${x(index + 1)} ${y(goal)}`;
    last = goal;
  }
  if (!path) return '';
  const shown = goals.findLast((goal) => goal !== undefined) ?? 0;
  return `<path class="goal" d="${path}"/><text class="goal-name" x="${WIDTH - PLOT.right - 4}" y="${y(shown) - 6}" text-anchor="end">goal ${thousands(number(shown))}</text>`;
}
