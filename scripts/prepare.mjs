/**
 * npm runs this at the end of `npm ci`: it writes the resolver types, so that the editor, `npm run typecheck` and
 * `npm run lint` work in a new checkout. The platform starts without them, because Node strips types. Plain JavaScript
 * for every version of Node that can install the project.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

// With --omit=dev the generator is not installed, and nobody needs the types.
if (existsSync(at('node_modules/@graphql-codegen/core'))) {
  const { status } = spawnSync(process.execPath, [at('scripts/node24.mjs'), at('scripts/generate.ts')], {
    stdio: 'inherit',
  });
  if (status !== 0) console.warn('The resolver types could not be written; run "npm run generate".');
}
