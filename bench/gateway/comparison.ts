import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { composeServices } from '@apollo/composition';
import { operationFromDocument } from '@apollo/federation-internals';
import { parse } from 'graphql';
import { loadGraph } from '../../gateway/supergraph/load-graph.ts';
import { BASELINE, type ComparedProgram } from './compared-programs.ts';
import { Load } from './load.ts';
import { freePort } from '#server/http/free-ports.ts';
import { waitForAnswer, start, type Started } from './processes.ts';
import type { Workload } from './workloads.ts';

/** A compared program that is warmed up and suspended. */
export interface RunningProgram {
  readonly program: ComparedProgram;
  readonly process: Started;
  readonly url: string;
  /** All of the workload's requests. */
  readonly load: Load;
}

export interface Comparison {
  readonly programs: readonly RunningProgram[];
  readonly bodies: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** The size of a response in bytes, and the number of its fetches. */
  readonly bytes: number;
  readonly fetches: number;
  stop(): Promise<void>;
}

/** After this time V8 has compiled the code that is executed often, in the larger programs, too. */
const WARM_UP_SECONDS = 8;
const CONNECTIONS = 20;

interface ComparisonOptions {
  readonly sharing: boolean;
  readonly log: (line: string) => void;
  /** The beginning of the command that starts each compared program; see `StartOptions.commandPrefix`. */
  readonly commandPrefix?: readonly string[];
}

/** Starts the subgraphs of a workload and the compared programs, and logs if their responses differ. */
export async function startComparison(
  workload: Workload,
  programs: readonly ComparedProgram[],
  { sharing, log, commandPrefix = [] }: ComparisonOptions,
): Promise<Comparison> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'bench-gateway-'));
  const script = fileURLToPath(new URL('subgraphs.ts', import.meta.url));
  const subgraphs = await start([script, workload.name], { ready: /^\{/ });
  const { port, token } = JSON.parse(subgraphs.line) as { port: number; token: string };
  const origin = `http://127.0.0.1:${port}`;
  const running: RunningProgram[] = [];
  const stop = async () => {
    for (const { load } of running) load.close();
    await Promise.all([...running.map(({ process }) => process.stop()), subgraphs.stop()]);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const supergraphFile = path.join(folder, 'supergraph.graphql');
    const planFile = path.join(folder, 'plan.json');
    const sdl = supergraphOf(workload, origin);
    await writeFile(supergraphFile, sdl);
    // Other gateways do not start with a supergraph that links directives "for: SECURITY" which they do not enforce, so this
    // purpose is removed from their supergraph.
    const plainFile = path.join(folder, 'supergraph-without-rights.graphql');
    await writeFile(plainFile, sdl.replaceAll(/,\s*for: SECURITY/g, ''));
    const plan = JSON.stringify(planOf(workload, sdl));
    await writeFile(planFile, plan);
    const bodies = workload.variables.map((variables) =>
      JSON.stringify({ query: workload.query, variables }),
    );
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    for (const program of programs) {
      const at = await freePort();
      const dataDir = path.join(folder, 'data');
      const process = await program.start({
        supergraphFile,
        plainFile,
        planFile,
        origin,
        port: at,
        dataDir,
        sharing,
        commandPrefix,
      });
      const url = `http://127.0.0.1:${at}/graphql`;
      const load = new Load({ url, bodies, headers, connections: CONNECTIONS });
      running.push({ program, process, url, load });
      await waitForAnswer(url, bodies[0] ?? '', headers);
      await load.pressure(WARM_UP_SECONDS);
    }
    const text = await compareAnswers(running, bodies, { headers, log });
    for (const { process } of running) process.pause();
    const fetches = plan.split('"kind":"Fetch"').length - 1;
    return { programs: running, bodies, headers, bytes: Buffer.byteLength(text), fetches, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function supergraphOf({ sdls }: Workload, origin: string): string {
  const { supergraphSdl, errors } = composeServices(
    Object.entries(sdls).map(([name, sdl]) => ({ name, url: `${origin}/${name}`, typeDefs: parse(sdl) })),
  );
  if (!supergraphSdl) throw new Error(errors?.join('\n'));
  return supergraphSdl;
}

function planOf({ query }: Workload, sdl: string) {
  const { federatedApiSchema, planner } = loadGraph(sdl, (name, url) => ({
    name,
    url,
    send: () => Promise.reject(new Error('only to be planned for')),
    close: async () => undefined,
  }));
  return planner.buildQueryPlan(operationFromDocument(federatedApiSchema, parse(query))).node;
}

/** Logs every difference between the answers of the programs to the first three requests. Returns the first answer. */
async function compareAnswers(
  running: readonly RunningProgram[],
  bodies: readonly string[],
  { headers, log }: { headers: Readonly<Record<string, string>>; log: (line: string) => void },
): Promise<string> {
  let first: string | undefined;
  for (const body of bodies.slice(0, 3)) {
    let expected: unknown;
    for (const { program, url } of running) {
      const text = await (await fetch(url, { method: 'POST', headers, body })).text();
      const { data, errors } = JSON.parse(text) as { data?: unknown; errors?: unknown };
      if (errors) log(`${program.name} answers with errors: ${JSON.stringify(errors).slice(0, 300)}`);
      first ??= text;
      expected ??= data;
      // The baseline returns the answers of the subgraphs without result coercion, with keys that the client did not select.
      if (program.name !== BASELINE && !isDeepStrictEqual(data, expected))
        log(`the answer of ${program.name} differs from that of ${running[0]?.program.name}`);
    }
  }
  return first ?? '';
}
