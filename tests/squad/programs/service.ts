/**
 * The squad or the content service in a process of its own, which a test can kill. Arguments: `squad` or `content`,
 * the port, and the database (JSON) if the service uses one. Prints `ready` when the service accepts requests.
 */
import type { AnySubgraph } from '#server/define-subgraph.ts';
import { settingsOf } from '#server/run.ts';
import type { StartOptions } from '#server/start/options.ts';
import { startSubgraph } from '#server/start-subgraph.ts';
import { content } from '../../../subgraphs/content/subgraph.ts';
import { squad } from '../../../subgraphs/squad/subgraph.ts';

const [name = '', port = '', database = ''] = process.argv.slice(2);
const subgraph: AnySubgraph = name === 'squad' ? squad : content;
const { settings } = settingsOf(subgraph, process.env);
const { server, name: databaseName } = (database ? JSON.parse(database) : {}) as {
  server?: StartOptions['databaseServer'];
  name?: string;
};
await startSubgraph(subgraph, { settings, port: Number(port), databaseServer: server, databaseName });
process.stdout.write('ready\n');
