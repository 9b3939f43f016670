import { runAlone } from '#server/run.ts';
import { gym } from './subgraph.ts';

await runAlone(gym, process.env);
