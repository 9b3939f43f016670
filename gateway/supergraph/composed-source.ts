import { composeServices } from '@apollo/composition';
import { parse } from 'graphql';
import { z } from 'zod';
import type { ServiceTokens } from '#server/auth/service-tokens.ts';
import type { Logger } from '#server/observability/logger.ts';
import { onReloadSignal } from './reload-signal.ts';
import { OfferedSupergraph, type SupergraphSource } from './supergraph-source.ts';

interface ComposedSourceOptions {
  /** Served until the first composition, because the gateway may start before the subgraphs. */
  first: string;
  /** The GraphQL URLs of the subgraphs, by name. */
  subgraphs: Readonly<Record<string, string>>;
  /** Client-credentials tokens of the service `gateway`, which may read the SDL even if clients may not. */
  tokens?: ServiceTokens | undefined;
  /** How often the SDL of the subgraphs is read. Default 10 s. */
  pollMillis?: number | undefined;
  log: Logger;
}

const serviceAnswer = z.object({ data: z.object({ _service: z.object({ sdl: z.string().min(1) }) }) });
const ANSWER_WITHIN_MILLIS = 5_000; // 5 s

/**
 * The supergraph that is composed from the running subgraphs. It is composed again if an SDL has changed, and only if all
 * subgraphs answer, so that a subgraph that is down removes nothing from the graph.
 */
export function composedSupergraph({
  first,
  subgraphs,
  tokens,
  pollMillis = 10_000,
  log,
}: ComposedSourceOptions): SupergraphSource {
  const offered = new OfferedSupergraph(first, log);
  const stopped = new AbortController();
  let composedFrom = '';
  let lastWarning = '';
  /** Whether the operator has asked for a poll since the current one began. */
  let isAskedFor = false;
  let wake = (): void => undefined;

  async function poll(): Promise<void> {
    try {
      const token = await tokens?.get();
      const parts = await Promise.all(
        Object.entries(subgraphs).map(async ([name, url]) => ({
          name,
          url,
          sdl: await sdlOf(name, url, token, stopped.signal),
        })),
      );
      const from = JSON.stringify(parts);
      if (from !== composedFrom) {
        composedFrom = from;
        offered.offer(composed(parts), 'the running subgraphs');
      }
      lastWarning = '';
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      // The same failure is logged once, not at every poll.
      if (message !== lastWarning && !stopped.signal.aborted)
        log.warn({ err: error }, 'the subgraphs could not be composed; the previous supergraph stays');
      lastWarning = message;
    }
  }

  /** One loop, so that there is one poll at a time, however often the operator asks. */
  async function pollUntilStopped(): Promise<void> {
    while (!stopped.signal.aborted) {
      isAskedFor = false;
      await poll();
      if (!isAskedFor && !stopped.signal.aborted) await untilNextPoll();
    }
  }

  function untilNextPoll(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pollMillis);
      timer.unref();
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  void pollUntilStopped();
  const stopListening = onReloadSignal(() => {
    isAskedFor = true;
    wake();
  });

  return {
    get current() {
      return offered.current;
    },
    onChange: (listener) => offered.onChange(listener),
    stop() {
      stopped.abort();
      wake();
      stopListening();
    },
  };
}

async function sdlOf(
  name: string,
  url: string,
  token: string | undefined,
  stopped: AbortSignal,
): Promise<string> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      },
      body: '{"query":"{_service{sdl}}"}',
      signal: AbortSignal.any([stopped, AbortSignal.timeout(ANSWER_WITHIN_MILLIS)]),
    });
    return serviceAnswer.parse(await response.json()).data._service.sdl;
  } catch (cause) {
    throw new Error(`the SDL of the subgraph "${name}" could not be read`, { cause });
  }
}

function composed(parts: readonly { name: string; url: string; sdl: string }[]): string {
  const { supergraphSdl, errors } = composeServices(
    parts.map(({ name, url, sdl }) => ({ name, url, typeDefs: parse(sdl) })),
  );
  if (!supergraphSdl)
    throw new Error(`the subgraphs do not compose: ${errors?.map(({ message }) => message).join('; ')}`);
  return supergraphSdl;
}
