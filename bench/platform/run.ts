/** Requests to the whole platform: `npm run bench:platform`, and with `-- compare`, `-- training` or `-- cache`. */
import { compareCache } from './cache.ts';
import { compare } from './compare.ts';
import { measureEverydayRequests } from './everyday-requests.ts';
import { compareTraining } from './training.ts';

const [command, ...args] = process.argv.slice(2);
if (command === 'compare') await compare(args);
else if (command === 'training') await compareTraining();
else if (command === 'cache') await compareCache();
else if (command === undefined) await measureEverydayRequests();
else throw new Error(`Expected nothing, "compare", "training" or "cache", got "${command}".`);
