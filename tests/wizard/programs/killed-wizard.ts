/**
 * The wizard service in its own process. It starts when its parent sends `start`, and answers with its URL. If the parent
 * sends a number, the process kills itself at that boundary of a saga's attempts (`Boundary`), counted from then on.
 */
import { once } from 'node:events';
import { settingsOf } from '#server/run.ts';
import { startSubgraph } from '#server/start-subgraph.ts';
import type { DatabaseServer } from '#server/database/database-server.ts';
import { DEFINITIONS } from '../../../subgraphs/wizard/definitions/definitions.ts';
import { wizardOf } from '../../../subgraphs/wizard/subgraph.ts';

let remainingBoundaries = Infinity;
process.on('message', (message: 'start' | number) => {
  if (message !== 'start') remainingBoundaries = message;
});

const wizard = wizardOf({
  definitions: DEFINITIONS,
  observe: () => {
    remainingBoundaries -= 1;
    if (remainingBoundaries === 0) process.kill(process.pid, 'SIGKILL');
  },
});
await once(process, 'message');
const { settings } = settingsOf(wizard, process.env);
const { server, name } = JSON.parse(process.env.TEST_DATABASE ?? '') as {
  server: DatabaseServer;
  name: string;
};
const running = await startSubgraph(wizard, {
  settings,
  port: 0,
  databaseServer: server,
  databaseName: name,
});
process.send?.(running.url);
