import { CHART_FONT, escapedText, shortened } from '#server/charts.ts';
import { BACK, BODY, FRONT, HEAD } from './muscle-shapes.ts';
import type { ExerciseShape } from './exercises.shapes.ts';

const WIDTH = 460;
const HEIGHT = 500;
const FIGURE_WIDTH = 200;
const LINE_CHARACTERS = 62;
const TITLE_CHARACTERS = 46;

/**
 * An SVG picture of the muscles that an exercise trains, from the front and from behind. Muscles that do most of the work are
 * filled, those that help are hatched, and all are named below, so that no meaning depends on colour alone. The colours
 * follow the viewer's light or dark scheme.
 */
export function muscleMap({
  name,
  primaryMuscles,
  secondaryMuscles,
}: Pick<ExerciseShape, 'name' | 'primaryMuscles' | 'secondaryMuscles'>): string {
  const classOf = (muscle: string): string =>
    primaryMuscles.includes(muscle) ? 'main' : secondaryMuscles.includes(muscle) ? 'helps' : 'rest';
  const listed = (muscles: readonly string[]) => (muscles.length === 0 ? 'none' : muscles.join(', '));
  const legend = [
    ...wrapped(`Main: ${listed(primaryMuscles)}`).map((text) => ['main', text] as const),
    ...wrapped(`Helping: ${listed(secondaryMuscles)}`).map((text) => ['helps', text] as const),
  ];
  const legendTop = 452;
  const height = Math.max(HEIGHT, legendTop + legend.length * 18 + 8);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title" aria-describedby="description">
<title id="title">${escapedText(name)}: muscles</title>
<desc id="description">${escapedText(`Main: ${listed(primaryMuscles)}. Helping: ${listed(secondaryMuscles)}.`)}</desc>
<style>
svg{font:${CHART_FONT};--paper:#fff;--ink:#1f2937;--soft:#6b7280;--body:#e5e7eb;--rest:#cbd5e1;--main:#b91c1c;--helps:#c2410c}
@media (prefers-color-scheme:dark){svg{--paper:#111827;--ink:#f3f4f6;--soft:#9ca3af;--body:#374151;--rest:#4b5563;--main:#f87171;--helps:#fdba74}}
.paper{fill:var(--paper)}.title{fill:var(--ink);font-size:15px;font-weight:600}.soft{fill:var(--soft)}.name{fill:var(--ink)}.body{fill:var(--body)}.rest{fill:var(--rest)}.main{fill:var(--main)}.helps{fill:url(#hatch);stroke:var(--helps)}
</style>
<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="6" height="6" style="fill:var(--helps);fill-opacity:.25"/><line x1="0" y1="0" x2="0" y2="6" style="stroke:var(--helps);stroke-width:4"/></pattern></defs>
<rect class="paper" width="${WIDTH}" height="${height}" rx="8"/>
<text class="title" x="20" y="26">${escapedText(shortened(name, TITLE_CHARACTERS))}</text>
${figure(FRONT, 'Front', 20, classOf)}
${figure(BACK, 'Back', WIDTH - FIGURE_WIDTH - 20, classOf)}
${legend
  .map(([kind, text], index) => {
    const y = legendTop + index * 18;
    const box = text.startsWith(' ')
      ? ''
      : `<rect class="${kind}" x="20" y="${y}" width="12" height="12" rx="2"/>`;
    return `${box}<text class="name" x="40" y="${y + 10}">${escapedText(text.trim())}</text>`;
  })
  .join('\n')}
</svg>
`;
}

function figure(
  muscles: Readonly<Record<string, readonly string[]>>,
  view: string,
  left: number,
  classOf: (muscle: string) => string,
): string {
  const half = [
    `<path class="body" d="${BODY}"/>`,
    ...Object.entries(muscles).flatMap(([muscle, paths]) =>
      paths.map((d) => `<path class="${classOf(muscle)}" d="${d}"><title>${muscle}</title></path>`),
    ),
  ].join('');
  return `<g transform="translate(${left} 24)"><ellipse class="body" cx="${HEAD.x}" cy="${HEAD.y}" rx="${HEAD.width}" ry="${HEAD.height}"/><g>${half}</g><g transform="translate(${FIGURE_WIDTH} 0) scale(-1 1)">${half}</g><text class="soft" x="${HEAD.x}" y="420" text-anchor="middle">${view}</text></g>`;
}

/** Lines of at most 62 characters. Each line after the first one begins with a space: the legend then draws no box beside it. */
function wrapped(text: string): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line.length + word.length + 1 > LINE_CHARACTERS && line !== '') lines.push(` ${word}`);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}
