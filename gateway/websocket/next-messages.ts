import type { ExecutionResult } from 'graphql';
import { MessageType } from 'graphql-ws';
import type { WebSocket } from 'ws';

/** Below it one frame of its own costs less than two of which one is shared. */
const WORTH_SHARING_BYTES = 4_096;

/**
 * A subscription's results as `next` messages, written here instead of by graphql-ws, which would make the same text
 * for each of thousands of subscribers: here it is made once a result, and a large one lies in memory once, however
 * many sockets it waits at. Yields nothing; ends as the results do. Like graphql-ws it waits for every write, so that
 * results pile up where a client does not read (`subscriber.ts`), not in the socket.
 */
export function sendResults(
  results: AsyncIterator<ExecutionResult>,
  socket: WebSocket,
  id: string,
): AsyncIterableIterator<never> {
  const begin = `{"id":${JSON.stringify(id)},"type":"${MessageType.Next}","payload":`;
  const writing: AsyncIterableIterator<never> = {
    async next() {
      for (;;) {
        const { done, value } = await results.next();
        if (done) return { done: true, value: undefined };
        await write(socket, begin, textOf(value));
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

/** The payload's JSON and the bracket that ends the message; as bytes where it is large. */
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

/** In two fragments of one message (RFC 6455, 5.4) where the bytes are shared. */
const write = (socket: WebSocket, begin: string, text: Text): Promise<void> =>
  new Promise((resolve, reject) => {
    if (socket.readyState !== socket.OPEN) return resolve();
    const written = (error?: Error | null): void => (error ? reject(error) : resolve());
    if (typeof text === 'string') return socket.send(begin + text, written);
    socket.send(begin, { fin: false });
    socket.send(text, { fin: true, binary: false }, written);
  });
