import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A proxy in front of a service, which can hold an answer back. */
export interface HoldingProxy {
  url: string;
  /** Holds the next GraphQL answer of the service back. */
  holdNextAnswer(): HeldAnswer;
  stop(): Promise<void>;
}

export interface HeldAnswer {
  /** Resolves when the service has answered. */
  answered: Promise<void>;
  release(): void;
}

export async function startHoldingProxy(target: string): Promise<HoldingProxy> {
  let hold: ((send: () => void) => void) | undefined;
  const server = http.createServer((req, res) => {
    void forward(target, req, res, (send) => {
      const holdThis = req.url === '/graphql' ? hold : undefined;
      if (!holdThis) return send();
      hold = undefined;
      holdThis(send);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    holdNextAnswer() {
      const read = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      hold = (send) => {
        read.resolve();
        void released.promise.then(send);
      };
      return { answered: read.promise, release: () => released.resolve() };
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** @param whenRead gets the function that sends the answer of the target */
async function forward(
  target: string,
  req: http.IncomingMessage,
  res: http.ServerResponse,
  whenRead: (send: () => void) => void,
): Promise<void> {
  const { host: _host, connection: _connection, ...headers } = req.headers;
  const forwarded = http.request(new URL(req.url ?? '/', target), { method: req.method, headers });
  forwarded.on('error', () => res.destroy());
  forwarded.on('response', async (answer) => {
    const body = await text(answer);
    whenRead(() => {
      const { 'transfer-encoding': _encoding, 'content-length': _length, ...own } = answer.headers;
      res.writeHead(answer.statusCode ?? 502, own).end(body);
    });
  });
  req.pipe(forwarded);
}
