import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook as Verifier } from 'standardwebhooks';

export interface PublicEvent {
  id: string;
  type: string;
  subject: string;
  occurredAt: string;
  data: Record<string, unknown>;
}

/** A request that the receiver got. */
export interface Received {
  event: PublicEvent;
  /** The number of its arrival, counted over all arrivals and acceptances. */
  arrivedAs: number;
  /** The number of its acceptance, which is given just before the answer with 2xx; undefined without one. */
  acceptedAs: number | undefined;
  /** What is wrong with its headers; undefined if nothing is. */
  problem: string | undefined;
}

/** The ways in which the receiver can behave. */
export const MODES = ['healthy', 'down', 'failing', 'slow', 'hanging', 'redirecting', 'garbage'] as const;
export type Mode = (typeof MODES)[number];

/** The time until the answer of a slow receiver. */
const SLOW_MILLIS = 1_500;

/** The receiver of a CRM. It stores and verifies every request, and fails in each way of `MODES`. */
export class DayReceiver {
  readonly received: Received[] = [];
  /** The number of requests to the address to which it redirects; there must be none. */
  followed = 0;
  secret = '';
  /** The number of arrivals and acceptances. */
  places = 0;
  private mode: Mode = 'healthy';
  private port = 0;
  private requests = 0;
  private readonly server = http.createServer((request, response) => this.receive(request, response));

  async start(): Promise<string> {
    await this.listen();
    this.port = (this.server.address() as AddressInfo).port;
    return `http://127.0.0.1:${this.port}/hook`;
  }

  async become(mode: Mode): Promise<void> {
    const before = this.mode;
    this.mode = mode;
    if (before === 'hanging') this.server.closeAllConnections();
    if (mode === 'down') await this.stop();
    else if (before === 'down') await this.listen();
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private listen(): Promise<void> {
    return new Promise((resolve) => this.server.listen(this.port, '127.0.0.1', resolve));
  }

  private receive(request: http.IncomingMessage, response: http.ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url !== '/hook') this.followed += 1;
      const body = Buffer.concat(chunks).toString();
      const received: Received = {
        event: JSON.parse(body) as PublicEvent,
        arrivedAs: this.nextPlace(),
        acceptedAs: undefined,
        problem: this.problemOf(body, request.headers as Record<string, string>),
      };
      this.received.push(received);
      this.answer(received, response);
    });
  }

  private nextPlace(): number {
    this.places += 1;
    return this.places;
  }

  private problemOf(body: string, headers: Record<string, string>): string | undefined {
    try {
      // `verify` also refuses a timestamp that is more than 5 minutes off.
      const event = new Verifier(this.secret).verify(body, headers) as PublicEvent;
      return headers['webhook-id'] === event.id ? undefined : 'webhook-id is not the id of the event';
    } catch (error) {
      return (error as Error).message;
    }
  }

  private answer(received: Received, response: http.ServerResponse): void {
    this.requests += 1;
    const accept = () => {
      if (response.destroyed) return;
      received.acceptedAs = this.nextPlace();
      response.writeHead(204).end();
    };
    switch (this.mode) {
      case 'slow':
        setTimeout(accept, SLOW_MILLIS);
        break;
      case 'failing':
        response.writeHead(this.requests % 2 ? 500 : 503).end('no');
        break;
      case 'redirecting':
        response.writeHead(307, { location: `http://127.0.0.1:${this.port}/other` }).end();
        break;
      case 'garbage':
        this.sendGarbage(response);
        break;
      case 'hanging':
      case 'down':
        break;
      default:
        accept();
    }
  }

  /** Sends something that is no answer of HTTP, half of an answer, or an answer whose body is not text. */
  private sendGarbage(response: http.ServerResponse): void {
    const { socket } = response;
    switch (this.requests % 3) {
      case 0:
        socket?.end(Buffer.from([0, 255, 13, 10, 13, 10, 7]));
        break;
      case 1:
        socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf');
        break;
      default:
        response.writeHead(404).end(Buffer.from([0, 0xff, 0xfe, 0xc0, 0x80]));
    }
  }
}
