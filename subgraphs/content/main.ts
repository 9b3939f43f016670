import { runAlone } from '#server/run.ts';
import { content } from './subgraph.ts';

await runAlone(content, process.env);
