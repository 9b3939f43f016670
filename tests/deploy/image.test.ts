import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { validate } from 'dockerfile-utils';

const dockerfile = readFileSync(path.join(import.meta.dirname, '../../Dockerfile'), 'utf8');

it('the Dockerfile has no error and no warning, and the image runs as an ordinary user', () => {
  const problemsOf = (text: string) =>
    validate(text).map(({ message, range }) => ({ message, line: range.start.line + 1 }));
  expect(problemsOf(dockerfile)).toEqual([]);
  expect(problemsOf(dockerfile.replace('WORKDIR /app', 'WORKDIR app'))).not.toEqual([]);
  const lastStage = dockerfile.slice(dockerfile.lastIndexOf('FROM '));
  expect(/^USER (.+)$/m.exec(lastStage)?.[1]).toBe('node');
});
