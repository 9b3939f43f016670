import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** The path of a file from the repository's root, with forward slashes. */
export const pathFromRoot = (file) => path.relative(root, file).split(path.sep).join('/');
