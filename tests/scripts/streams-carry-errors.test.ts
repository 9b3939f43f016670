import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

const root = path.join(import.meta.dirname, '../..');
const oxlint = path.join(root, 'node_modules/.bin/oxlint');
let folder: string;
beforeAll(async () => {
  // The folder is inside of the repository, because the rule depends on a file's path in it.
  folder = await mkdtemp(path.join(root, 'server/lint-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const findings = async (code: string): Promise<number> => {
  const file = path.join(folder, 'streams.ts');
  await writeFile(file, code);
  const output = await new Promise<string>((resolve) => {
    execFile(oxlint, ['--format', 'json', file], { cwd: root }, (_error, stdout) => resolve(stdout));
  });
  const { diagnostics } = JSON.parse(output) as { diagnostics: { code: string }[] };
  return diagnostics.filter(({ code: rule }) => rule === 'platform(streams-carry-errors)').length;
};

it.each([
  ['export const a = (one, other) => one.pipe(other);', 1],
  ["import { Readable } from 'node:stream'; export const a = (rows) => Readable.from(rows);", 1],
  ["import stream from 'node:stream'; export const a = (rows) => stream.Readable.from(rows).pipe(rows);", 2],
  ["import { z } from 'zod'; export const a = z.string().trim().pipe(z.email());", 0],
  ['export const a = (rows) => Array.from(rows);', 0],
])('in `%s` the lint rule streams-carry-errors finds %i fault(s)', async (code, count) =>
  expect(await findings(code)).toBe(count),
);
