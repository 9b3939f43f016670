import type { Readable } from 'node:stream';
import { boundedChunks, firstBytes, withStart } from '#server/csv/text-lines.ts';
import { streamOf } from '#server/streams.ts';
import { linesOfActivities } from './activity-lines.ts';
import { readFit } from './fit-activities.ts';
import { readCsv } from './import-lines.ts';
import { readTcx } from './tcx-activities.ts';
import { MAX_BYTES, type ImportOptions, type LineOrErrors } from './imported-lines.ts';

const MAX_LINES = 50_000;

/**
 * Reads a file of trainings. Its content decides whether it is CSV, or an activity as FIT or TCX. Every line, lap or set is
 * returned once, as what it contains or as its errors.
 * @throws VALIDATION_FAILED for a file that is none of these; PAYLOAD_TOO_LARGE beyond 10 MiB or 50,000 lines
 */
export async function readImport(stream: Readable, options: ImportOptions): Promise<LineOrErrors[]> {
  const chunks = boundedChunks(stream, MAX_BYTES);
  try {
    const start = await firstBytes(chunks);
    const all = withStart(start, chunks);
    if (isFit(start)) return linesOfActivities(await readFit(await bytesOf(all), MAX_LINES));
    if (isXml(start)) return linesOfActivities(await readTcx(all, MAX_LINES));
    return await readCsv(streamOf(all, [], { objectMode: false }), options, MAX_LINES);
  } finally {
    await chunks.return(undefined);
    // The rest of the request is read and discarded, because a client reads the answer only after it has sent everything.
    stream.on('error', () => undefined).resume();
  }
}

const isFit = (start: Buffer): boolean => start.toString('latin1', 8, 12) === '.FIT';
/** Some exports of TCX begin with spaces. In UTF-16 a NUL is beside each ASCII character. */
const isXml = (start: Buffer): boolean =>
  /^(\u00EF\u00BB\u00BF|[\u00FE\u00FF]{2})?[\s\0]*</.test(start.toString('latin1'));

async function bytesOf(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}
