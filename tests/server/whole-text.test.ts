import { setImmediate } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { streamOf } from '#server/streams.ts';
import { NO_ORIGIN } from '#server/unit-of-work.ts';
import { wholeText } from '#server/whole-text.ts';

const MIB = 1024 * 1024;

/** Pieces of 64 KiB without an end, and a promise that resolves with the number of pieces when their reader has left. */
function endless() {
  const { promise: left, resolve } = Promise.withResolvers<number>();
  async function* pieces() {
    let count = 0;
    try {
      for (; ; count += 1) {
        yield 'é'.repeat(32 * 1024);
        await setImmediate();
      }
    } finally {
      resolve(count);
    }
  }
  return { pieces: pieces(), left };
}

it('a text of 8 MiB is returned, and one that is a byte longer is refused', async () => {
  const longest = ['x'.repeat(4 * MIB), 'é'.repeat(2 * MIB)];
  const unit = { origin: NO_ORIGIN };
  expect((await wholeText(streamOf(longest), unit, 'too long')) === longest.join('')).toBe(true);
  await expect(wholeText(streamOf([...longest, 'x']), unit, 'too long')).rejects.toMatchObject({
    code: 'PAYLOAD_TOO_LARGE',
    message: 'too long',
  });
});

it('the source of a text that is too long is ended', async () => {
  const { pieces, left } = endless();
  await expect(wholeText(streamOf(pieces), { origin: NO_ORIGIN }, 'too long')).rejects.toThrow('too long');
  expect(await left).toBeLessThan(200);
});

it('the source of a text is ended if the client leaves', async () => {
  const { pieces, left } = endless();
  const client = new AbortController();
  const unit = { origin: { ...NO_ORIGIN, clientLeft: () => client.signal } };
  const reading = wholeText(streamOf(pieces), unit, 'too long');
  client.abort();
  await expect(reading).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  expect(await left).toBeLessThan(100);

  const later = endless();
  await expect(wholeText(streamOf(later.pieces), unit, 'too long')).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
  });
});
