import { expect, it } from '@jest/globals';
import { part, PART_END } from '../../gateway/streams/multipart-format.ts';

/** A script of the page, which has no types. */
const SCRIPT = new URL('../../gateway/pages/explorer/browser/multipart.js', import.meta.url).href;
const { partsOf } = (await import(SCRIPT)) as {
  partsOf(answer: Response): AsyncIterable<unknown> | undefined;
};
const TYPE = 'multipart/mixed;boundary="graphql";deferSpec=20220824';

/** Reads the body with the explorer's script, in chunks of this many bytes. */
async function read(body: string, size: number): Promise<unknown[]> {
  const bytes = new TextEncoder().encode(body);
  const chunks = ReadableStream.from(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.slice(i * size, (i + 1) * size)),
  );
  const parts = [];
  for await (const one of partsOf(new Response(chunks, { headers: { 'content-type': TYPE } })) ?? [])
    parts.push(one);
  return parts;
}

it.each([1, 7, 1_000])(
  'the explorer reads the parts of an answer whose values contain the delimiter (chunks of %i)',
  async (size) => {
    const messages = [
      { data: { echo: 'a --graphql-- b --graphql' }, hasNext: true },
      { incremental: [{ data: { text: '\r\n--graphql\r\n\r\n{}' }, path: [] }], hasNext: false },
    ];
    const parts = messages.map((message) => part(JSON.stringify(message))).join('');
    expect(await read(`\r\n--graphql${parts}${PART_END}`, size)).toEqual(messages);
    // A body may also begin with the delimiter (RFC 2046, section 5.1.1).
    expect(await read(`--graphql${parts}${PART_END}`, size)).toEqual(messages);
  },
);
