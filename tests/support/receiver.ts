import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a receiver of webhooks got. */
export interface ReceivedRequest {
  /** When it arrived, in milliseconds since 1970. */
  at: number;
  path: string;
  headers: Record<string, string>;
  body: string;
  event: {
    id: string;
    type: string;
    gymId: string | null;
    subject: string;
    data: Record<string, string>;
  };
}

/** Answers a request. A receiver without such a function answers every request with 204. */
export type Answering = (request: ReceivedRequest, response: http.ServerResponse) => void;

/** A real HTTP server on this machine that receives webhooks. */
export async function startReceiver(answering?: Answering) {
  const requests: ReceivedRequest[] = [];
  const receiver = {
    requests,
    url: '',
    /** A test may replace this function while the receiver runs. */
    answering,
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const received: ReceivedRequest = {
        at: Date.now(),
        path: request.url ?? '',
        headers: request.headers as Record<string, string>,
        body,
        event: JSON.parse(body) as ReceivedRequest['event'],
      };
      requests.push(received);
      if (receiver.answering) receiver.answering(received, response);
      else response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return receiver;
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;
