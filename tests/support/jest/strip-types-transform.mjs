import { createHash } from 'node:crypto';
import { stripTypeScriptTypes } from 'node:module';

/**
 * Lets Jest read TypeScript as Node does: types become spaces, so that lines and columns stay and no source map
 * is needed. The lines of `--coverage` are those of the source.
 */
const transformer = {
  process: (source) => ({ code: stripTypeScriptTypes(source, { mode: 'strip' }) }),
  processAsync: async (source) => transformer.process(source),
  getCacheKey: (source, path) =>
    createHash('sha256').update(`${process.version}\0${path}\0${source}`).digest('hex').slice(0, 32),
};

export default transformer;
