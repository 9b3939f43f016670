import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { composeServices } from '@apollo/composition';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { execute, parse, type ExecutionArgs } from 'graphql';
import { gatewaySettingsOf } from '../../gateway/settings.ts';
import { startGateway } from '../../gateway/start-gateway.ts';
import type { Untyped } from './platform/http-client.ts';

/** A subgraph that is not part of the platform: its schema and resolvers. */
export interface OtherSubgraph {
  typeDefs: string;
  resolvers?: object;
}

type Handler = (req: http.IncomingMessage, res: http.ServerResponse) => void;

export interface RunningSubgraph {
  /** GraphQL requests that reached it. */
  requests: number;
  /** If it is set, it answers all requests instead of the subgraph. */
  instead: Handler | undefined;
}

export interface OtherGraph {
  url: string;
  /** The composed file, for another gateway with the same subgraphs. */
  supergraphFile: string;
  dataDir: string;
  subgraph(name: string): RunningSubgraph;
  /** Sends one operation to the gateway; `millis` is the time to the end of the answer. */
  ask(query: string, variables?: object): Promise<{ status: number; body: Untyped; millis: number }>;
  metrics(): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts the subgraphs of a test, and a gateway with a supergraph file that is composed from them.
 *
 * @param edited returns the file as another composition would have written it; by default it is unchanged
 */
export async function startOtherGraph(
  subgraphs: Record<string, OtherSubgraph>,
  env: Record<string, string> = {},
  edited: (supergraphSdl: string) => string = (sdl) => sdl,
): Promise<OtherGraph> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'other-graph-'));
  const running = new Map<string, RunningSubgraph>();
  const servers: http.Server[] = [];
  const services = await Promise.all(
    Object.entries(subgraphs).map(async ([name, { typeDefs, resolvers = {} }]) => {
      const state: RunningSubgraph = { requests: 0, instead: undefined };
      running.set(name, state);
      const schema = buildSubgraphSchema({ typeDefs: parse(typeDefs), resolvers: resolvers as never });
      const server = http.createServer((req, res) => {
        state.requests += 1;
        if (state.instead) state.instead(req, res);
        else void answer(schema, req, res);
      });
      servers.push(server);
      await new Promise<void>((resolve) => {
        server.listen(0, '127.0.0.1', resolve);
      });
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
      return { name, url, typeDefs: parse(typeDefs) };
    }),
  );
  const { supergraphSdl, errors } = composeServices(services);
  if (!supergraphSdl) throw new Error(errors?.map(({ message }) => message).join('\n'));
  const file = path.join(folder, 'supergraph.graphql');
  await writeFile(file, edited(supergraphSdl));
  const gateway = await startGateway(
    gatewaySettingsOf({
      HOST: '127.0.0.1',
      GATEWAY_PORT: '0',
      DATA_DIR: folder,
      DEMO: 'on',
      LOG_LEVEL: 'silent',
      RATE_LIMITS: 'off',
      STOP_GRACE_PERIOD_MILLIS: '500',
      SUBGRAPH_TIMEOUT_MILLIS: '10000', // for busy machines
      SUPERGRAPH: file,
      ...env,
    }),
  );
  return {
    url: gateway.url,
    supergraphFile: file,
    dataDir: folder,
    subgraph(name) {
      const found = running.get(name);
      if (!found) throw new Error(`there is no subgraph ${name} in this test`);
      return found;
    },
    async ask(query, variables = {}) {
      const startedAt = performance.now();
      const response = await fetch(`${gateway.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      });
      const body = (await response.json()) as Untyped;
      return { status: response.status, body, millis: performance.now() - startedAt };
    },
    metrics: async () => (await fetch(`${gateway.url}/metrics`)).text(),
    async stop() {
      await gateway.stop();
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function answer(
  schema: ExecutionArgs['schema'],
  req: http.IncomingMessage,
  res: http.ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const { query, variables, operationName } = JSON.parse(Buffer.concat(chunks).toString());
  const result = await execute({
    schema,
    document: parse(query),
    variableValues: variables,
    operationName,
    contextValue: { headers: req.headers },
  });
  res.setHeader('content-type', 'application/json');
  res.end(JSON.stringify(result));
}
