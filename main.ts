/**
 * `npm start`                                     the whole platform: embedded database, six services, gateway
 * `npm start -- gym`                              one service alone
 * `npm start -- gateway [--supergraph FILE] [--port N]`
 */
import { runGateway } from './gateway/run.ts';
import { runAlone, runUntilSignal } from '#server/run.ts';
import { SERVICE_NAMES } from '#server/settings.ts';
import { startPlatform } from './platform.ts';
import { subgraphs } from './subgraphs/index.ts';

const [what, ...args] = process.argv.slice(2);
const subgraph = subgraphs.find(({ name }) => name === what);

if (what === undefined) await runUntilSignal((progress) => startPlatform(process.env, progress));
else if (what === 'gateway') await runGateway(args, process.env);
else if (subgraph) await runAlone(subgraph, process.env);
else {
  process.stderr.write(
    `There is no "${what}" to start. Expected nothing (the whole platform), gateway, or one of ${SERVICE_NAMES.join(', ')}.\n`,
  );
  process.exit(1);
}
