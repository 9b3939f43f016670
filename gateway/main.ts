import { runGateway } from './run.ts';

await runGateway(process.argv.slice(2), process.env);
