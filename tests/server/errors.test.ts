import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { ERRORS, PlatformError, socketError } from '#server/errors.ts';

describe('the table of errors', () => {
  it('has the same codes and statuses as docs/errors.md', async () => {
    const page = await readFile(new URL('../../docs/errors.md', import.meta.url), 'utf8');
    const documented = Object.fromEntries(
      [...page.matchAll(/^\| `(\w+)` \| (\d{3}) \|/gm)].map(([, code, status]) => [code, Number(status)]),
    );
    const declared = Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, status]));
    expect(documented).toEqual(declared);
  });

  it('masks unknown errors at the socket', () => {
    expect(socketError(new Error('connection to 10.0.0.7 refused'))).toEqual({
      code: 'INTERNAL',
      message: expect.not.stringContaining('10.0.0.7'),
    });
    expect(socketError(new PlatformError('NOT_FOUND', 'There is no squad "x".'))).toEqual({
      code: 'NOT_FOUND',
      message: 'There is no squad "x".',
    });
  });
});
