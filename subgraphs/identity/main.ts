import { runAlone } from '#server/run.ts';
import { identity } from './subgraph.ts';

await runAlone(identity, process.env);
