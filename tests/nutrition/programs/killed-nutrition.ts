/** The nutrition service in its own process and on the given database, for a test that kills it. It prints its URL. */
import type { DatabaseServer } from '#server/database/database-server.ts';
import { settingsOf } from '#server/run.ts';
import { startSubgraph } from '#server/start-subgraph.ts';
import { nutrition } from '../../../subgraphs/nutrition/subgraph.ts';

const { server, name } = JSON.parse(process.env.TEST_DATABASE ?? '') as {
  server: DatabaseServer;
  name: string;
};
const { url } = await startSubgraph(nutrition, {
  settings: settingsOf(nutrition, process.env).settings,
  port: 0,
  databaseServer: server,
  databaseName: name,
});
process.stdout.write(`ready at ${url} .\n`);
