import { escapedText, niceStep } from '#server/charts.ts';
import type { CollectedSpan } from '../tests/support/collector.ts';

/** Lengths in pixels. */
const [WIDTH, ROW, LABELS, TOP, INDENT, MARGIN] = [1_000, 22, 330, 46, 12, 12];
/** By the kinds of OTLP: unspecified, internal, server, client, producer, consumer. Each colour is readable on white. */
const COLOURS = ['#64748b', '#64748b', '#7c3aed', '#94a3b8', '#d97706', '#0f766e'] as const;
const INK = '#0f172a';
const LEGEND = [
  ['a server', 2],
  ['a request to another server, or a statement', 3],
  ['an event or job', 5],
  ['a message that is sent', 4],
] as const;

/**
 * The spans of a trace as SVG: one row for each span below its parent, and its time as a bar. If a server has several
 * replicas in the trace, they are numbered. The background is white, so that it is readable on a dark page, too.
 * @param notes what is written beside bars, by the names of their spans; the first span with a name gets its note
 */
export function traceChart(
  spans: readonly CollectedSpan[],
  notes: Readonly<Record<string, string>> = {},
): string {
  const rows = rowsOf(spans);
  const serverOf = numbered(rows.map(({ span }) => span));
  const unusedNotes = new Map(Object.entries(notes));
  const begin = Math.min(...spans.map(({ startedAt }) => startedAt));
  const millis = Math.max(...spans.map(({ endedAt }) => endedAt)) - begin;
  const x = (at: number): number => LABELS + ((at - begin) / millis) * (WIDTH - LABELS - 70);
  const height = TOP + rows.length * ROW + 44;
  const parts = gridOf(begin, millis, x, TOP + rows.length * ROW);
  for (const [index, { span, depth }] of rows.entries()) {
    const y = TOP + index * ROW;
    const [from, to] = [x(span.startedAt), x(span.endedAt)];
    const length = Math.max(2, to - from);
    const left = MARGIN + depth * INDENT;
    const note = unusedNotes.get(span.name);
    unusedNotes.delete(span.name);
    const millisOfSpan = `${(span.endedAt - span.startedAt).toFixed(1)} ms`;
    parts.push(
      `<text x="${left}" y="${y + 15}" fill="${INK}"><tspan font-weight="bold">${escapedText(serverOf(span))}</tspan> ${escapedText(shortened(span.name, depth))}</text>`,
      `<rect x="${from.toFixed(1)}" y="${y + 4}" width="${length.toFixed(1)}" height="${ROW - 8}" rx="2" fill="${COLOURS[span.kind] ?? COLOURS[0]}"/>`,
      text(from + length + 5, y + 15, millisOfSpan, 'font-size="11"'),
    );
    if (note !== undefined) parts.push(noteBy(note, from, length, y));
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" font-family="system-ui, sans-serif" font-size="12">`,
    '<title>The spans of a check-in</title>',
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    ...parts,
    ...legend(height - 16),
    '</svg>\n',
  ].join('\n');
}

/** A note in a bar that is long enough, else before the bar. */
const noteBy = (note: string, from: number, length: number, y: number): string =>
  length > WIDTH / 4
    ? text(from + 6, y + 15, note, 'font-size="11"', '#ffffff')
    : text(from - 5, y + 15, note, 'font-size="11" text-anchor="end" font-style="italic"');

/** The name of a span's server, with the number of the replica if there are several. */
function numbered(spans: readonly CollectedSpan[]): (span: CollectedSpan) => string {
  const replicas = new Map<string, unknown[]>();
  const idOf = ({ resource }: CollectedSpan): unknown => resource['service.instance.id'];
  for (const span of spans) {
    const known = replicas.get(span.service) ?? [];
    if (!known.includes(idOf(span))) replicas.set(span.service, [...known, idOf(span)]);
  }
  return (span) => {
    const ids = replicas.get(span.service) ?? [];
    return ids.length > 1 ? `${span.service} ${ids.indexOf(idOf(span)) + 1}` : span.service;
  };
}

interface Row {
  readonly span: CollectedSpan;
  readonly depth: number;
}

function rowsOf(spans: readonly CollectedSpan[]): Row[] {
  const known = new Set(spans.map(({ spanId }) => spanId));
  const below = (parent: string | undefined, depth: number): Row[] =>
    spans
      .filter(({ parentId }) => (parent === undefined ? !known.has(parentId) : parentId === parent))
      .toSorted((a, b) => a.startedAt - b.startedAt)
      .flatMap((span) => [{ span, depth }, ...below(span.spanId, depth + 1)]);
  return below(undefined, 0);
}

function gridOf(begin: number, millis: number, x: (at: number) => number, bottom: number): string[] {
  const step = niceStep(millis / 6);
  const parts: string[] = [];
  for (let at = 0; at <= millis; at += step) {
    const left = x(begin + at).toFixed(1);
    parts.push(
      `<line x1="${left}" y1="${TOP - 6}" x2="${left}" y2="${bottom}" stroke="#e2e8f0"/>`,
      text(Number(left), TOP - 14, `${at} ms`, 'text-anchor="middle" font-size="11"'),
    );
  }
  return parts;
}

function legend(y: number): string[] {
  let left = MARGIN;
  return LEGEND.flatMap(([name, kind]) => {
    const at = left;
    left += 40 + name.length * 5.6;
    return [
      `<rect x="${at}" y="${y - 9}" width="12" height="10" rx="2" fill="${COLOURS[kind]}"/>`,
      text(at + 17, y, name, 'font-size="11"'),
    ];
  });
}

const shortened = (name: string, depth: number): string => {
  const most = 36 - depth * 2;
  return name.length > most ? `${name.slice(0, most - 1)}…` : name;
};

const text = (x: number, y: number, content: string, more = '', colour = INK): string =>
  `<text x="${x.toFixed(1)}" y="${y}" fill="${colour}" ${more}>${escapedText(content)}</text>`;
