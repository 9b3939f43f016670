import type { ExecutionResult } from 'graphql';
import { MessageType } from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { Deliveries } from '../subscriptions/deliveries.ts';

/** A smaller result is cheaper as one frame of its own than as two frames, one of which is shared. */
const WORTH_SHARING_BYTES = 4_096;

/**
 * Sends a subscription's results as `next` messages. The returned iterator yields nothing, and ends when the results end.
 * Like graphql-ws, it waits for every write, so that the results of a client that does not read wait in its `ResultQueue`,
 * not in the socket.
 *
 * Written for speed: graphql-ws would write the same JSON for each of thousands of subscribers. Here each result is
 * written once, and a large one is in memory once, however many sockets wait for it: 203 ms of CPU per event for 10,000
 * subscribers with 90 members online, and 469 ms without (`npm run bench:subscriptions`; docs/performance.md).
 */
export function sendResults(
  results: AsyncIterator<ExecutionResult>,
  socket: WebSocket,
  id: string,
  deliveries: Pick<Deliveries, 'sending'>,
): AsyncIterableIterator<never> {
  const begin = `{"id":${JSON.stringify(id)},"type":"${MessageType.Next}","payload":`;
  const writing: AsyncIterableIterator<never> = {
    async next() {
      for (;;) {
        const { done, value } = await results.next();
        if (done) return { done: true, value: undefined };
        const sent = deliveries.sending(value);
        await write(socket, begin, textOf(value));
        sent?.();
      }
    },
    async return() {
      await results.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => writing,
  };
  return writing;
}

/** The payload's JSON and the brace that ends the message; bytes if it is large. */
type Text = string | Buffer;

const texts = new WeakMap<ExecutionResult, Text>();

function textOf(result: ExecutionResult): Text {
  const known = texts.get(result);
  if (known !== undefined) return known;
  const text = `${JSON.stringify(result)}}`;
  const made = text.length < WORTH_SHARING_BYTES ? text : Buffer.from(text);
  texts.set(result, made);
  return made;
}

/** Shared bytes are sent as the second fragment of a message (RFC 6455, 5.4). */
const write = (socket: WebSocket, begin: string, text: Text): Promise<void> =>
  new Promise((resolve, reject) => {
    if (socket.readyState !== socket.OPEN) return resolve();
    const written = (error?: Error | null): void => (error ? reject(error) : resolve());
    if (typeof text === 'string') return socket.send(begin + text, written);
    socket.send(begin, { fin: false });
    socket.send(text, { fin: true, binary: false }, written);
  });
