import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';

const ROOT = new URL('../../', import.meta.url);
const guide = await readFile(new URL('docs/reading-guide.md', ROOT), 'utf8');
const steps = [...guide.matchAll(/`([\w./-]+\.ts)` `(\w+)`/g)].map(([, file = '', name = '']) => ({
  file,
  name,
}));

it('the reading guide has more than 30 steps with a file and a name', () => {
  expect(steps.length).toBeGreaterThan(30);
});

it.each(steps)('the file of a step contains the name of the step: $name in $file', async ({ file, name }) => {
  const code = await readFile(new URL(file, ROOT), 'utf8');
  expect(code).toMatch(new RegExp(String.raw`\b${name}\b`));
});
