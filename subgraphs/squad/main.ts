import { runAlone } from '#server/run.ts';
import { squad } from './subgraph.ts';

await runAlone(squad, process.env);
