/** Starts the squad service, prints which modules of OpenTelemetry's SDK and exporters are loaded, and stops. */
import { createRequire } from 'node:module';
import { settingsOf } from '#server/run.ts';
import { startSubgraph } from '#server/start-subgraph.ts';
import { squad } from '../../../subgraphs/squad/subgraph.ts';

const { settings, port } = settingsOf(squad, process.env);
const running = await startSubgraph(squad, { settings, port, databaseServer: undefined });
const loaded = Object.keys(createRequire(import.meta.url).cache).flatMap((file) => {
  const [, name = ''] = /@opentelemetry\/([\w-]+)\/[^@]*$/.exec(file) ?? [];
  return /^(sdk-trace|exporter-|otlp-|resources$)/.test(name) ? [name] : [];
});
await running.stop();
process.stdout.write(JSON.stringify([...new Set(loaded)]));
