/** Requests to the whole platform: `npm run bench:platform`, and `npm run bench:platform -- compare`. */
import { compare } from './compare.ts';
import { measureEverydayRequests } from './everyday-requests.ts';

const [command, ...args] = process.argv.slice(2);
if (command === 'compare') await compare(args);
else if (command === undefined) await measureEverydayRequests();
else throw new Error(`Expected nothing or "compare", got "${command}".`);
