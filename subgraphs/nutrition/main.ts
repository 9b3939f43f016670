import { runAlone } from '#server/run.ts';
import { nutrition } from './subgraph.ts';

await runAlone(nutrition, process.env);
