import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { RecordsPageShape } from '#server/accounts/account-data.ts';
import { PlatformError } from '#server/errors.ts';
import type { FileStorage } from '#server/files/file-storage.ts';
import { SERVICE_NAMES } from '#server/settings.ts';
import { streamOf } from '#server/streams.ts';

type PageOf = (cursor: string | undefined) => Promise<RecordsPageShape>;

/** The services in the order of the document: identity first, as in receipts. */
export const SECTIONS = ['identity', ...SERVICE_NAMES.filter((name) => name !== 'identity')] as const;

/** The storage key of a section's file. */
export const sectionKey = (exportId: string, service: string): string =>
  `exports/${exportId}-${service}.json`;

/** The JSON of one service's section, `{kind: [record, ...], ...}`, in chunks of one page each. */
export async function* sectionText(pageOf: PageOf): AsyncGenerator<string> {
  let cursor: string | undefined;
  let kinds: readonly string[] = [];
  let begun = 0; // kinds whose list has been opened
  let isFirst = true;
  yield '{';
  do {
    const page = await withRetries(() => pageOf(cursor));
    kinds = page.kinds;
    let text = '';
    for (const { kind, record } of page.records) {
      // All kinds are written in the order of `kinds`, also those without records.
      for (; begun <= kinds.indexOf(kind); begun += 1) {
        text += opening(kinds, begun);
        isFirst = true;
      }
      text += `${isFirst ? '' : ','}${JSON.stringify(record)}`;
      isFirst = false;
    }
    yield text;
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  for (; begun < kinds.length; begun += 1) yield opening(kinds, begun);
  yield begun > 0 ? ']}' : '}';
}

const opening = (kinds: readonly string[], index: number): string =>
  `${index === 0 ? '' : '],'}${JSON.stringify(kinds[index])}:[`;

/** The whole document from its sections, as a stream. */
export function documentOf(
  files: FileStorage,
  { id, finishedAt }: { id: string; finishedAt: Date },
): Readable {
  return streamOf(documentText(files, id, finishedAt));
}

async function* documentText(
  files: FileStorage,
  exportId: string,
  exportedAt: Date,
): AsyncGenerator<Buffer | string> {
  yield `{"exportedAt":${JSON.stringify(exportedAt.toISOString())},"services":{`;
  for (const [index, service] of SECTIONS.entries()) {
    const section = await files.read(sectionKey(exportId, service));
    if (!section) throw new Error(`the section of ${service} of an export is missing`);
    yield `${index === 0 ? '' : ','}${JSON.stringify(service)}:`;
    for await (const chunk of section.stream) yield chunk as Buffer;
  }
  yield '}}';
}

/** The pauses before the repetitions of a request for a page. */
const WAITS_MILLIS = [200, 1_000, 3_000];

/**
 * Repeats a request for a page up to three times if a rate limit refused it or it timed out, so that a long section need not
 * start again. After the last repetition, and after any other error, the saga repeats the section later.
 */
async function withRetries<Result>(ask: () => Promise<Result>): Promise<Result> {
  for (const wait of WAITS_MILLIS) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof PlatformError) || !['RATE_LIMITED', 'UPSTREAM_TIMEOUT'].includes(error.code))
        throw error;
      await pause(wait);
    }
  }
  return ask();
}
