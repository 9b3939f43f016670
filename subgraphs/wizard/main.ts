import { runAlone } from '#server/run.ts';
import { wizard } from './subgraph.ts';

await runAlone(wizard, process.env);
